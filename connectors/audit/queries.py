"""Reads of the logs: filtered, newest first, paged by key. Nothing here counts all rows or skips over them."""

import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import TypedDict

from django.db.models import Model

from connectors.audit.filters import (
    CallFilters,
    DecisionFilters,
    EventFilters,
    Period,
    filtered_calls,
    filtered_decisions,
    filtered_events,
    owned,
)
from connectors.audit.models import AdminEvent, CallRecord, DecisionRecord
from connectors.audit.scanning import Page, Way, count_up_to, newest_above, page_of
from connectors.audit.time_keys import WRITTEN_WITHIN, lowest_id
from connectors.audit.ways import ways_of_calls, ways_of_decisions, ways_of_events
from connectors.errors import NotFound

__all__ = [
    "CallFilters",
    "DecisionFilters",
    "EventFilters",
    "Page",
    "Period",
    "filtered_calls",
    "filtered_decisions",
    "filtered_events",
]  # what readers of a log need besides the functions here
PAGE_SIZE = 50
COUNTED = 10_000
TAIL = 100


class Keys(TypedDict):
    """Where a page begins: below `after`, or above `before`; neither is the newest page."""

    after: uuid.UUID | None
    before: uuid.UUID | None


@dataclass(frozen=True, slots=True)
class Counted:
    """A number of rows; with `more`, there are at least that many and may be more."""

    number: int
    more: bool


@dataclass(frozen=True, slots=True)
class Newest[Row: Model]:
    """Rows that came, newest first; with `more`, others came between them and the key asked from."""

    rows: tuple[Row, ...]
    more: bool


def calls(
    filters: CallFilters, *, after: uuid.UUID | None = None, before: uuid.UUID | None = None, size: int = PAGE_SIZE
) -> Page[CallRecord]:
    return page_of(ways_of_calls(filters), after=after, before=before, size=size)


def decisions(
    filters: DecisionFilters, *, after: uuid.UUID | None = None, before: uuid.UUID | None = None, size: int = PAGE_SIZE
) -> Page[DecisionRecord]:
    return page_of(ways_of_decisions(filters), after=after, before=before, size=size)


def events(
    filters: EventFilters, *, after: uuid.UUID | None = None, before: uuid.UUID | None = None, size: int = PAGE_SIZE
) -> Page[AdminEvent]:
    return page_of(ways_of_events(filters), after=after, before=before, size=size)


def newest_calls(filters: CallFilters, *, since: uuid.UUID, limit: int = TAIL) -> Newest[CallRecord]:
    """Return the newest calls above a key. Rows are committed a little after their ids are made, so a live view asks
    from some seconds back and leaves out what it has."""
    return _newest(ways_of_calls(filters), since, limit)


def newest_decisions(filters: DecisionFilters, *, since: uuid.UUID, limit: int = TAIL) -> Newest[DecisionRecord]:
    return _newest(ways_of_decisions(filters), since, limit)


def newest_events(filters: EventFilters, *, since: uuid.UUID, limit: int = TAIL) -> Newest[AdminEvent]:
    return _newest(ways_of_events(filters), since, limit)


def count_calls(filters: CallFilters, *, up_to: int = COUNTED) -> Counted:
    """Count as far as `up_to` and no longer than a page may take."""
    return Counted(*count_up_to(ways_of_calls(filters), limit=up_to))


def count_decisions(filters: DecisionFilters, *, up_to: int = COUNTED) -> Counted:
    return Counted(*count_up_to(ways_of_decisions(filters), limit=up_to))


def count_events(filters: EventFilters, *, up_to: int = COUNTED) -> Counted:
    return Counted(*count_up_to(ways_of_events(filters), limit=up_to))


def get_call(call_id: uuid.UUID, *, owner_id: int | None) -> CallRecord:
    """The call, or NotFound when it is not there or not `owner_id`'s; None may see everyone's."""
    return _found(owned(CallRecord.objects.filter(pk=call_id), owner_id).first())


def get_decision(decision_id: uuid.UUID, *, owner_id: int | None) -> DecisionRecord:
    return _found(owned(DecisionRecord.objects.filter(pk=decision_id), owner_id).first())


def call_of_decision(decision: DecisionRecord) -> CallRecord | None:
    """The call a decision led to. It was written just after its decision, so the search stays near that id."""
    nearest = lowest_id(decision.at - timedelta(seconds=1))
    latest = lowest_id(decision.at + WRITTEN_WITHIN)
    return CallRecord.objects.filter(decision_id=decision.pk, pk__gte=nearest, pk__lte=latest).first()


def _newest[Row: Model](ways: list[Way[Row]], since: uuid.UUID, limit: int) -> Newest[Row]:
    rows, more = newest_above(ways, since, limit=limit)
    return Newest(rows, more)


def _found[Row: Model](row: Row | None) -> Row:
    if row is None:
        raise NotFound
    return row
