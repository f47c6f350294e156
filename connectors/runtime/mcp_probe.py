"""Test connection: the way to a server, stage by stage, each with its time and a code that says what to mend."""

import time
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit

from connectors.errors import ConnectorError
from connectors.runtime.deadline import Deadline
from connectors.runtime.mcp_eras import before_the_call, discover, forget
from connectors.runtime.mcp_exchange import FORBIDDEN, UNAUTHORIZED, Exchange, raise_for_refusal
from connectors.runtime.mcp_legacy_sse import open_conversation
from connectors.runtime.mcp_listing import list_as
from connectors.runtime.mcp_negotiation import judge
from connectors.runtime.upstream import ProbeReport, Stage, UpstreamServer

NETWORK = ("dns", "tcp", "tls", "http")
STAGES = (*NETWORK, "authorization", "handshake", "list_tools")


async def probe(server: UpstreamServer, *, deadline: Deadline) -> ProbeReport:
    """Go from the server's name to its list of tools and say how far that went; nothing learned before is used."""
    way = _Way(secure=urlsplit(server.url).scheme == "https")
    forget(server)
    try:
        tools = await before_the_call(lambda: _go(server, way, deadline))
    except ConnectorError as error:
        forget(server)
        way.fail(error)
        return ProbeReport(tuple(way.stages), way.reached, certificate_expires_at=way.certificate_expires_at)
    return ProbeReport(tuple(way.stages), reached=True, tools=tools, certificate_expires_at=way.certificate_expires_at)


async def _go(server: UpstreamServer, way: "_Way", deadline: Deadline) -> tuple[str, ...]:
    key = f"probe {time.monotonic_ns()}"
    if server.transport == "sse":
        first = None
        way.arrive(await _open_stream(server, deadline))
    else:
        first = await discover(server, deadline=deadline)
        way.arrive(first)
        if first.status in (UNAUTHORIZED, FORBIDDEN):
            raise_for_refusal(first, stage="authorization")
    spoken = await judge(server, first, session_key=key, deadline=deadline)
    way.passed("authorization", 0.0)
    way.passed("handshake")
    listed = await list_as(server, spoken, session_key=key, deadline=deadline)
    way.passed("list_tools")
    return tuple(tool["name"] for tool in listed.tools)


async def _open_stream(server: UpstreamServer, deadline: Deadline) -> Exchange:
    async with open_conversation(server, deadline=deadline) as conversation:
        opened: Exchange = conversation.opened
        return opened


@dataclass(slots=True)
class _Way:
    """The stages gone so far."""

    secure: bool
    stages: list[Stage] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)
    reached: bool = False
    certificate_expires_at: datetime | None = None

    def arrive(self, exchange: Exchange) -> None:
        """The server answered HTTP: the network's stages are behind us, each with its own time."""
        self.reached, self.certificate_expires_at = True, exchange.certificate_expires_at
        timings = exchange.timings
        times = (timings.dns, timings.connect, timings.tls, timings.first_byte)
        for name, seconds in zip(NETWORK, times, strict=True):
            self.passed(name, seconds or 0.0)
        self._lap()

    def passed(self, name: str, seconds: float | None = None) -> None:
        if name != "tls" or self.secure:
            spent = self._lap() if seconds is None else seconds
            self.stages.append(Stage(name, ok=True, seconds=round(spent, 4)))

    def fail(self, error: ConnectorError) -> None:
        """End at the stage the error names; every earlier one went well, or it could not have got there."""
        name = self._stage_of(error)
        spent = round(self._lap(), 4)
        known = {stage.name: stage for stage in self.stages}
        before = [part for part in STAGES[: STAGES.index(name)] if part != "tls" or self.secure]
        self.stages = [known.get(part) or Stage(part, ok=True, seconds=0.0) for part in before]
        self.stages.append(Stage(name, ok=False, seconds=spent, code=_code_of(error), detail=_describe(error)))
        self.reached = self.reached or STAGES.index(name) > STAGES.index("http") or "status" in error.parameters

    def _stage_of(self, error: ConnectorError) -> str:
        stage = error.parameters.get("stage")
        if stage == "address":
            return "dns"
        if error.parameters.get("reason") is not None and stage == "handshake" and not self.reached:
            return "http"  # it broke while the very first request was out
        if stage in STAGES:
            return str(stage)
        gone = {part.name for part in self.stages}
        return next(part for part in STAGES if part not in gone and (part != "tls" or self.secure))

    def _lap(self) -> float:
        now = time.monotonic()
        spent, self.since = now - self.since, now
        return spent


def _code_of(error: ConnectorError) -> str:
    """A broken connection is told by what broke it: timed_out, disconnected, …"""
    reason = error.parameters.get("reason")
    return str(reason) if error.code == "unavailable" and reason else error.code


def _describe(error: ConnectorError) -> str:
    told = error.parameters
    if told.get("status"):
        return f"HTTP {told['status']}"
    return str(told.get("content_type") or told.get("host") or told.get("reason") or "")[:200]
