"""One record's own page: what happened in plain words, every field of it, and what it belongs to and led to."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from connectors.access.models import User
from connectors.audit import queries
from connectors.audit.capture import content_state
from connectors.audit.models import AdminEvent, CallRecord, DecisionRecord
from connectors.console.acts import EventLine, describe_event
from connectors.console.denials import Explanation
from connectors.console.logs.captured import Opened, open_captured
from connectors.console.logs.event_fields import show_changes
from connectors.console.logs.kinds import ALL_CALLS, ALL_DECISIONS, ALL_EVENTS, MY_CALLS, MY_DECISIONS, Log
from connectors.console.logs.lines import CallLine, DecisionLine, Line, Text, word_calls, word_decisions
from connectors.console.logs.related import Related, tell_call, tell_decision, tell_surroundings
from connectors.console.logs.subject_fields import GROUPS
from connectors.console.logs.timeline import Step, trace_steps
from connectors.console.permissions import VIEW_AUDIT
from connectors.console.rendering.spelling import spell
from connectors.errors import NotFound

_ASIDE = ("who", "ids")


@dataclass(frozen=True, slots=True)
class Group:
    title: Text
    facts: list[tuple[Text, Text]]
    aside: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPage:
    """`log` is where the record belongs for this reader; a kind fills what it has."""

    log: Log
    line: Line
    title: str
    groups: list[Group]
    related: list[Related] = field(default_factory=list)
    explanation: Explanation | None = None
    steps: Sequence[Step] = ()
    changes: Text = ""
    content: str = ""  # of a call whose content was captured: kept or expired
    opened: Opened | None = None

    @property
    def record(self) -> Any:
        return self.line.record

    @property
    def main(self) -> list[Group]:
        return [group for group in self.groups if not group.aside]

    @property
    def aside(self) -> list[Group]:
        return [group for group in self.groups if group.aside]


def read_call(call_id: uuid.UUID, reader: User) -> RecordPage:
    call = queries.get_call(call_id, owner_id=whose_rows(reader))
    decision = _decision_of(call)
    line: CallLine = word_calls([call], reader)[0]
    explanation = word_decisions([decision], reader)[0].explanation if decision else None
    log = MY_CALLS if line.mine else ALL_CALLS
    state = content_state(call)
    return RecordPage(
        log=log,
        line=line,
        title=spell(call.tool),
        groups=_group(log, line),
        related=[tell_decision(decision, explanation.title if explanation else ""), *tell_surroundings(call, reader)],
        explanation=explanation,
        steps=trace_steps(call, decision),
        content="" if state == "none" else state,
    )


def open_call(call_id: uuid.UUID, reader: User) -> RecordPage:
    """Return a call's page with what was kept of it, and record that it was read."""
    page = read_call(call_id, reader)
    return replace(page, opened=open_captured(page.record, reader))


def read_decision(decision_id: uuid.UUID, reader: User) -> RecordPage:
    decision = queries.get_decision(decision_id, owner_id=whose_rows(reader))
    line: DecisionLine = word_decisions([decision], reader)[0]
    log = MY_DECISIONS if line.mine else ALL_DECISIONS
    call = queries.call_of_decision(decision) if decision.allowed else None
    return RecordPage(
        log=log,
        line=line,
        title=spell(decision.tool),
        groups=_group(log, line),
        related=[tell_call(call, decision), *tell_surroundings(decision, reader)],
        explanation=line.explanation,
    )


def read_event(event_id: uuid.UUID) -> RecordPage:
    """Return an administrative event's page; who may read them has been seen to."""
    event = AdminEvent.objects.filter(pk=event_id).first()
    if event is None:
        raise NotFound
    line: EventLine = describe_event(event)
    return RecordPage(
        log=ALL_EVENTS,
        line=line,
        title=str(line.act),
        groups=_group(ALL_EVENTS, line),
        changes=show_changes(line, whole=True),
    )


def whose_rows(person: User) -> int | None:
    """None for who may read everyone's, else the person's own."""
    return None if person.has_perm(VIEW_AUDIT) else person.pk


def _decision_of(call: CallRecord) -> DecisionRecord | None:
    try:
        return queries.get_decision(call.decision_id, owner_id=call.person_id)
    except NotFound:
        return None


def _group(log: Log, line: Line) -> list[Group]:
    """Every field of the record by what it tells, in the order of the words for it."""
    facts: dict[str, list[tuple[Text, Text]]] = {}
    for one in log.fields:
        if one.group:
            facts.setdefault(one.group, []).append((one.title, one.show(line)))
    return [Group(words, facts[key], key in _ASIDE) for key, words in GROUPS.items() if key in facts]
