"""One HTTP exchange with an upstream: a message goes out, its answer comes back as plain JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from connectors.egress.client import StreamedAnswer, Timings, get_client
from connectors.errors import OutcomeUnknown, UpstreamFault
from connectors.runtime import mcp_wire as wire
from connectors.runtime.deadline import Deadline
from connectors.runtime.event_stream import EventReader
from connectors.runtime.passing_on import can_be_passed_on
from connectors.runtime.request_timeouts import timeouts_for
from connectors.runtime.upstream import JSON, UpstreamServer
from connectors.vault.secret import Secret

MAX_ANSWER_BYTES = 20 * 1024 * 1024
UNAUTHORIZED, FORBIDDEN, NOT_FOUND, RATE_LIMITED = 401, 403, 404, 429
OK, REDIRECTS, CLIENT_ERRORS, SERVER_ERRORS = 200, 300, 400, 500


@dataclass(frozen=True, slots=True)
class Exchange:
    """What came back. `message` is the JSON-RPC answer, None when there was none to be found in it."""

    status: int
    headers: Mapping[str, str]
    message: JSON | None
    timings: Timings
    address: str
    certificate_expires_at: datetime | None = None  # where a connection was dialled for it

    @property
    def result(self) -> JSON | None:
        found = self.message.get("result") if self.message else None
        return found if isinstance(found, dict) else None

    @property
    def error(self) -> JSON | None:
        found = self.message.get("error") if self.message else None
        return found if isinstance(found, dict) else None

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


async def post(
    server: UpstreamServer,
    body: bytes,
    headers: Mapping[str, str],
    *,
    request_id: int | None,
    deadline: Deadline,
    url: str = "",
) -> Exchange:
    """Send one message and wait for the answer with its id; a notification (no id) waits for the status only.

    The credential's headers win over ours. Raises what egress raises; see `egress.errors`.
    """
    sent: dict[str, str | Secret] = {**headers, **server.headers}
    async with get_client().stream(
        "POST",
        url or server.url,
        headers=sent,
        body=body,
        timeout=timeouts_for(deadline),
        max_bytes=MAX_ANSWER_BYTES,
    ) as answer:
        message = await _read_message(answer, request_id) if request_id is not None else None
        certificate = answer.certificate_expires_at
        return Exchange(answer.status, answer.headers, message, answer.timings, answer.remote_address, certificate)


async def _read_message(answer: StreamedAnswer, request_id: int) -> JSON | None:
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        return await _read_stream(answer, request_id)
    body = b"".join([chunk async for chunk in answer])
    return parse_message(body) if kind.endswith("json") else None


async def _read_stream(answer: StreamedAnswer, request_id: int) -> JSON | None:
    """Wait for our answer; notifications and the server's own requests on the way are passed over."""
    reader = EventReader()
    async for chunk in answer:
        for event in reader.feed(chunk):
            message = parse_message(event.data.encode())
            if message is not None and message.get("id") == request_id and "method" not in message:
                return message
    return None


def parse_message(body: bytes) -> JSON | None:
    """Return the JSON object in body, None for anything else."""
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return message if isinstance(message, dict) else None


def raise_for_refusal(exchange: Exchange, *, stage: str) -> None:
    """Raise the fault an HTTP status names when it came without a JSON-RPC answer."""
    status = exchange.status
    if status == UNAUTHORIZED:
        raise UpstreamFault("authorization_required", stage="authorization", status=status)
    if status == FORBIDDEN:
        scopes = wire.named_scopes(exchange.headers.get("WWW-Authenticate", ""))
        raise UpstreamFault("insufficient_scope", stage="authorization", status=status, scopes=scopes)
    if status == RATE_LIMITED:
        raise UpstreamFault("rate_limited", stage=stage, status=status)
    if exchange.message is not None:
        return
    if REDIRECTS <= status < CLIENT_ERRORS:
        raise UpstreamFault("redirected", stage="http", status=status)
    if status >= CLIENT_ERRORS:
        raise UpstreamFault("http_status", stage="http" if stage == "handshake" else stage, status=status)
    raise UpstreamFault("not_mcp", stage="http", content_type=exchange.content_type[:64])


def result_of(exchange: Exchange, *, stage: str) -> JSON:
    """Return the result of a request that changes nothing, raise UpstreamFault when there is none."""
    raise_for_refusal(exchange, stage=stage)
    if exchange.result is not None:
        return exchange.result
    raise UpstreamFault("rpc_error", stage=stage, **describe_error(exchange))


def result_of_call(exchange: Exchange) -> JSON:
    """Return the result of a tools/call that went out once.

    A clear no is a fault. Anything from which it cannot be told whether the tool ran is OutcomeUnknown: a 5xx (a proxy
    may answer for a server that did run it), no answer with our id, an answer that is no MCP.
    """
    status = exchange.status
    if status < REDIRECTS and exchange.result is not None:
        if not can_be_passed_on(exchange.result):
            raise UpstreamFault("response_too_deep", stage="call")
        return exchange.result
    if exchange.error is not None and status < SERVER_ERRORS:
        raise_for_refusal(exchange, stage="call")
        raise UpstreamFault("external_error", stage="call", **describe_error(exchange))
    if OK <= status < REDIRECTS or status >= SERVER_ERRORS:
        raise OutcomeUnknown("connector_action_outcome_unknown", reason=f"http_{status}")
    raise_for_refusal(exchange, stage="call")
    raise UpstreamFault("external_error", stage="call", status=status)


def describe_error(exchange: Exchange) -> dict[str, Any]:
    """Return what may be told of a JSON-RPC error: its number, and the status. Its text stays out of our own errors."""
    number = (exchange.error or {}).get("code")
    return {"rpc_code": number if isinstance(number, int) else 0, "status": exchange.status}
