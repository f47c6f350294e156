"""Reads of the logs: filtered, newest first, paged by key. Nothing here counts rows or skips over them."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypedDict

from django.db.models import Model, Q, QuerySet

from connectors.audit.models import AdminEvent, CallRecord, DecisionRecord, Subject
from connectors.errors import NotFound

PAGE_SIZE = 50
# A row's id is made when the row is written, which is at most this long after what it tells of (a call's whole
# budget and the wait for an approval). It lets a time range be found through the primary key.
WRITTEN_WITHIN = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A half-open stretch of time; an empty end is open."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectFilters(Period):
    """What narrows decisions or calls; an empty field narrows nothing, `owner_id` is whose rows may be seen."""

    owner_id: int | None = None
    person_ids: tuple[int, ...] | None = None
    agent_name: str = ""
    agent_id: uuid.UUID | None = None
    connection_id: uuid.UUID | None = None
    run_id: uuid.UUID | None = None
    connector_key: str = ""
    tool: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFilters(SubjectFilters):
    outcome: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionFilters(SubjectFilters):
    allowed: bool | None = None
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilters(Period):
    actor_name: str = ""
    act: str = ""
    target: str = ""


class Keys(TypedDict):
    """Where a page begins: below `after`, or above `before`; neither is the newest page."""

    after: uuid.UUID | None
    before: uuid.UUID | None


@dataclass(frozen=True, slots=True)
class Page[Row: Model]:
    """Some rows, newest first, and the ids to go on from: `newer` for `before=`, `older` for `after=`."""

    rows: tuple[Row, ...]
    newer: uuid.UUID | None
    older: uuid.UUID | None


def calls(
    filters: CallFilters, *, after: uuid.UUID | None = None, before: uuid.UUID | None = None, size: int = PAGE_SIZE
) -> Page[CallRecord]:
    rows = _of_subject(CallRecord.objects.all(), filters)
    if filters.outcome:
        rows = rows.filter(outcome=filters.outcome)
    return _page(_within(rows, filters, "started_at"), after=after, before=before, size=size)


def decisions(
    filters: DecisionFilters, *, after: uuid.UUID | None = None, before: uuid.UUID | None = None, size: int = PAGE_SIZE
) -> Page[DecisionRecord]:
    rows = _of_subject(DecisionRecord.objects.all(), filters)
    if filters.allowed is not None:
        rows = rows.filter(allowed=filters.allowed)
    if filters.rule:
        rows = rows.filter(rule=filters.rule)
    return _page(_within(rows, filters, "at"), after=after, before=before, size=size)


def events(
    filters: EventFilters, *, after: uuid.UUID | None = None, before: uuid.UUID | None = None, size: int = PAGE_SIZE
) -> Page[AdminEvent]:
    rows = AdminEvent.objects.all()
    if filters.actor_name:
        rows = rows.filter(actor_name__icontains=filters.actor_name)
    if filters.act:
        rows = rows.filter(act=filters.act)
    if filters.target:
        rows = rows.filter(Q(target_name__icontains=filters.target) | Q(target_id=filters.target))
    return _page(_within(rows, filters, "at"), after=after, before=before, size=size)


def get_call(call_id: uuid.UUID, *, owner_id: int | None) -> CallRecord:
    """The call, or NotFound when it is not there or not `owner_id`'s; None may see everyone's."""
    return _owned(CallRecord.objects.filter(pk=call_id), owner_id)


def get_decision(decision_id: uuid.UUID, *, owner_id: int | None) -> DecisionRecord:
    return _owned(DecisionRecord.objects.filter(pk=decision_id), owner_id)


def call_of_decision(decision: DecisionRecord) -> CallRecord | None:
    """The call a decision led to. It was written just after its decision, so the search stays near that id."""
    nearest = _bound(decision.at - timedelta(seconds=1))
    latest = _bound(decision.at + WRITTEN_WITHIN)
    return CallRecord.objects.filter(decision_id=decision.pk, pk__gte=nearest, pk__lte=latest).first()


def _owned[Row: Subject](rows: QuerySet[Row], owner_id: int | None) -> Row:
    row = rows.first() if owner_id is None else rows.filter(person_id=owner_id).first()
    if row is None:
        raise NotFound
    return row


def _of_subject[Row: Subject](rows: QuerySet[Row], filters: SubjectFilters) -> QuerySet[Row]:
    exact: dict[str, Any] = {
        "person_id": filters.owner_id,
        "agent_id": filters.agent_id,
        "connection_id": filters.connection_id,
        "run_id": filters.run_id,
        "connector_key": filters.connector_key,
        "agent_name__iexact": filters.agent_name,
        "tool__icontains": filters.tool,
    }
    rows = rows.filter(**{field: value for field, value in exact.items() if value not in (None, "")})
    return rows if filters.person_ids is None else rows.filter(person_id__in=filters.person_ids)


def _within[Row: Model](rows: QuerySet[Row], period: Period, field: str) -> QuerySet[Row]:
    if period.since:
        rows = rows.filter(**{f"{field}__gte": period.since}, pk__gte=_bound(period.since))
    if period.until:
        rows = rows.filter(**{f"{field}__lt": period.until}, pk__lt=_bound(period.until + WRITTEN_WITHIN))
    return rows


def _page[Row: Model](
    rows: QuerySet[Row], *, after: uuid.UUID | None, before: uuid.UUID | None, size: int
) -> Page[Row]:
    """One row more than a page tells whether there is another page, without a count."""
    if before:
        found = list(rows.filter(pk__gt=before).order_by("pk")[: size + 1])
        more, found = len(found) > size, found[:size][::-1]
        return Page(tuple(found), found[0].pk if more else None, found[-1].pk if found else None)
    if after:
        rows = rows.filter(pk__lt=after)
    found = list(rows.order_by("-pk")[: size + 1])
    more, found = len(found) > size, found[:size]
    return Page(tuple(found), found[0].pk if after and found else None, found[-1].pk if more else None)


def _bound(moment: datetime) -> uuid.UUID:
    """The lowest UUIDv7 of that millisecond (RFC 9562 §5.7): its first 48 bits are Unix time."""
    milliseconds = max(0, int(moment.astimezone(UTC).timestamp() * 1000))
    return uuid.UUID(int=milliseconds << 80)
