"""One decided call, from the claim to its logged answer.

    claim, unless it is a read → call upstream → log → answer

One deadline runs through all of it, and the answer leaves after the log has committed. A cancelled call is logged too.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final
from uuid import UUID, uuid4

import orjson
from django.db import IntegrityError
from uuid_utils.compat import uuid7

from connectors.audit.call_log import Used, record_call, subject_of
from connectors.audit.capture import seal_content
from connectors.audit.database_lanes import in_database
from connectors.audit.models import CallRecord, CapturedContent, DecisionRecord
from connectors.errors import ConnectorError, Refused
from connectors.gateway.binding import Binding
from connectors.gateway.calls import DecidedCall
from connectors.gateway.claims import Claim, find_recorded
from connectors.gateway.compilation import SnapshotTool
from connectors.gateway.course import Course
from connectors.gateway.outcomes import Outcome, cancel, fail, succeed
from connectors.gateway.programs import call_program
from connectors.gateway.reachability import learn_from_answer, learn_from_failure
from connectors.gateway.renewal import renew_if_expired, send_renewing
from connectors.runtime.deadline import Deadline
from connectors.runtime.mcp_client import UpstreamResult, address_of, call_tool
from connectors.vault.fingerprint import keyed_digest

BUDGET_SECONDS: Final = 100.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back: the JSON of a tool result, or None where there must seem to be no such tool."""

    body: bytes | None


async def run_call(call: DecidedCall) -> Answer:
    """Make an allowed call and log it, or log the denial; return what the client is told.

    Raises DatabaseError when the log could not be written: the caller must not answer with a result then.
    """
    tool = call.tool
    if tool is None or not call.decision.allowed:
        await record_call(call.record, used=(("AgentToken", call.agent.token_id),))
        refusal = call.refusal
        return Answer(None if refusal is None else orjson.dumps(refusal))
    arguments = orjson.dumps(call.request.arguments, option=orjson.OPT_SORT_KEYS)
    invocation = _Invocation(call, tool, arguments, keyed_digest(arguments))
    if tool.is_read:
        return await invocation.run_read()
    return await invocation.run_claimed()


@dataclass(slots=True)
class _Invocation:
    call: DecidedCall
    tool: SnapshotTool
    arguments: bytes
    arguments_digest: str
    course: Course = field(default_factory=Course)
    deadline: Deadline = field(default_factory=lambda: Deadline.after(BUDGET_SECONDS))
    invocation_id: UUID | None = None
    binding: Binding | None = None
    sent: bool = False

    async def run_read(self) -> Answer:
        try:
            with self.course.metered():
                outcome = await self._call_upstream()
        except asyncio.CancelledError:
            await asyncio.shield(self._log(cancel(sent=self.sent, is_read=True), self.call.record))
            raise
        return await self._log(outcome, self.call.record)

    async def run_claimed(self) -> Answer:
        """Claimed and sent are committed before the request goes out, the ending with its log row."""
        claim = self._claim()
        asked = self.call.request.invocation_id is not None
        recorded = await in_database(find_recorded, claim) if asked else None
        if recorded is None:
            try:
                await record_call(self.call.record, used=self._used(), also=claim.insert)
            except IntegrityError:  # the same invocation id, at the same moment
                recorded = await in_database(find_recorded, claim)
                if recorded is None:  # refused for another reason: a call without its rows is not made
                    raise
        if recorded is not None:
            self.call.record.reason = "recorded"
            await record_call(self.call.record, used=self._used())
            return Answer(orjson.dumps(recorded.result))
        try:
            with self.course.metered():
                outcome = await self._call_upstream(claim)
        except asyncio.CancelledError:
            outcome = cancel(sent=self.sent, is_read=False)
            await asyncio.shield(self._end(claim, outcome, keep_result=asked))
            raise
        return await self._end(claim, outcome, keep_result=asked)

    async def _call_upstream(self, claim: Claim | None = None) -> Outcome:
        try:
            binding = self._of_this_version(await self.call.snapshot.binding_of(self.tool.connection_id))
            self.binding = await renew_if_expired(binding, self._reopen, deadline=self.deadline)
            if claim is not None:
                await record_call(None, also=claim.mark_sent)
            self.sent = True
            with self.course.sending():
                upstream = await send_renewing(
                    self.binding, self._send, self._reopen, may_repeat=self.tool.may_repeat, deadline=self.deadline
                )
        except ConnectorError as error:
            await learn_from_failure(self.binding if self.sent else None, error, noted=self._is_noted)
            return fail(error, is_read=self.tool.may_repeat)
        await learn_from_answer(self.tool.connection_id, noted=self._is_noted)
        return succeed(upstream.raw)

    @property
    def _is_noted(self) -> bool:
        return self.tool.facts.connection_state == "unreachable"

    async def _reopen(self, connection_id: UUID) -> Binding:
        self.binding = self._of_this_version(await self.call.snapshot.reopen_binding(connection_id))
        return self.binding

    def _of_this_version(self, binding: Binding) -> Binding:
        """A call goes to the package version it was decided under, or nowhere: its run may have been stopped since."""
        if binding.manifest_revision != self.tool.manifest_revision:
            raise Refused("snapshot_stale")
        return binding

    async def _send(self, binding: Binding) -> UpstreamResult:
        address, arguments = self.tool.address, self.call.request.arguments
        if binding.program is not None:
            return await call_program(
                binding.program,
                address.tool,
                arguments,
                invocation_id=self.invocation_id or self.call.request.invocation_id,
                is_read=self.tool.is_read,
                deadline=self.deadline,
            )
        return await call_tool(
            binding.servers[address.server],
            address.tool,
            arguments,
            session_key=binding.session_key(address.server),
            deadline=self.deadline,
            may_repeat=self.tool.may_repeat,
            parameter_headers=self.tool.parameter_headers,
        )

    async def _end(self, claim: Claim, outcome: Outcome, *, keep_result: bool) -> Answer:
        return await self._log(outcome, also=lambda: claim.end(outcome, keep_result=keep_result))

    async def _log(
        self, outcome: Outcome, decision: DecisionRecord | None = None, also: Callable[[], None] | None = None
    ) -> Answer:
        """Write the ending (a read's decision with it) and hand back what may be answered now."""
        outcome.result.pop("resultType", None)
        body = orjson.dumps(outcome.result)
        record = self._record(outcome, body)
        content = await self._capture(record, body) if self.tool.capture_days else None
        await record_call(decision, record, used=self._used(), also=also, content=content)
        return Answer(body)

    async def _capture(self, record: CallRecord, body: bytes) -> CapturedContent:
        """Keep what was said and answered, for an administrator asked for it; sealing is no work for this loop."""
        record.captured = True
        return await in_database(
            partial(
                seal_content,
                call_id=record.id,
                connector_key=record.connector_key,
                days=self.tool.capture_days,
                arguments=self.arguments,
                result=body,
                secrets=self.binding.secrets() if self.binding else (),
            )
        )

    def _claim(self) -> Claim:
        self.invocation_id = self.call.request.invocation_id or uuid4()
        return Claim(
            id=self.call.record.id,
            agent_id=self.call.agent.agent_id,
            invocation_id=self.invocation_id,
            connection_id=self.tool.connection_id,
            tool=self.tool.name,
            arguments=self.arguments,
            arguments_digest=self.arguments_digest,
        )

    def _used(self) -> tuple[Used, ...]:
        return (
            ("AgentToken", self.call.agent.token_id),
            ("Connection", self.tool.connection_id),
            ("Connector", self.tool.connector_id),
        )

    def _record(self, outcome: Outcome, body: bytes) -> CallRecord:
        binding = self.binding
        server = binding.servers.get(self.tool.address.server) if binding else None
        return CallRecord(
            id=uuid7(),
            **subject_of(self.call.record),
            decision_id=self.call.record.id,
            invocation_id=self.invocation_id,
            **self.course.told(),
            server_address=address_of(server.url)[:255] if server else "",
            arguments_bytes=len(self.arguments),
            arguments_digest=self.arguments_digest,
            result_bytes=len(body),
            result_digest=keyed_digest(body),
            outcome=outcome.state,
            error_code=outcome.code,
            credential_fingerprint=binding.credential_fingerprint if binding else "",
        )
