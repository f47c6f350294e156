"""One run: who began it and how, and its decisions and calls in the order in which they happened."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from connectors.access.models import User
from connectors.audit import queries
from connectors.audit.models import CallRecord, DecisionRecord
from connectors.audit.time_keys import moment_of
from connectors.console.logs.lines import CallLine, DecisionLine, word_calls, word_decisions
from connectors.console.logs.record_pages import whose_rows
from connectors.console.rendering.spelling import spell
from connectors.errors import NotFound
from connectors.gateway.models import Run

MOST = 200


@dataclass(frozen=True, slots=True)
class RunStep:
    """One decision and the call it led to; a call whose decision has gone stands alone."""

    at: datetime
    decision: DecisionLine | None
    call: CallLine | None

    @property
    def tool(self) -> str:
        line = self.call or self.decision
        return spell(line.record.tool) if line else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    run_id: uuid.UUID
    run: Run | None
    agent: str
    person: str
    origin: str
    steps: list[RunStep]
    more: bool
    mine: bool
    refused: int
    failed: int


def read_run(run_id: uuid.UUID, reader: User) -> RunPage:
    """Return the run. Raises NotFound where there is none, or none of the reader's."""
    owner_id = whose_rows(reader)
    runs = Run.objects.select_related("person", "agent")
    run = (runs if owner_id is None else runs.filter(person_id=owner_id)).filter(pk=run_id).first()
    whose = run.person_id if run else owner_id
    since = run.started_at if run else began_at(run_id)
    calls = queries.calls(queries.CallFilters(run_id=run_id, owner_id=whose, since=since), size=MOST)
    decisions = queries.decisions(queries.DecisionFilters(run_id=run_id, owner_id=whose, since=since), size=MOST)
    records: list[DecisionRecord | CallRecord] = [*decisions.rows, *calls.rows]
    subject = run or next(iter(records), None)
    if subject is None:
        raise NotFound
    steps = _weave(word_decisions(decisions.rows, reader), word_calls(calls.rows, reader))
    return RunPage(
        run_id=run_id,
        run=run,
        agent=subject.agent.name if isinstance(subject, Run) else subject.agent_name,
        person=subject.person.name if isinstance(subject, Run) else subject.person_name,
        origin=subject.origin,
        steps=steps,
        more=bool(calls.older or decisions.older),
        mine=subject.person_id == reader.pk,
        refused=sum(not row.allowed for row in decisions.rows),
        failed=sum(row.outcome != CallRecord.Outcome.SUCCEEDED for row in calls.rows),
    )


def began_at(run_id: uuid.UUID) -> datetime | None:
    """A run's id tells when it was made (UUIDv7, RFC 9562 §5.7), also when its row has gone."""
    return moment_of(run_id) if run_id.version == 7 else None  # noqa: PLR2004


def _weave(decisions: list[DecisionLine], calls: list[CallLine]) -> list[RunStep]:
    waiting = {line.record.decision_id: line for line in calls}
    steps = [RunStep(line.record.at, line, waiting.pop(line.record.pk, None)) for line in decisions]
    steps += [RunStep(line.record.started_at, None, line) for line in waiting.values()]
    return sorted(steps, key=lambda step: step.at)
