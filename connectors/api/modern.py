"""Requests of 2026-07-28: stateless, everything in the request, headers that mirror the body.

The order of checks is the specification's: `_meta`, then headers against the body, then the version, then the method.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from connectors.access.queries import AuthenticatedAgent
from connectors.api.messages import Request, parse_call
from connectors.api.methods import CAPABILITIES, INSTRUCTIONS, SERVER_INFO, answer_call, list_tools
from connectors.api.reply import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Reply,
    RpcError,
    encode_result,
)
from connectors.gateway.calls import decide_call
from connectors.gateway.snapshot import take_snapshot_for
from connectors.runtime.mcp_wire import (
    CAPABILITIES_KEY,
    MODERN_VERSION,
    NAME_PARAMETERS,
    SERVER_INFO_KEY,
    VERSION_KEY,
    ParameterHeaders,
    argument_at,
    decode_header,
)

_CACHE: Final = b',"resultType":"complete","ttlMs":0,"cacheScope":"private"'
_ROUTING: Final = (b"mcp-protocol-version", b"mcp-method", b"mcp-name")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request with all that came with it."""

    request: Request
    agent: AuthenticatedAgent
    headers: Mapping[bytes, bytes]
    repeated: frozenset[bytes]  # header names that came more than once
    remote_address: str


def is_modern(headers: Mapping[bytes, bytes], document: Any, handshake_versions: frozenset[bytes]) -> bool:
    """Return whether a body belongs to this era: its envelope says so, or its version header names no older one."""
    params = document.get("params") if isinstance(document, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    if isinstance(meta, dict) and VERSION_KEY in meta:
        return True
    version = headers.get(b"mcp-protocol-version")
    return version is not None and version not in handshake_versions


async def answer_modern(exchange: Exchange) -> Reply:
    """Answer one request or notification; errors travel under the status of their code."""
    request = exchange.request
    if request.id is None:
        return _acknowledge(exchange)
    try:
        check_envelope(request)
        check_headers(exchange)
        check_version(request.meta[VERSION_KEY])
        method = _METHODS.get(request.method)
        if method is None:
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {request.method}")  # noqa: TRY301 - one way out
        return Reply(200, encode_result(request.id, await method(exchange)))
    except RpcError as error:
        return error.reply(request.id)


def check_envelope(request: Request) -> None:
    """`_meta` carries the version and the client's capabilities."""
    meta = request.meta
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise RpcError(INVALID_PARAMS, f"params._meta is missing: {', '.join(missing)}")
    if not isinstance(meta[VERSION_KEY], str) or not isinstance(meta[CAPABILITIES_KEY], dict):
        raise RpcError(INVALID_PARAMS, "params._meta has a protocol version or capabilities of the wrong type")


def check_headers(exchange: Exchange) -> None:
    """Headers say what the body says, once."""
    for name in _ROUTING:
        if name in exchange.repeated:
            raise _mismatch(name)
    request, headers = exchange.request, exchange.headers
    if headers.get(b"mcp-protocol-version") != request.meta[VERSION_KEY].encode():
        raise _mismatch(b"mcp-protocol-version")
    if headers.get(b"mcp-method") != request.method.encode():
        raise _mismatch(b"mcp-method")
    named = request.params.get(NAME_PARAMETERS.get(request.method, ""))
    if named is not None and _read(headers, b"mcp-name") != named:
        raise _mismatch(b"mcp-name")


def check_version(version: str) -> None:
    if version != MODERN_VERSION:
        data = {"supported": [MODERN_VERSION], "requested": version[:64]}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def check_parameter_headers(exchange: Exchange, declared: ParameterHeaders, arguments: dict[str, Any]) -> None:
    """Each argument the schema mirrors is there in both places and equal, or in neither."""
    for path, name in declared.items():
        header = name.lower().encode()
        sent, argument = _read(exchange.headers, header), argument_at(arguments, path)
        if header in exchange.repeated or (header in exchange.headers) != (argument is not None):
            raise _mismatch(header)
        if argument is not None and sent != argument and not _same_number(sent, argument):
            raise _mismatch(header)


def _same_number(sent: str | None, argument: str) -> bool:
    """`42` and `42.0` are one integer."""
    parts = [text.removesuffix(".0") for text in (sent or "", argument)]
    return parts[0] == parts[1] and parts[0].removeprefix("-").isdigit()


def _read(headers: Mapping[bytes, bytes], name: bytes) -> str | None:
    value = headers.get(name)
    return None if value is None else decode_header(value.decode("latin-1"))


def _mismatch(name: bytes) -> RpcError:
    return RpcError(HEADER_MISMATCH, f"The {name.decode()} header does not match the request body")


def _acknowledge(exchange: Exchange) -> Reply:
    """This era has no notifications from clients; what arrives is accepted and dropped."""
    try:
        check_version(exchange.headers.get(b"mcp-protocol-version", b"").decode("latin-1"))
    except RpcError as error:
        return error.reply()
    return Reply(202)


async def _discover(_exchange: Exchange) -> bytes:
    about = {
        "supportedVersions": [MODERN_VERSION],
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
        "_meta": {SERVER_INFO_KEY: SERVER_INFO},
    }
    return orjson.dumps(about)[:-1] + _CACHE + b"}"


async def _list(exchange: Exchange) -> bytes:
    return await list_tools(exchange.agent, exchange.request.params, extra=_CACHE)


async def _call(exchange: Exchange) -> bytes:
    call = parse_call(
        exchange.request,
        remote_address=exchange.remote_address,
        trace=exchange.headers.get(b"traceparent", b"").decode("latin-1"),
    )
    tool = (await take_snapshot_for(exchange.agent, call.name)).find(call.name)
    if tool is not None and tool.parameter_headers:
        check_parameter_headers(exchange, tool.parameter_headers, call.arguments)
    result = await answer_call(await decide_call(exchange.agent, call))
    return b'{"resultType":"complete",' + result[1:]


_METHODS: Final[dict[str, Callable[[Exchange], Awaitable[bytes]]]] = {
    "server/discover": _discover,
    "tools/list": _list,
    "tools/call": _call,
}
