"""What narrows a log, and the rows that are left; an empty field narrows nothing."""

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import BooleanField, Model, Q, QuerySet
from django.db.models.expressions import RawSQL

from connectors.audit.models import AdminEvent, CallRecord, DecisionRecord, Subject
from connectors.audit.time_keys import WRITTEN_WITHIN, lowest_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A half-open stretch of time; an empty end is open."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectFilters(Period):
    """What narrows decisions or calls. `owner_id` is whose rows may be seen; names match whatever their case.

    `tool` is a part of a tool's name, as the agent or as the connector has it. `text` is a part of a tool's, a
    connector's or a person's name, or of an error code (of a decision: its rule or reason).
    """

    owner_id: int | None = None
    person_ids: tuple[int, ...] | None = None
    agent_name: str = ""
    agent_id: uuid.UUID | None = None
    connection_id: uuid.UUID | None = None
    run_id: uuid.UUID | None = None
    approval_id: uuid.UUID | None = None
    connector_key: str = ""
    package_version: str = ""
    alias: str = ""
    server: str = ""
    tool: str = ""
    effect: str = ""
    origin: str = ""
    remote_address: str = ""
    trace_id: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFilters(SubjectFilters):
    outcome: str = ""
    error_code: str = ""
    server_address: str = ""
    slower_than_us: int | None = None
    retries: int | None = None  # that many or more
    credential_fingerprint: str = ""
    arguments_digest: str = ""
    result_digest: str = ""
    captured: bool | None = None
    decision_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionFilters(SubjectFilters):
    allowed: bool | None = None
    rule: str = ""
    reason: str = ""
    manifest_revision: str = ""
    tool_digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilters(Period):
    """`target` is a part of a target's name, or its id; `text` a part of the actor's name, the act or the target.

    `changed` is a part of what was written down of before or after, names of fields included.
    """

    actor_name: str = ""
    act: str = ""
    target: str = ""
    target_kind: str = ""
    target_id: str = ""
    remote_address: str = ""
    changed: str = ""
    text: str = ""


# How a field narrows, where it is not by its own column being equal.
_LOOKUPS: dict[str, str] = {
    "owner_id": "person_id",
    "person_ids": "person_id__in",
    "agent_name": "agent_name__iexact",
    "alias": "alias__iexact",
    "server": "server__iexact",
    "server_address": "server_address__iexact",
    "slower_than_us": "elapsed_us__gt",
    "retries": "retries__gte",
    "actor_name": "actor_name__icontains",
}
# Fields of several columns: any of these may match.
_SEVERAL: dict[str, tuple[str, ...]] = {
    "tool": ("tool__icontains", "upstream_tool__icontains"),
    "target": ("target_name__icontains", "target_id"),
}
_NAMES = ("tool__icontains", "upstream_tool__icontains", "connector_key__icontains", "person_name__icontains")
_CALL_TEXT = (*_NAMES, "error_code__icontains")
_DECISION_TEXT = (*_NAMES, "rule__icontains", "reason__icontains")
_CHANGED = ("before__icontains", "after__icontains")
_EVENT_TEXT = ("actor_name__icontains", "act__icontains", "target_name__icontains", "target_id")


# What the partial indexes leave out. Said in the query as in the index, because SQLite does not reason about it.
_INDEXED_ONLY = {
    "trace_id": "NOT (trace_id = '')",
    "error_code": "NOT (error_code = '')",
    "outcome": "NOT (outcome = 'succeeded')",
}


def equal_to(column: str, value: object) -> Q:
    """Return that a column has a value, so that its partial index is found."""
    condition = Q((column, value))
    if column in _INDEXED_ONLY and value != CallRecord.Outcome.SUCCEEDED:
        condition &= Q(RawSQL(_INDEXED_ONLY[column], (), output_field=BooleanField()))  # noqa: S611 - a constant of ours
    return condition


def filtered_calls(filters: CallFilters) -> QuerySet[CallRecord]:
    """Return the calls that are left, in no order."""
    return _within(CallRecord.objects.order_by().filter(_condition(filters, _CALL_TEXT)), filters, "started_at")


def filtered_decisions(filters: DecisionFilters) -> QuerySet[DecisionRecord]:
    return _within(DecisionRecord.objects.order_by().filter(_condition(filters, _DECISION_TEXT)), filters, "at")


def filtered_events(filters: EventFilters) -> QuerySet[AdminEvent]:
    return _within(AdminEvent.objects.order_by().filter(_condition(filters, _EVENT_TEXT)), filters, "at")


def set_fields(filters: Period) -> dict[str, Any]:
    """Return the fields that narrow, with their values."""
    values = {field.name: getattr(filters, field.name) for field in fields(filters)}
    return {name: value for name, value in values.items() if value is not None and value != ""}


def any_of(lookups: tuple[str, ...], value: object) -> Q:
    """Return that one of the lookups finds the value, those that begin with i- whatever its case.

    SQLite knows upper and lower case of ASCII alone, so there other letters are looked for as they are usually written.
    """
    condition = Q()
    for lookup in lookups:
        for spelled in _spellings(lookup, value):
            condition |= Q((lookup, spelled))
    return condition


def _spellings(lookup: str, value: object) -> Iterable[object]:
    if connection.vendor != "sqlite" or not isinstance(value, str) or value.isascii() or "__i" not in lookup:
        return (value,)
    return dict.fromkeys((value, value.lower(), value.upper(), value.capitalize(), value.title()))


def _condition(filters: Period, text: tuple[str, ...]) -> Q:
    condition = Q()
    for name, value in set_fields(filters).items():
        if name in ("since", "until"):
            continue
        if name == "changed":
            condition &= _has_changed(value)
            continue
        several = text if name == "text" else _SEVERAL.get(name)
        condition &= any_of(several, value) if several else _is(name, value)
    return condition


def _is(name: str, value: object) -> Q:
    return any_of((_LOOKUPS[name],), value) if name in _LOOKUPS else equal_to(name, value)


def _has_changed(part: str) -> Q:
    """JSON is looked at as the text it is kept as: PostgreSQL has letters there, SQLite what escapes them."""
    escaped = json.dumps(part)[1:-1]
    return any_of(_CHANGED, part) | any_of(_CHANGED, escaped)


def _within[Row: Model](rows: QuerySet[Row], period: Period, field: str) -> QuerySet[Row]:
    """A range of time is a range of ids, save for how long before its id a row's time may be."""
    if period.since:
        rows = rows.filter(**{f"{field}__gte": period.since}, pk__gte=lowest_id(period.since))
    if period.until:
        rows = rows.filter(**{f"{field}__lt": period.until}, pk__lt=lowest_id(period.until + WRITTEN_WITHIN))
    return rows


def owned[Row: Subject](rows: QuerySet[Row], owner_id: int | None) -> QuerySet[Row]:
    return rows if owner_id is None else rows.filter(person_id=owner_id)
