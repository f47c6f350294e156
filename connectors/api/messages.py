"""JSON-RPC messages, parsed at the edge (JSON-RPC 2.0, MCP basic protocol)."""

import re
import secrets
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import orjson

from connectors.api.reply import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, RpcError
from connectors.gateway.calls import CallRequest
from connectors.manifest.strict_json import JsonFault, parse_strict

MAX_BODY_BYTES: Final = 1024 * 1024
MAX_ARGUMENTS_BYTES: Final = 256 * 1024
MAX_NAME_LENGTH: Final = 255
MAX_CONVERSATION_LENGTH: Final = 128
_TRACEPARENT: Final = re.compile(
    r"(?P<version>(?!ff)[0-9a-f]{2})-(?P<trace>(?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?P<more>-.*)?"
)
CONVERSATION_KEY: Final = "poco.connectors/conversation"
INVOCATION_KEY: Final = "poco.connectors/invocation-id"


@dataclass(frozen=True, slots=True)
class Request:
    """A request, or a notification when there is no id. `document` is what arrived, for checks against headers."""

    id: str | int | None
    method: str
    params: dict[str, Any]

    @property
    def meta(self) -> dict[str, Any]:
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}


def parse_body(body: bytes) -> Any:
    """Return the JSON in a body, read strictly: no duplicate keys, no NaN, bounded depth."""
    try:
        return parse_strict(body, max_bytes=MAX_BODY_BYTES)
    except JsonFault as fault:
        raise RpcError(PARSE_ERROR, "Parse error") from fault


def parse_message(document: Any) -> Request | None:
    """Return the request or notification in a JSON value, None for a response (we ask nothing, so nobody answers)."""
    if not isinstance(document, dict) or document.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, "Body must be one JSON-RPC request or notification")
    method, params = document.get("method"), document.get("params", {})
    if method is None and ("result" in document or "error" in document):
        return None
    if not isinstance(method, str) or not isinstance(params, dict):
        raise RpcError(INVALID_REQUEST, "Body must be one JSON-RPC request or notification")
    return Request(_read_id(document), method, params)


def _read_id(document: dict[str, Any]) -> str | int | None:
    if "id" not in document:
        return None
    request_id = document["id"]
    if isinstance(request_id, bool) or not isinstance(request_id, str | int):
        raise RpcError(INVALID_REQUEST, "A request id is a string or an integer")
    return request_id


def parse_call(request: Request, *, remote_address: str, trace: str) -> CallRequest:
    """Return what a tools/call asks for."""
    name, arguments = request.params.get("name"), request.params.get("arguments")
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME_LENGTH or not name.isprintable():
        raise RpcError(INVALID_PARAMS, "params.name must be the name of a tool")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "params.arguments must be an object")
    if len(orjson.dumps(arguments)) > MAX_ARGUMENTS_BYTES:
        raise RpcError(INVALID_PARAMS, f"params.arguments is larger than {MAX_ARGUMENTS_BYTES // 1024} KiB")
    return CallRequest(
        name=name,
        arguments=arguments,
        invocation_id=_read_invocation_id(request.meta),
        conversation=_read_conversation(request.meta),
        remote_address=remote_address,
        trace_id=read_trace_id(request.meta.get("traceparent", trace)),
    )


def _read_invocation_id(meta: dict[str, Any]) -> UUID | None:
    text = meta.get(INVOCATION_KEY)
    if text is None:
        return None
    try:
        return UUID(text)
    except (ValueError, AttributeError, TypeError) as error:
        raise RpcError(INVALID_PARAMS, f"_meta {INVOCATION_KEY} must be a UUID") from error


def _read_conversation(meta: dict[str, Any]) -> str:
    text = meta.get(CONVERSATION_KEY, "")
    if not isinstance(text, str) or len(text) > MAX_CONVERSATION_LENGTH or not text.isprintable():
        raise RpcError(INVALID_PARAMS, f"_meta {CONVERSATION_KEY} must be at most {MAX_CONVERSATION_LENGTH} characters")
    return text


def read_trace_id(traceparent: object) -> str:
    """Return the trace id of a valid traceparent (W3C Trace Context §3.2), a new one for anything else (§4.3).

    A version above ours may add fields after the flags; 00 has none, and ff is no version.
    """
    found = _TRACEPARENT.fullmatch(traceparent) if isinstance(traceparent, str) else None
    if found is None or (found["version"] == "00" and found["more"]):
        return secrets.token_hex(16)
    return found["trace"]
