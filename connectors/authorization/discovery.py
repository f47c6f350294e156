"""Find an MCP server's authorization server (MCP authorization of 2026-07-28; RFC 9728, RFC 8414, OIDC Discovery).

    protected-resource metadata   the address in the 401's header, then well-known at the path, then at the root
    server metadata               RFC 8414 and OpenID addresses of the *expected* issuer, never of another one

The package says which issuer it expects; whatever a server answers can only confirm that. Every address goes through
the one door out, redirects included (safety §12).
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from connectors.authorization.server_metadata import AuthorizationServer, read_resource, read_server
from connectors.egress.client import get_client
from connectors.egress.policy import check_url
from connectors.errors import OutcomeUnknown, Unreachable, UpstreamFault
from connectors.manifest.strict_json import JsonFault, parse_strict
from connectors.runtime import mcp_wire as wire
from connectors.runtime.deadline import Deadline
from connectors.runtime.request_timeouts import timeouts_for

MAX_DOCUMENT_BYTES = 256 * 1024
REDIRECTS = 3
OK, UNAUTHORIZED = 200, 401

_RESOURCE_METADATA = re.compile(r'(?i)(?:^|[\s,])resource_metadata\s*=\s*(?:"([^"]{1,2048})"|([^\s,"]{1,2048}))')


async def discover_server(resource: str, *, expected_issuer: str, deadline: Deadline) -> AuthorizationServer:
    """Return the authorization server of an MCP server.

    Raises `UpstreamFault` (resource_metadata_missing, resource_mismatch, issuer_unexpected, server_metadata_missing,
    issuer_mismatch, pkce_not_offered, metadata_unreadable, …), AddressRefused and Unreachable.
    """
    identifier = await _find_resource(resource, expected_issuer, deadline)
    for url in server_metadata_addresses(expected_issuer):
        document = await fetch_document(url, deadline=deadline)
        if document is not None:
            return read_server(document, expected_issuer=expected_issuer, resource=identifier)
    raise UpstreamFault("server_metadata_missing", issuer=expected_issuer)


async def _find_resource(resource: str, expected_issuer: str, deadline: Deadline) -> str:
    named = await _ask_for_metadata_address(resource, deadline)
    for url in ([named] if named else []) + list(resource_metadata_addresses(resource)):
        document = await fetch_document(url, deadline=deadline)
        if document is not None:
            return read_resource(document, asked=resource, expected_issuer=expected_issuer)
    raise UpstreamFault("resource_metadata_missing", resource=resource)


def resource_metadata_addresses(resource: str) -> Iterator[str]:
    """Yield the well-known addresses of RFC 9728 §3.1: below the path first, then at the root."""
    parts = urlsplit(resource)
    root = f"{parts.scheme}://{parts.netloc}/.well-known/oauth-protected-resource"
    if parts.path.strip("/"):
        yield root + parts.path.rstrip("/")
    yield root


def server_metadata_addresses(issuer: str) -> Iterator[str]:
    """Yield the addresses of RFC 8414 §3.1 and OIDC Discovery §4, in the order the MCP page gives."""
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    yield f"{origin}/.well-known/oauth-authorization-server{path}"
    yield f"{origin}/.well-known/openid-configuration{path}"
    if path:
        yield f"{origin}{path}/.well-known/openid-configuration"


async def fetch_document(url: str, *, deadline: Deadline) -> Any:
    """Return the JSON value at an address, None when it answers that there is none."""
    check_url(url)
    try:
        answer = await get_client().request(
            "GET",
            url,
            headers={"Accept": "application/json"},
            timeout=timeouts_for(deadline),
            max_bytes=MAX_DOCUMENT_BYTES,
            redirects=REDIRECTS,
        )
    except OutcomeUnknown as error:
        raise _broken(error) from error
    if answer.status != OK:
        return None
    try:
        return parse_strict(answer.body, max_bytes=MAX_DOCUMENT_BYTES)
    except JsonFault as error:
        raise UpstreamFault("metadata_unreadable", what="document", host=urlsplit(url).hostname or "") from error


async def _ask_for_metadata_address(resource: str, deadline: Deadline) -> str:
    """Return the address a refusal names, nothing when it names none; no credential is sent."""
    params = wire.with_envelope({})
    body = wire.encode_message("server/discover", params, wire.next_id())
    headers = wire.modern_headers("server/discover", params)
    try:
        async with get_client().stream(
            "POST",
            resource,
            headers=headers,
            body=body,
            timeout=timeouts_for(deadline),
            max_bytes=MAX_DOCUMENT_BYTES,
        ) as answer:
            header = answer.headers.get("WWW-Authenticate", "") if answer.status == UNAUTHORIZED else ""
    except OutcomeUnknown as error:
        raise _broken(error) from error
    found = _RESOURCE_METADATA.search(header)
    return (found[1] or found[2]) if found else ""


def _broken(error: OutcomeUnknown) -> Unreachable:
    """A question that broke off may be asked again, so it is no *unknown*."""
    told = error.parameters
    return Unreachable("unavailable", stage="http", reason=told.get("reason", ""), host=told.get("host", ""))
