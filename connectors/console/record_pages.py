"""One call with its timeline, one decision with its reason, and what each leads to."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.access.models import User
from connectors.audit import queries
from connectors.audit.models import CallRecord, DecisionRecord
from connectors.authorization.models import Connection
from connectors.console.denials import Explanation, explain
from connectors.console.presentation import describe_keys
from connectors.console.rendering.moments import tell_absolute
from connectors.errors import NotFound
from connectors.gateway.models import Invocation, Run


@dataclass(frozen=True, slots=True)
class Moment:
    """One step of a call. `after_us` is how long it came after the step before, in microseconds."""

    name: str | Promise
    at: datetime
    detail: str | Promise = ""
    after_us: int | None = None

    @property
    def clock(self) -> str:
        """The reader's own time of day, to the millisecond."""
        return timezone.localtime(self.at).strftime("%H:%M:%S.%f")[:-3]

    @property
    def absolute(self) -> str:
        return tell_absolute(self.at)


@dataclass(frozen=True, slots=True)
class Stretch:
    """One part of the whole time, in thousandths; drawn as a bar."""

    start: int
    width: int


@dataclass(frozen=True, slots=True)
class CallPage:
    call: CallRecord
    decision: DecisionRecord | None
    explanation: Explanation | None
    timeline: list[Moment]
    stretches: list[Stretch]
    connection: Connection | None
    run: Run | None
    connector_name: str
    mine: bool


@dataclass(frozen=True, slots=True)
class DecisionPage:
    decision: DecisionRecord
    explanation: Explanation
    call: CallRecord | None
    connection: Connection | None
    run: Run | None
    connector_name: str
    mine: bool


def read_call(call_id: uuid.UUID, person: User) -> CallPage:
    call = queries.get_call(call_id, owner_id=whose_rows(person))
    decision = _decision_of(call)
    mine = call.person_id == person.pk
    timeline = _timeline(call, decision)
    return CallPage(
        call=call,
        decision=decision,
        explanation=explain(decision, mine=mine) if decision else None,
        timeline=timeline,
        stretches=_stretches(timeline),
        connection=_own_connection(call.connection_id, person),
        run=_run(call.run_id),
        connector_name=describe_keys([call.connector_key])[call.connector_key],
        mine=mine,
    )


def read_decision(decision_id: uuid.UUID, person: User) -> DecisionPage:
    decision = queries.get_decision(decision_id, owner_id=whose_rows(person))
    mine = decision.person_id == person.pk
    return DecisionPage(
        decision=decision,
        explanation=explain(decision, mine=mine),
        call=queries.call_of_decision(decision) if decision.allowed else None,
        connection=_own_connection(decision.connection_id, person),
        run=_run(decision.run_id),
        connector_name=describe_keys([decision.connector_key])[decision.connector_key],
        mine=mine,
    )


def whose_rows(person: User) -> int | None:
    """None for who may read everyone's, else the person's own."""
    return None if person.has_perm("connectors.view_audit") else person.pk


def _decision_of(call: CallRecord) -> DecisionRecord | None:
    try:
        return queries.get_decision(call.decision_id, owner_id=call.person_id)
    except NotFound:
        return None


def _own_connection(connection_id: uuid.UUID | None, person: User) -> Connection | None:
    return Connection.objects.filter(pk=connection_id, person=person).first() if connection_id else None


def _run(run_id: uuid.UUID | None) -> Run | None:
    return Run.objects.filter(pk=run_id).first() if run_id else None


def _timeline(call: CallRecord, decision: DecisionRecord | None) -> list[Moment]:
    """Received, decided, sent, answered.

    A call's clock may start just after its decision's, and it was received before both. A read has no row of its own
    before its end, so when it was sent follows from how long the server took.
    """
    received = min(call.started_at, decision.at) if decision else call.started_at
    sent = _sent_at(call) or (call.ended_at - timedelta(microseconds=call.upstream_us) if call.upstream_us else None)
    steps: list[tuple[str | Promise, datetime | None, str]] = [
        (_("Received"), received, call.remote_address),
        (_("Decided"), decision.at if decision else None, ""),
        (_("Sent"), sent, call.server_address),
        (_("Answered") if call.upstream_us else _("Ended"), call.ended_at, ""),
    ]
    known = sorted(((at, name, detail) for name, at, detail in steps if at), key=lambda step: step[0])
    moments, before = [], None
    for at, name, detail in known:
        moments.append(Moment(name, at, detail, (at - before) // timedelta(microseconds=1) if before else None))
        before = at
    return moments


def _stretches(timeline: list[Moment]) -> list[Stretch]:
    whole = (timeline[-1].at - timeline[0].at) / timedelta(microseconds=1) or 1
    marks = [round(1000 * ((moment.at - timeline[0].at) / timedelta(microseconds=1)) / whole) for moment in timeline]
    return [Stretch(start, end - start) for start, end in pairwise(marks)]


def _sent_at(call: CallRecord) -> datetime | None:
    if not call.invocation_id:
        return None
    invocations = Invocation.objects.filter(agent=call.agent_id, invocation_id=call.invocation_id)
    return invocations.values_list("sent_at", flat=True).first()
