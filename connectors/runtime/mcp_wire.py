"""The wire forms of MCP, both eras: constants, messages and the headers that mirror them.

2026-07-28: every request carries `_meta` with version, client and capabilities, and mirrors version, method and name in
headers. Before it: an `initialize` handshake, then a version header from 2025-06-18 on, and perhaps a session id.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, Final

import orjson

from connectors.runtime.upstream import JSON

MODERN_VERSION: Final = "2026-07-28"
HANDSHAKE_VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO_KEY: Final = "io.modelcontextprotocol/clientInfo"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO_KEY: Final = "io.modelcontextprotocol/serverInfo"

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

IMPLEMENTATION: Final = {"name": "poco-connectors", "title": "Poco Connectors", "version": "0.1.0"}
NAME_PARAMETERS: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_ENVELOPE: Final = {VERSION_KEY: MODERN_VERSION, CLIENT_INFO_KEY: IMPLEMENTATION, CAPABILITIES_KEY: {}}
_ACCEPT: Final = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}

_VISIBLE = re.compile(r"[\x20-\x7e]*")
_WRAPPED = re.compile(r"=\?base64\?(.*)\?=")
_SCOPE = re.compile(r'(?i)(?:^|[\s,])scope="([\x21\x23-\x5b\x5d-\x7e ]{1,1024})"')  # RFC 6749 §3.3
MOST_SCOPES: Final = 20
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_ids = count(1)


def next_id() -> int:
    """Return a request id no other request of this process has."""
    return next(_ids)


def encode_message(method: str, params: JSON | None, request_id: int | None) -> bytes:
    """Return a JSON-RPC request, or a notification when there is no id."""
    message: JSON = {"jsonrpc": "2.0", "method": method}
    if request_id is not None:
        message["id"] = request_id
    if params is not None:
        message["params"] = params
    return orjson.dumps(message)


def with_envelope(params: JSON) -> JSON:
    """Return the parameters as a 2026-07-28 request carries them."""
    return {**params, "_meta": {**params.get("_meta", {}), **_ENVELOPE}}


def modern_headers(method: str, params: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of a 2026-07-28 request, computed from the very body that is sent."""
    headers = {**_ACCEPT, "MCP-Protocol-Version": MODERN_VERSION, "Mcp-Method": method}
    named = params.get(NAME_PARAMETERS.get(method, ""))
    if isinstance(named, str):
        headers["Mcp-Name"] = encode_header(named)
    return headers


def handshake_headers(version: str | None, session_id: str | None) -> dict[str, str]:
    """Return the headers of an older request; `version` is None while it is being negotiated."""
    headers = dict(_ACCEPT)
    if version is not None and version >= "2025-06-18":
        headers["MCP-Protocol-Version"] = version
    if session_id is not None:
        headers["Mcp-Session-Id"] = session_id
    return headers


def encode_header(text: str) -> str:
    """Return text as a header value: itself when plain, else wrapped as `=?base64?…?=`."""
    if _VISIBLE.fullmatch(text) and text == text.strip() and not _WRAPPED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def decode_header(value: str) -> str | None:
    """Return the text of a header value, None when its wrapping is broken: that matches nothing."""
    wrapped = _WRAPPED.fullmatch(value)
    if wrapped is None:
        return value
    try:
        raw = base64.b64decode(wrapped[1], validate=True)
        return raw.decode() if base64.b64encode(raw).decode() == wrapped[1] else None
    except (binascii.Error, UnicodeDecodeError):
        return None


def named_scopes(challenge: str) -> list[str]:
    """Return the scopes a refusal says are needed (RFC 6750 §3); of a long list the first ones."""
    found = _SCOPE.search(challenge)
    return found[1].split()[:MOST_SCOPES] if found else []


type ParameterHeaders = dict[tuple[str, ...], str]


def find_parameter_headers(schema: Any) -> ParameterHeaders:
    """Return which arguments a tool's schema mirrors in `Mcp-Param-*` headers: path of property names → header name.

    An annotation that breaks the rules (not a token, not on a string, integer or boolean, not unique) voids them all.
    """
    found: ParameterHeaders = {}
    for path, name, kind in _annotations(schema, ()):
        valid = isinstance(name, str) and _TOKEN.fullmatch(name) and kind in ("string", "integer", "boolean")
        header = f"Mcp-Param-{name}"
        if not valid or header.lower() in {known.lower() for known in found.values()}:
            return {}
        found[path] = header
    return found


def _annotations(schema: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    if not isinstance(schema, dict):
        return
    if path and "x-mcp-header" in schema:
        yield path, schema["x-mcp-header"], schema.get("type")
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, inner in properties.items():
            yield from _annotations(inner, (*path, name))


def argument_at(arguments: Any, path: tuple[str, ...]) -> str | None:
    """Return an argument as its header says it; None when it is absent, null or has no such form."""
    value = arguments
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def parameter_headers(declared: ParameterHeaders, arguments: JSON) -> dict[str, str]:
    """Return the `Mcp-Param-*` headers of one call."""
    texts = ((header, argument_at(arguments, path)) for path, header in declared.items())
    return {header: encode_header(text) for header, text in texts if text is not None}
