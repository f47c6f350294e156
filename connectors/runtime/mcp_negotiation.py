"""From a server nobody has asked yet to the era it speaks."""

from connectors.errors import Failed
from connectors.runtime.deadline import Deadline
from connectors.runtime.mcp_eras import NOT_SPOKEN_HERE, Spoken, discover, is_modern, recall, remember, server_info_of
from connectors.runtime.mcp_exchange import Exchange, raise_for_refusal
from connectors.runtime.mcp_legacy_sse import open_conversation
from connectors.runtime.mcp_sessions import complete_handshake, keep_session, send_initialize
from connectors.runtime.upstream import UpstreamServer


async def negotiate(server: UpstreamServer, *, session_key: str, deadline: Deadline) -> Spoken:
    """Return what the server speaks: remembered, or found out now and remembered."""
    spoken = recall(server)
    if spoken is None:
        first = None if server.transport == "sse" else await discover(server, deadline=deadline)
        spoken = await judge(server, first, session_key=session_key, deadline=deadline)
    return spoken


async def judge(server: UpstreamServer, first: Exchange | None, *, session_key: str, deadline: Deadline) -> Spoken:
    """Find out the era from the answer to `server/discover` (None: the package says it is legacy SSE)."""
    if first is None:
        spoken = await _try_legacy(server, deadline)
    elif is_modern(first):
        spoken = Spoken("2026-07-28", server_info_of(first.result or {}))
    else:
        spoken = await _try_handshake(server, session_key, deadline)
    remember(server, spoken)
    return spoken


async def _try_handshake(server: UpstreamServer, session_key: str, deadline: Deadline) -> Spoken:
    answer = await send_initialize(server, deadline=deadline)
    if answer.result is None and answer.status in NOT_SPOKEN_HERE:
        try:
            return await _try_legacy(server, deadline)
        except Failed:
            raise_for_refusal(answer, stage="handshake")  # what the address itself said is the better reason
            raise
    session = await complete_handshake(server, answer, deadline=deadline)
    keep_session(server, session, session_key=session_key)
    return Spoken("handshake", session.server_info)


async def _try_legacy(server: UpstreamServer, deadline: Deadline) -> Spoken:
    async with open_conversation(server, deadline=deadline) as conversation:
        await conversation.initialize()
        return Spoken("sse", conversation.server_info or {})
