"""What the log pages list: the rows that the filters leave, with the words around each."""

import uuid
from dataclasses import dataclass

from django.http import QueryDict

from connectors.access.models import User
from connectors.audit import queries
from connectors.audit.models import CallRecord, DecisionRecord
from connectors.console.acts import EventLine, describe_event
from connectors.console.denials import Explanation, explain
from connectors.console.forms.record_filters import (
    CallFilterForm,
    DecisionFilterForm,
    EventFilterForm,
    LogFilterForm,
    read_page_key,
)
from connectors.console.presentation import describe_keys

AFTER, BEFORE = "after", "before"


@dataclass(frozen=True, slots=True)
class CallLine:
    record: CallRecord
    connector: str


@dataclass(frozen=True, slots=True)
class DecisionLine:
    record: DecisionRecord
    connector: str
    explanation: Explanation


@dataclass(frozen=True, slots=True)
class LogPage[Line: (CallLine, DecisionLine, EventLine)]:
    """`everyone` says whether other people's rows are in it, so that the page names whose each row is."""

    form: LogFilterForm
    lines: list[Line]
    newer: uuid.UUID | None
    older: uuid.UUID | None
    everyone: bool


def list_calls(query: QueryDict, *, owner: User | None) -> LogPage[CallLine]:
    form = CallFilterForm(query, everyone=owner is None)
    form.is_valid()
    found = queries.calls(form.filters(owner.pk if owner else None), **_keys(query))
    return LogPage(form, word_calls(found.rows), found.newer, found.older, everyone=owner is None)


def list_decisions(query: QueryDict, *, reader: User, everyone: bool) -> LogPage[DecisionLine]:
    form = DecisionFilterForm(query, everyone=everyone)
    form.is_valid()
    found = queries.decisions(form.filters(None if everyone else reader.pk), **_keys(query))
    return LogPage(form, word_decisions(found.rows, reader), found.newer, found.older, everyone=everyone)


def list_events(query: QueryDict) -> LogPage[EventLine]:
    form = EventFilterForm(query)
    form.is_valid()
    found = queries.events(form.filters(), **_keys(query))
    return LogPage(form, [describe_event(event) for event in found.rows], found.newer, found.older, everyone=True)


def word_calls(rows: tuple[CallRecord, ...]) -> list[CallLine]:
    names = describe_keys(row.connector_key for row in rows)
    return [CallLine(row, names[row.connector_key]) for row in rows]


def word_decisions(rows: tuple[DecisionRecord, ...], reader: User) -> list[DecisionLine]:
    names = describe_keys(row.connector_key for row in rows)
    return [DecisionLine(row, names[row.connector_key], explain(row, mine=row.person_id == reader.pk)) for row in rows]


def _keys(query: QueryDict) -> queries.Keys:
    return queries.Keys(after=read_page_key(query.get(AFTER, "")), before=read_page_key(query.get(BEFORE, "")))
