"""Listing the tools of a server of any era."""

from connectors.errors import ConnectorError, Failed
from connectors.runtime import mcp_wire as wire
from connectors.runtime.deadline import Deadline
from connectors.runtime.mcp_eras import Spoken, before_the_call, forget
from connectors.runtime.mcp_exchange import Exchange, post, result_of
from connectors.runtime.mcp_legacy_sse import open_conversation
from connectors.runtime.mcp_negotiation import negotiate
from connectors.runtime.mcp_sessions import forget_session, is_forgotten, open_session, send_in_session
from connectors.runtime.mcp_tools import Listed, follow_pages
from connectors.runtime.upstream import JSON, ToolList, UpstreamServer

LIST_SECONDS = 30.0
_KEEPS_ERA = frozenset({"authorization_required", "insufficient_scope", "rate_limited", "external_error"})


async def list_tools(server: UpstreamServer, *, deadline: Deadline, session_key: str = "") -> ToolList:
    """Return every tool of every page. Raises Unreachable or UpstreamFault, with the stage in its parameters."""
    deadline = deadline.within(LIST_SECONDS)

    async def list_all() -> ToolList:
        spoken = await negotiate(server, session_key=session_key, deadline=deadline)
        return await list_as(server, spoken, session_key=session_key, deadline=deadline)

    try:
        return await before_the_call(list_all)
    except ConnectorError as error:
        forget_era_after(server, error)
        raise


def forget_era_after(server: UpstreamServer, error: ConnectorError) -> None:
    """Ask for the era again after a failure, unless the failure says nothing about it."""
    if isinstance(error, Failed) and error.code not in _KEEPS_ERA:
        forget(server)


async def list_as(server: UpstreamServer, spoken: Spoken, *, session_key: str, deadline: Deadline) -> ToolList:
    """List in the era the server is known to speak."""
    if spoken.era == "sse":
        listed = await _list_on_stream(server, deadline)
    else:

        async def fetch(params: JSON) -> JSON:
            exchange = await _ask_for_page(server, spoken, params, session_key=session_key, deadline=deadline)
            return result_of(exchange, stage="list_tools")

        listed = await follow_pages(fetch)
    return ToolList(listed.tools, listed.malformed, spoken.era, spoken.server_info)


async def _list_on_stream(server: UpstreamServer, deadline: Deadline) -> Listed:
    async with open_conversation(server, deadline=deadline) as conversation:
        await conversation.initialize()

        async def fetch(params: JSON) -> JSON:
            return result_of(await conversation.request("tools/list", params), stage="list_tools")

        return await follow_pages(fetch)


async def _ask_for_page(
    server: UpstreamServer, spoken: Spoken, params: JSON, *, session_key: str, deadline: Deadline
) -> Exchange:
    """Ask for one page; a session the server forgot is replaced once."""
    if spoken.era == wire.MODERN_VERSION:
        return await send_modern(server, "tools/list", params, deadline=deadline)
    session = await open_session(server, session_key=session_key, deadline=deadline)
    exchange = await send_in_session(server, session, "tools/list", params, deadline=deadline)
    if is_forgotten(session, exchange):
        forget_session(server, session, session_key=session_key)
        session = await open_session(server, session_key=session_key, deadline=deadline)
        exchange = await send_in_session(server, session, "tools/list", params, deadline=deadline)
    return exchange


async def send_modern(
    server: UpstreamServer, method: str, params: JSON, *, deadline: Deadline, extra: dict[str, str] | None = None
) -> Exchange:
    """Send one 2026-07-28 request."""
    enveloped = wire.with_envelope(params)
    request_id = wire.next_id()
    body = wire.encode_message(method, enveloped, request_id)
    headers = {**wire.modern_headers(method, enveloped), **(extra or {})}
    return await post(server, body, headers, request_id=request_id, deadline=deadline)
