"""Handshake-era sessions (2025-11-25 and older), kept per (connection, credential version, server)."""

import asyncio
import time
import weakref
from collections import OrderedDict
from dataclasses import dataclass, field

from connectors.errors import UpstreamFault
from connectors.runtime import mcp_wire as wire
from connectors.runtime.deadline import Deadline
from connectors.runtime.mcp_eras import server_info_of
from connectors.runtime.mcp_exchange import NOT_FOUND, Exchange, post, raise_for_refusal, result_of
from connectors.runtime.upstream import JSON, UpstreamServer

MAX_SESSIONS = 4096
IDLE_SECONDS = 30.0  # after this long a session is checked before something that must not happen twice


@dataclass(slots=True)
class Session:
    """What an `initialize` agreed on. Servers without sessions give no id."""

    version: str
    session_id: str | None
    server_info: JSON
    used_at: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
class _Kept:
    """The sessions of one event loop, and a lock for each that is being opened."""

    sessions: OrderedDict[tuple[str, str], Session] = field(default_factory=OrderedDict)
    opening: dict[tuple[str, str], asyncio.Lock] = field(default_factory=dict)


_by_loop: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Kept]" = weakref.WeakKeyDictionary()


def _kept() -> _Kept:
    return _by_loop.setdefault(asyncio.get_running_loop(), _Kept())


async def open_session(server: UpstreamServer, *, session_key: str, deadline: Deadline) -> Session:
    """Return the kept session, or a new one; callers that arrive together share one handshake."""
    kept, key = _kept(), (session_key, server.url)
    session = kept.sessions.get(key)
    if session is not None:
        kept.sessions.move_to_end(key)
        return session
    lock = kept.opening.setdefault(key, asyncio.Lock())
    try:
        async with lock:
            if key not in kept.sessions:
                answer = await send_initialize(server, deadline=deadline)
                kept.sessions[key] = await complete_handshake(server, answer, deadline=deadline)
                if len(kept.sessions) > MAX_SESSIONS:
                    kept.sessions.popitem(last=False)
            return kept.sessions[key]
    finally:
        if not lock.locked():
            kept.opening.pop(key, None)


def keep_session(server: UpstreamServer, session: Session, *, session_key: str) -> None:
    _kept().sessions[session_key, server.url] = session


def forget_session(server: UpstreamServer, session: Session, *, session_key: str) -> None:
    """Drop a session the server no longer knows; a newer one under the same key stays."""
    kept, key = _kept(), (session_key, server.url)
    if kept.sessions.get(key) is session:
        del kept.sessions[key]


async def send_initialize(server: UpstreamServer, *, deadline: Deadline) -> Exchange:
    """Send `initialize` with the newest version of the handshake era; whatever comes back is handed back."""
    request_id = wire.next_id()
    body = wire.encode_message("initialize", initialize_params(), request_id)
    headers = wire.handshake_headers(None, None)
    return await post(server, body, headers, request_id=request_id, deadline=deadline)


def initialize_params() -> JSON:
    return {"protocolVersion": wire.HANDSHAKE_VERSIONS[0], "capabilities": {}, "clientInfo": wire.IMPLEMENTATION}


async def complete_handshake(server: UpstreamServer, exchange: Exchange, *, deadline: Deadline) -> Session:
    """Turn an answer to `initialize` into a session and tell the server that we are ready."""
    result = result_of(exchange, stage="handshake")
    version = agreed_version(result)
    session = Session(version, exchange.headers.get("mcp-session-id"), server_info_of(result))
    body = wire.encode_message("notifications/initialized", None, None)
    headers = wire.handshake_headers(version, session.session_id)
    ready = await post(server, body, headers, request_id=None, deadline=deadline)
    if ready.status in (401, 403):
        raise_for_refusal(ready, stage="handshake")
    return session


def agreed_version(result: JSON) -> str:
    """Return the version the server chose; one we do not speak ends it."""
    version = result.get("protocolVersion")
    if version not in wire.HANDSHAKE_VERSIONS:
        raise UpstreamFault("version_unsupported", stage="handshake", supported=[str(version)[:32]])
    return str(version)


async def send_in_session(
    server: UpstreamServer, session: Session, method: str, params: JSON, *, deadline: Deadline
) -> Exchange:
    """Send one request within a session."""
    request_id = wire.next_id()
    body = wire.encode_message(method, params, request_id)
    headers = wire.handshake_headers(session.version, session.session_id)
    exchange = await post(server, body, headers, request_id=request_id, deadline=deadline)
    session.used_at = time.monotonic()
    return exchange


def is_forgotten(session: Session, exchange: Exchange) -> bool:
    """Return whether the answer says that the server no longer knows this session."""
    return exchange.status == NOT_FOUND and session.session_id is not None and exchange.result is None


async def open_live_session(server: UpstreamServer, *, session_key: str, deadline: Deadline) -> Session:
    """Return a session that is known to be alive: one that was idle is asked first, so that a call that must not
    happen twice is not sent into one the server has forgotten."""
    session = await open_session(server, session_key=session_key, deadline=deadline)
    if session.session_id is None or time.monotonic() - session.used_at < IDLE_SECONDS:
        return session
    if not is_forgotten(session, await send_in_session(server, session, "ping", {}, deadline=deadline)):
        return session
    forget_session(server, session, session_key=session_key)
    return await open_session(server, session_key=session_key, deadline=deadline)
