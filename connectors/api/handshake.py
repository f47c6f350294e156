"""Requests of the handshake era, 2024-11-05 to 2025-11-25. We give no session ids, so any process answers any request.

Here a dropped connection does not cancel; the client says so with a notification, and is heard within this process.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import orjson

from connectors.access.queries import AuthenticatedAgent
from connectors.api.cancelling import wait_for
from connectors.api.messages import Request, parse_call, parse_message
from connectors.api.methods import CAPABILITIES, INSTRUCTIONS, SERVER_INFO, answer_call, list_tools
from connectors.api.reply import CANCELLED, INVALID_REQUEST, METHOD_NOT_FOUND, Reply, RpcError, encode_result
from connectors.gateway.calls import CallRequest, DecidedCall, decide_call
from connectors.runtime.mcp_wire import HANDSHAKE_VERSIONS

VERSION_HEADERS: Final = frozenset(version.encode() for version in HANDSHAKE_VERSIONS)
BATCH_VERSION: Final = b"2025-03-26"  # the only version with batches, and what a missing header means
MAX_BATCH: Final = 50

_running: "dict[tuple[UUID, str | int], asyncio.Task[Any]]" = {}


@dataclass(frozen=True, slots=True)
class Client:
    """Who asks, from where, in which version."""

    agent: AuthenticatedAgent
    version: bytes
    remote_address: str
    trace: str


async def answer_handshake(document: Any, client: Client) -> Reply:
    """Answer one message or, in 2025-03-26, a batch."""
    if isinstance(document, list):
        return await _answer_batch(document, client)
    request = parse_message(document)
    if request is None or request.id is None:
        if request is not None:
            _notice(request, client)
        return Reply(202)
    body = await _answer_one(request, client)
    return Reply(200, body)


async def _answer_one(request: Request, client: Client) -> bytes:
    try:
        method = _METHODS.get(request.method)
        if method is None:
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {request.method}")  # noqa: TRY301 - one way out
        return encode_result(request.id, await method(request, client))
    except RpcError as error:
        return error.encode(request.id)


async def _answer_batch(documents: list[Any], client: Client) -> Reply:
    """Answer a batch in order. All its calls are decided first, and the first refusal refuses all of them."""
    if client.version != BATCH_VERSION or not 0 < len(documents) <= MAX_BATCH:
        raise RpcError(INVALID_REQUEST, f"A batch of 1 to {MAX_BATCH} messages exists in {BATCH_VERSION.decode()} only")
    messages = [parse_message(document) for document in documents]
    requests = [message for message in messages if message is not None and message.id is not None]
    if any(request.method == "initialize" for request in requests):
        raise RpcError(INVALID_REQUEST, "initialize must not be part of a batch")
    calls = {index: await _decide(request, client) for index, request in enumerate(requests) if _is_call(request)}
    decided = [call for call in calls.values() if isinstance(call, DecidedCall)]
    refused = len(decided) < len(calls) or any(not call.decision.allowed for call in decided)
    answers = []
    for index, request in enumerate(requests):
        call = calls.get(index)
        if call is None:
            answers.append(await _answer_one(request, client))
        elif isinstance(call, RpcError):
            answers.append(call.encode(request.id))
        else:
            call = call.refused_with_its_batch() if refused and call.decision.allowed else call
            answers.append(await _finish(request, call))
    return Reply(200, b"[" + b",".join(answers) + b"]") if answers else Reply(202)


def _is_call(request: Request) -> bool:
    return request.method == "tools/call"


async def _decide(request: Request, client: Client) -> DecidedCall | RpcError:
    try:
        return await decide_call(
            client.agent, parse_call(request, remote_address=client.remote_address, trace=client.trace)
        )
    except RpcError as error:
        return error


async def _finish(request: Request, call: DecidedCall) -> bytes:
    try:
        return encode_result(request.id, await answer_call(call))
    except RpcError as error:
        return error.encode(request.id)


def _notice(notification: Request, client: Client) -> None:
    """Cancel what the same token asked for, and nobody else's."""
    if notification.method != "notifications/cancelled":
        return
    request_id = notification.params.get("requestId")
    if isinstance(request_id, str | int):
        task = _running.get((client.agent.token_id, request_id))
        if task is not None:
            task.cancel()


async def _initialize(request: Request, _client: Client) -> bytes:
    wanted = request.params.get("protocolVersion")
    version = wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[0]
    return orjson.dumps(
        {
            "protocolVersion": version,
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER_INFO,
            "instructions": INSTRUCTIONS,
        }
    )


async def _ping(_request: Request, _client: Client) -> bytes:
    return b"{}"


async def _list(request: Request, client: Client) -> bytes:
    return await list_tools(client.agent, request.params)


async def _call(request: Request, client: Client) -> bytes:
    call = parse_call(request, remote_address=client.remote_address, trace=client.trace)
    assert request.id is not None
    place = (client.agent.token_id, request.id)
    task = asyncio.ensure_future(_decide_and_run(call, client))
    _running[place] = task
    try:
        await wait_for(task)
    finally:
        if _running.get(place) is task:
            del _running[place]
    if task.cancelled():
        raise RpcError(CANCELLED, "The request was cancelled")
    return task.result()


async def _decide_and_run(call: CallRequest, client: Client) -> bytes:
    return await answer_call(await decide_call(client.agent, call))


_METHODS: Final[dict[str, Callable[[Request, Client], Awaitable[bytes]]]] = {
    "initialize": _initialize,
    "ping": _ping,
    "tools/list": _list,
    "tools/call": _call,
}
