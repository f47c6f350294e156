"""The upstream MCP client: lists and calls the tools of any server of any protocol era.

2026-07-28 is tried first, then the `initialize` handshake (2025-11-25 and older), then the legacy SSE transport; the
era is remembered per upstream and asked again after a failure. Lenient with what comes back: results stay plain
JSON, a malformed tool is left out, never fatal.
"""

from connectors.runtime.deadline import Deadline
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
    "call_tool",
    "list_tools",
    "probe",
]

LIST_SECONDS = 30.0
CALL_SECONDS = 75.0


async def list_tools(server: UpstreamServer, *, deadline: Deadline, session_key: str = "") -> ToolList:
    """Return every tool of every page. Raises Unreachable, UpstreamFault or OutcomeUnknown."""
    raise NotImplementedError


async def call_tool(
    server: UpstreamServer,
    name: str,
    arguments: JSON,
    *,
    session_key: str,
    deadline: Deadline,
    may_repeat: bool = False,
) -> UpstreamResult:
    """Call one tool once; `may_repeat` allows one more try when nothing can have happened twice (a safe read).

    `session_key` names (connection, credential version, server): handshake-era sessions are kept under it.
    Raises Unreachable when nothing was handed over, OutcomeUnknown when it may have happened, UpstreamFault otherwise.
    """
    raise NotImplementedError


async def probe(server: UpstreamServer, *, deadline: Deadline) -> ProbeReport:
    """Test the way to a server stage by stage: dns, tcp, tls, http, authorization, handshake, list_tools."""
    raise NotImplementedError
