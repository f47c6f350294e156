"""The MCP endpoint, `/mcp`: a small ASGI handler beside Django (gateway.md has the measurements that say why).

Host and Origin, method, token, size, JSON, then the era's own rules. A request is answered as JSON in one piece.
"""

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.db import DatabaseError
from django.http.request import validate_host

from connectors.access.queries import AuthenticatedAgent
from connectors.api.bearer import authenticate, challenge
from connectors.api.cancelling import wait_for
from connectors.api.handshake import BATCH_VERSION, VERSION_HEADERS, Client, answer_handshake
from connectors.api.messages import MAX_BODY_BYTES, parse_body, parse_message
from connectors.api.modern import Exchange, answer_modern, is_modern
from connectors.api.reply import INTERNAL_ERROR, INVALID_REQUEST, Receive, Reply, RpcError, Scope, Send

log = logging.getLogger(__name__)
WATCH_AFTER_SECONDS: Final = 0.05  # most calls are through by then and need no watch over their connection


class _HungUpError(Exception):
    """The client went away before its request was whole."""


@dataclass(frozen=True, slots=True)
class _Incoming:
    headers: dict[bytes, bytes]
    repeated: frozenset[bytes]
    remote_address: str

    @classmethod
    def read(cls, scope: Scope) -> "_Incoming":
        pairs: list[tuple[bytes, bytes]] = list(scope["headers"])
        headers = dict(pairs)
        repeated = frozenset[bytes]()
        if len(headers) != len(pairs):
            repeated = frozenset(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        client = scope.get("client")
        return cls(headers, repeated, client[0] if client else "")


async def mcp_endpoint(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one HTTP request."""
    incoming = _Incoming.read(scope)
    try:
        reply = await _answer(scope["method"], incoming, receive)
    except _HungUpError:
        return
    except RpcError as error:
        reply = error.reply(status=400 if error.code == INVALID_REQUEST else None)
    except DatabaseError:
        log.exception("the database did not answer a call")
        reply = RpcError(INTERNAL_ERROR, "The call could not be recorded").reply(status=503)
    if reply is not None:
        await reply.send(send)


async def _answer(method: str, incoming: _Incoming, receive: Receive) -> Reply | None:
    refusal = _refuse_foreign(incoming)
    if refusal is not None:
        return refusal
    if method != "POST":
        return Reply(405, headers=((b"allow", b"POST"),))
    agent = await authenticate(incoming.headers)
    if agent is None:
        return challenge(incoming.headers)
    if incoming.headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json":
        return Reply(415)
    body = await _read_body(incoming.headers, receive)
    if body is None:
        return RpcError(INVALID_REQUEST, f"The body is larger than {MAX_BODY_BYTES} bytes").reply(status=413)
    return await _route(parse_body(body), agent, incoming, receive)


def _refuse_foreign(incoming: _Incoming) -> Reply | None:
    """Only our own names, and no pages of other origins: a rebound name or a hostile page gets nothing."""
    host = incoming.headers.get(b"host", b"").decode("latin-1")
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    if not validate_host(name.lower(), settings.ALLOWED_HOSTS):
        return Reply(421)
    origin = incoming.headers.get(b"origin")
    if origin is not None and not _is_own_origin(origin.decode("latin-1")):
        return Reply(403)
    return None


def _is_own_origin(origin: str) -> bool:
    if origin == settings.BACKEND_URL:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:  # brackets that do not close
        return False
    local = {"localhost", "127.0.0.1", "::1"}
    return parts.scheme in ("http", "https") and parts.hostname in local and bool(local & set(settings.ALLOWED_HOSTS))


async def _read_body(headers: dict[bytes, bytes], receive: Receive) -> bytes | None:
    """Return the whole body, None when it is too large; what the client says of its length is not believed."""
    declared = headers.get(b"content-length", b"")
    if declared.isdigit() and int(declared[:20]) > MAX_BODY_BYTES:
        return None
    message = await receive()
    body: bytes = message.get("body", b"")
    while message["type"] == "http.request" and message.get("more_body"):
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            return None
    if message["type"] == "http.disconnect":
        raise _HungUpError
    return body if len(body) <= MAX_BODY_BYTES else None


async def _route(document: Any, agent: AuthenticatedAgent, incoming: _Incoming, receive: Receive) -> Reply | None:
    headers = incoming.headers
    if not is_modern(headers, document, VERSION_HEADERS):
        version = headers.get(b"mcp-protocol-version", BATCH_VERSION)
        trace = headers.get(b"traceparent", b"").decode("latin-1")
        return await answer_handshake(document, Client(agent, version, incoming.remote_address, trace))
    request = parse_message(document)
    if request is None:
        raise RpcError(INVALID_REQUEST, "Body must be one JSON-RPC request or notification")
    exchange = Exchange(request, agent, headers, incoming.repeated, incoming.remote_address)
    if request.method != "tools/call":
        return await answer_modern(exchange)
    return await _until_hung_up(asyncio.ensure_future(answer_modern(exchange)), receive)


async def _until_hung_up(answering: "asyncio.Task[Reply]", receive: Receive) -> Reply | None:
    """Wait for an answer; in 2026-07-28 closing the connection cancels the call, which is logged as such."""
    done, _ = await wait_for(answering, seconds=WATCH_AFTER_SECONDS)
    if not done:
        watching = asyncio.ensure_future(_hung_up(receive))
        await wait_for(answering, watching)
        if not answering.done():
            answering.cancel()
            await asyncio.wait({answering})
        watching.cancel()
        await asyncio.wait({watching})
    return None if answering.cancelled() else answering.result()


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
