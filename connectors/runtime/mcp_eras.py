"""Which protocol era an upstream speaks: found out once, remembered, asked again after a failure."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from connectors.errors import OutcomeUnknown, Unreachable, UpstreamFault
from connectors.runtime import mcp_wire as wire
from connectors.runtime.deadline import Deadline
from connectors.runtime.mcp_exchange import FORBIDDEN, RATE_LIMITED, UNAUTHORIZED, Exchange, post, raise_for_refusal
from connectors.runtime.upstream import JSON, Era, UpstreamServer

MAX_REMEMBERED = 4096
NOT_SPOKEN_HERE = frozenset({400, 404, 405})  # answers to `initialize` after which the legacy transport is tried


@dataclass(frozen=True, slots=True)
class Spoken:
    """What an upstream speaks, with what it said about itself while it was asked."""

    era: Era
    server_info: JSON = field(default_factory=dict)


_remembered: OrderedDict[tuple[str, str], Spoken] = OrderedDict()


def recall(server: UpstreamServer) -> Spoken | None:
    """Return what was found out before, if anything."""
    return _remembered.get((server.url, server.transport))


def remember(server: UpstreamServer, spoken: Spoken) -> None:
    _remembered[server.url, server.transport] = spoken
    while len(_remembered) > MAX_REMEMBERED:
        _remembered.popitem(last=False)


def forget(server: UpstreamServer) -> None:
    """Ask again next time: it failed, and may have been replaced by another version."""
    _remembered.pop((server.url, server.transport), None)


async def discover(server: UpstreamServer, *, deadline: Deadline) -> Exchange:
    """Ask in the newest era. Whatever comes back is judged by `is_modern`."""
    request_id = wire.next_id()
    params = wire.with_envelope({})
    body = wire.encode_message("server/discover", params, request_id)
    headers = wire.modern_headers("server/discover", params)
    return await post(server, body, headers, request_id=request_id, deadline=deadline)


def is_modern(exchange: Exchange) -> bool:
    """Return whether an answer to `server/discover` proves the newest era; False means: try the handshake.

    Everything that is no proof falls back, as other clients do, except refusals of the credential, pages for people,
    and a server that speaks only versions we do not.
    """
    if exchange.result is not None:
        versions = exchange.result.get("supportedVersions")
        return isinstance(versions, list) and wire.MODERN_VERSION in versions
    if exchange.status in (UNAUTHORIZED, FORBIDDEN, RATE_LIMITED) or exchange.content_type == "text/html":
        raise_for_refusal(exchange, stage="handshake")
    error = exchange.error or {}
    if error.get("code") == wire.UNSUPPORTED_VERSION:
        _refuse_unknown_versions(error)
    return False


def _refuse_unknown_versions(error: JSON) -> None:
    data = error.get("data")
    supported = data.get("supported") if isinstance(data, dict) else None
    if isinstance(supported, list) and not set(wire.HANDSHAKE_VERSIONS).intersection(map(str, supported)):
        raise UpstreamFault("version_unsupported", stage="handshake", supported=[str(v)[:32] for v in supported[:8]])


def server_info_of(result: JSON) -> JSON:
    """Return what a server says about itself, from either era's place."""
    meta = result.get("_meta")
    info = result.get("serverInfo") or (meta.get(wire.SERVER_INFO_KEY) if isinstance(meta, dict) else None)
    return info if isinstance(info, dict) else {}


async def before_the_call[T](negotiate: Callable[[], Awaitable[T]]) -> T:
    """Run what comes before the request that matters: when it breaks, nothing was handed over."""
    try:
        return await negotiate()
    except OutcomeUnknown as error:
        raise Unreachable("unavailable", stage="handshake", reason=error.parameters.get("reason", "broken")) from error
