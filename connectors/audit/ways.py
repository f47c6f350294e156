"""Which index a filtered log is walked by: the one that leaves the fewest rows to look at.

There are few indexes on purpose (docs/decisions: the logs' indexes): each costs every call. What has none of its own is
found among the rows of the nearest way, or through names the rollups know.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Model, QuerySet

from connectors.audit.filters import (
    CallFilters,
    DecisionFilters,
    EventFilters,
    Period,
    SubjectFilters,
    equal_to,
    filtered_calls,
    filtered_decisions,
    filtered_events,
    set_fields,
)
from connectors.audit.known_names import find_names, people_of
from connectors.audit.late_calls import read_mark
from connectors.audit.models import AdminEvent, CallRecord, DecisionRecord, Subject
from connectors.audit.scanning import Way
from connectors.audit.time_keys import WRITTEN_WITHIN, lowest_id, moment_of
from connectors.audit.usage_models import LateCall

MOST_WAYS: Final = 12
_NEARLY_UNIQUE = ("trace_id", "approval_id", "run_id")


def ways_of_calls(filters: CallFilters) -> list[Way[CallRecord]]:
    rows, everything = filtered_calls(filters), _of_time(CallRecord.objects.order_by(), filters)
    if filters.decision_id:
        return [Way(_after_decision(everything, filters.decision_id), rows)]
    return (
        _subject_ways(everything, rows, filters)
        or _named_ways(everything, filters)
        or [_way(everything, rows, filters, **_indexed(filters))]
    )


def ways_of_decisions(filters: DecisionFilters) -> list[Way[DecisionRecord]]:
    rows, everything = filtered_decisions(filters), _of_time(DecisionRecord.objects.order_by(), filters)
    if ways := _subject_ways(everything, rows, filters):
        return ways
    if filters.connector_key:
        return [_way(everything, rows, filters, connector_key=filters.connector_key)]
    if filters.allowed is False:
        return [_way(everything, rows, filters, allowed=False)]
    return [_way(everything, rows, filters)]


def _indexed(filters: CallFilters) -> dict[str, str]:
    if filters.connector_key:
        return {"connector_key": filters.connector_key}
    if filters.error_code:
        return {"error_code": filters.error_code}
    rare = filters.outcome not in ("", CallRecord.Outcome.SUCCEEDED)
    return {"outcome": filters.outcome} if rare else {}


def ways_of_events(filters: EventFilters) -> list[Way[AdminEvent]]:
    return [_way(_of_time(AdminEvent.objects.order_by(), filters), filtered_events(filters), filters)]


def _subject_ways[Row: Subject](
    everything: QuerySet[Row], rows: QuerySet[Row], filters: SubjectFilters
) -> list[Way[Row]]:
    """By what is nearly unique, else by the people whose rows they are."""
    for field in _NEARLY_UNIQUE:
        if value := getattr(filters, field):
            return [_way(everything, rows, filters, **{field: value})]
    if filters.owner_id is not None:
        return [_way(everything, rows, filters, owner_id=filters.owner_id)]
    if filters.person_ids is not None and len(filters.person_ids) <= MOST_WAYS:
        return [_of_person(everything, rows, filters, person) for person in filters.person_ids] or _nothing(rows)
    people = people_of(filters.connection_id, filters.agent_id)
    return [Way(everything.filter(person_id=person), rows.filter(person_id=person)) for person in people]


def _nothing[Row: Subject](rows: QuerySet[Row]) -> list[Way[Row]]:
    none = rows.none()
    return [Way(none, none)]


def _of_person[Row: Subject](
    everything: QuerySet[Row], rows: QuerySet[Row], filters: SubjectFilters, person: int
) -> Way[Row]:
    theirs = rows.filter(person_id=person)
    alone = set_fields(filters).keys() <= {"person_ids", "since"}
    return Way(theirs if alone else everything.filter(person_id=person), theirs)


def _way[Row: Model](everything: QuerySet[Row], rows: QuerySet[Row], filters: Period, **indexed: object) -> Way[Row]:
    """Walk the rows that one column says; straight, when no other filter leaves any of them out."""
    if set_fields(filters).keys() <= {*indexed, "since"}:
        return Way(rows, rows)
    conditions = [equal_to("person_id" if name == "owner_id" else name, value) for name, value in indexed.items()]
    return Way(everything.filter(*conditions), rows)


def _named_ways(everything: QuerySet[CallRecord], filters: CallFilters) -> list[Way[CallRecord]]:
    """Turn a part of a name into the names there are, each with its index; none when that are too many to be rare.

    Calls that are not counted yet may have names nobody knows yet, so those are looked at themselves, late ones too.
    """
    if not (filters.text or filters.tool):
        return []
    named = find_names(text=filters.text, tool=filters.tool, connector_key=filters.connector_key, limit=MOST_WAYS)
    if named is None:
        return []
    rest = filtered_calls(replace(filters, text=""))
    unheard: tuple[dict[str, Any], ...] = (
        {"pk__gte": read_mark().counted_to},
        {"pk__in": LateCall.objects.values("call_id")},
    )
    ways = [Way(everything.filter(**these), filtered_calls(filters).filter(**these)) for these in unheard]
    ways += _ways_by(everything, rest, "person_id", named.people)
    ways += _ways_by(everything, rest, "error_code", named.codes)
    ways += _ways_by(everything, rest, "connector_key", named.connectors)
    for key, tools in named.tools.items():
        ways.append(Way(everything.filter(connector_key=key), rest.filter(connector_key=key, tool__in=tools)))
    return ways


def _ways_by(
    everything: QuerySet[CallRecord], rest: QuerySet[CallRecord], column: str, values: Iterable[object]
) -> list[Way[CallRecord]]:
    return [Way(everything.filter(equal_to(column, value)), rest.filter(equal_to(column, value))) for value in values]


def _after_decision(everything: QuerySet[CallRecord], decision_id: UUID) -> QuerySet[CallRecord]:
    """A call's id is made after its decision's and not long after."""
    decided = moment_of(decision_id)
    return everything.filter(
        pk__gte=lowest_id(decided - timedelta(seconds=1)), pk__lt=lowest_id(decided + WRITTEN_WITHIN)
    )


def _of_time[Row: Model](rows: QuerySet[Row], period: Period) -> QuerySet[Row]:
    """Return the rows whose ids may be of that time: what an index alone can tell."""
    if period.since:
        rows = rows.filter(pk__gte=lowest_id(period.since))
    if period.until:
        rows = rows.filter(pk__lt=lowest_id(period.until + WRITTEN_WITHIN))
    return rows
