"""From a name and arguments to a decided call: what it means, whether it may go out, and the row that says so."""

from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from uuid_utils.compat import uuid7

from connectors.access.queries import AuthenticatedAgent
from connectors.audit.database_lanes import in_database
from connectors.audit.models import DecisionRecord
from connectors.gateway.compilation import SnapshotTool
from connectors.gateway.naming import Address
from connectors.gateway.outcomes import JSON, refuse
from connectors.gateway.refusal import Refusal, explain_refusal
from connectors.gateway.runs import OpenRun, enter_run, may_use
from connectors.gateway.snapshot import Snapshot, take_snapshot_for
from connectors.policy.decision import Decision, Facts, decide

_TOLD: Final = frozenset(
    {
        "confirmation_required",
        "connection_ambiguous",
        "run_origin",
        "batch_refused",
        "connector_draining",
        "run_stopped",
    }
)
"""Denials an agent is told of: the tool is in its view, or the batch or the run is its own."""
_STOPPED: Final = Decision(allowed=False, rule="run_stopped")


@dataclass(frozen=True, slots=True)
class CallRequest:
    """What a client asked for, parsed at the edge."""

    name: str
    arguments: JSON
    invocation_id: UUID | None = None
    conversation: str = ""
    remote_address: str = ""
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class DecidedCall:
    """A call with its decision. `tool` is set when the name is in the agent's view."""

    agent: AuthenticatedAgent
    request: CallRequest
    decision: Decision
    record: DecisionRecord
    snapshot: Snapshot
    tool: SnapshotTool | None = None
    alternatives: tuple[str, ...] = ()

    @property
    def refusal(self) -> JSON | None:
        """What a denied call is answered: a tool error, or None where there must seem to be no such tool."""
        decision = self.decision
        if decision.rule == "tool_not_discovered" and decision.reason:
            code = "snapshot_stale" if decision.reason == "snapshot_stale" else "connector_unavailable"
            return refuse(code)
        if decision.rule not in _TOLD:
            return None
        code = "confirmation_required" if decision.rule == "run_origin" else decision.rule
        return refuse(code, f"Names: {', '.join(self.alternatives)}." if self.alternatives else "")

    def refused_with_its_batch(self) -> "DecidedCall":
        """The same call, denied because another of its batch was (gateway.md: the first refusal refuses all of it)."""
        decision = Decision(allowed=False, rule="batch_refused")
        self.record.allowed, self.record.rule, self.record.reason = False, decision.rule, ""
        return replace(self, decision=decision)


async def decide_call(agent: AuthenticatedAgent, request: CallRequest) -> DecidedCall:
    """Decide one call. Nothing is written yet: the decision is logged with its ending."""
    snapshot = await take_snapshot_for(agent, request.name)
    run = await enter_run(agent, conversation=request.conversation, connector_versions=snapshot.view.connector_versions)
    tool = snapshot.find(request.name)
    alternatives = tuple(snapshot.view.ambiguous.get(request.name, ()))
    if run.stopped:  # whatever was asked for: what follows is another run
        meaning = _meaning_of(tool, _STOPPED) if tool is not None else Refusal(_STOPPED, Address("", "", ""))
    elif tool is not None:
        meaning = _meaning_of(tool, await _decide_in(run, tool))
    elif alternatives:
        example = snapshot.view.tools[alternatives[0]]
        meaning = _meaning_of(example, decide(replace(example.facts, usable_accounts=len(alternatives))))
        meaning = replace(meaning, address=replace(meaning.address, connection_id=None, alias=""))
    else:
        meaning = await in_database(explain_refusal, agent.agent_id, agent.owner_id, request.name)
    record = _record(agent, request, run, meaning)
    record.tool_digest = tool.digest if tool is not None else ""
    return DecidedCall(agent, request, meaning.decision, record, snapshot, tool, alternatives)


async def _decide_in(run: OpenRun, tool: SnapshotTool) -> Decision:
    """Decide as it is in this run; what is allowed still needs the run to name the connector in this version."""
    decision = _decide_by_origin(run, tool.facts)
    if not decision.allowed:
        return decision
    use = await may_use(
        run,
        connector_id=tool.connector_id,
        connector_key=tool.address.connector_key,
        manifest_revision=tool.manifest_revision,
    )
    if use == "draining":
        return Decision(allowed=False, rule="connector_draining")
    return decision if use == "free" else Decision(allowed=False, rule="tool_not_discovered", reason="snapshot_stale")


def _decide_by_origin(run: OpenRun, facts: Facts) -> Decision:
    if run.origin == facts.origin:
        return decide(facts)
    return decide(replace(facts, origin=run.origin, unattended_confirmation=settings.UNATTENDED_CONFIRMATION))


def _meaning_of(tool: SnapshotTool, decision: Decision) -> Refusal:
    return Refusal(decision, tool.address, tool.package_version, tool.manifest_revision, tool.effect)


def _record(agent: AuthenticatedAgent, request: CallRequest, run: OpenRun, meaning: Refusal) -> DecisionRecord:
    address: Address = meaning.address
    return DecisionRecord(
        id=uuid7(),
        at=timezone.now(),
        allowed=meaning.decision.allowed,
        rule=meaning.decision.rule,
        reason=meaning.decision.reason[:64],
        manifest_revision=meaning.manifest_revision,
        **_subject(agent, request, run),
        connector_key=address.connector_key,
        package_version=meaning.package_version,
        connection_id=address.connection_id,
        alias=address.alias,
        server=address.server[:64],
        upstream_tool=address.tool[:255],
        effect=meaning.effect,
    )


def _subject(agent: AuthenticatedAgent, request: CallRequest, run: OpenRun) -> dict[str, Any]:
    return {
        "person_id": agent.owner_id,
        "person_name": agent.owner_name[:150],
        "agent_id": agent.agent_id,
        "agent_name": agent.agent_name,
        "run_id": run.id,
        "origin": run.origin,
        "remote_address": request.remote_address[:45],
        "tool": request.name[:255],
        "trace_id": request.trace_id[:64],
    }
