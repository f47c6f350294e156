"""The upstream MCP client: lists and calls the tools of any server of any protocol era.

2026-07-28 is tried first, then the `initialize` handshake (2025-11-25 and older), then the legacy SSE transport; the
era is remembered per upstream and asked again after a failure. Lenient with what comes back: results stay plain
JSON, a malformed tool is left out, never fatal.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit

from connectors.egress.metering import current_meter
from connectors.errors import ConnectorError, OutcomeUnknown, Unreachable, UpstreamFault
from connectors.runtime import mcp_wire as wire
from connectors.runtime.deadline import Deadline
from connectors.runtime.mcp_eras import before_the_call
from connectors.runtime.mcp_exchange import Exchange, result_of_call
from connectors.runtime.mcp_legacy_sse import open_conversation
from connectors.runtime.mcp_listing import forget_era_after, list_tools, send_modern
from connectors.runtime.mcp_negotiation import negotiate
from connectors.runtime.mcp_probe import probe
from connectors.runtime.mcp_sessions import (
    Session,
    forget_session,
    is_forgotten,
    open_live_session,
    open_session,
    send_in_session,
)
from connectors.runtime.upstream import (
    JSON,
    MalformedTool,
    ProbeReport,
    Stage,
    ToolList,
    UpstreamResult,
    UpstreamServer,
)

__all__ = [
    "Deadline",
    "MalformedTool",
    "ProbeReport",
    "Stage",
    "ToolList",
    "UpstreamResult",
    "UpstreamServer",
    "address_of",
    "call_tool",
    "list_tools",
    "probe",
]

CALL_SECONDS = 75.0


async def call_tool(
    server: UpstreamServer,
    name: str,
    arguments: JSON,
    *,
    session_key: str,
    deadline: Deadline,
    may_repeat: bool = False,
    parameter_headers: wire.ParameterHeaders | None = None,
) -> UpstreamResult:
    """Call one tool once; `may_repeat` allows one more try when nothing can go wrong by it (a safe read).

    `session_key` names (connection, credential version, server): handshake-era sessions are kept under it.
    `parameter_headers` is what `mcp_wire.find_parameter_headers` found in the tool's schema.
    Raises Unreachable when nothing was handed over, OutcomeUnknown when it may have happened, UpstreamFault for a no.
    """
    extra = wire.parameter_headers(parameter_headers, arguments) if parameter_headers else {}
    params = {"name": name, "arguments": arguments}
    call = _Call(server, session_key, params, deadline.within(CALL_SECONDS), may_repeat=may_repeat, extra=extra)
    repeated = False
    while True:
        try:
            raw = await call.send()
        except ConnectorError as error:
            forget_era_after(server, error)
            if repeated or not may_repeat or deadline.passed or not _may_help(error):
                raise
            repeated = True
            if (meter := current_meter.get()) is not None:
                meter.retries += 1
        else:
            return UpstreamResult(raw, address_of(server.url))


@lru_cache(maxsize=4096)
def address_of(url: str) -> str:
    """Return host:port of a URL, as the log keeps it: no credentials, no path, no query."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _may_help(error: ConnectorError) -> bool:
    return isinstance(error, Unreachable | OutcomeUnknown) or error.code == "http_status"


@dataclass(slots=True)
class _Call:
    """One tools/call; everything before its own request is negotiation, and a failure there sent nothing."""

    server: UpstreamServer
    session_key: str
    params: JSON
    deadline: Deadline
    may_repeat: bool
    extra: dict[str, str] = field(default_factory=dict)

    async def send(self) -> JSON:
        spoken = await before_the_call(
            lambda: negotiate(self.server, session_key=self.session_key, deadline=self.deadline)
        )
        if spoken.era == wire.MODERN_VERSION:
            exchange = await send_modern(
                self.server, "tools/call", self.params, deadline=self.deadline, extra=self.extra
            )
        elif spoken.era == "handshake":
            exchange = await self._send_in_session()
        else:
            exchange = await self._send_on_stream()
        result = result_of_call(exchange)
        if result.get("resultType", "complete") != "complete":
            raise UpstreamFault("external_error", stage="call", reason="input_required")
        return result

    async def _send_in_session(self) -> Exchange:
        session = await before_the_call(self._open)
        exchange = await send_in_session(self.server, session, "tools/call", self.params, deadline=self.deadline)
        if is_forgotten(session, exchange):
            forget_session(self.server, session, session_key=self.session_key)
            raise OutcomeUnknown("connector_action_outcome_unknown", reason="session_forgotten")
        return exchange

    async def _open(self) -> Session:
        opener = open_session if self.may_repeat else open_live_session
        return await opener(self.server, session_key=self.session_key, deadline=self.deadline)

    async def _send_on_stream(self) -> Exchange:
        handed_over = False
        try:
            async with open_conversation(self.server, deadline=self.deadline) as conversation:
                await conversation.initialize()
                handed_over = True
                return await conversation.request("tools/call", self.params)
        except OutcomeUnknown as error:
            if handed_over:
                raise
            raise Unreachable("unavailable", stage="handshake", reason="broken") from error
