"""Which client we are at an authorization server: the configured one, else one the server lets us be.

    configured   the administrator's client id
    document     a client id metadata document under BACKEND_URL, where that is public https and the server reads such
    registered   RFC 7591, once a connector and issuer; what one issuer gave us is never shown to another

The last two only where the package leaves its client id field optional and it is empty.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, get_args
from urllib.parse import urlsplit

from asgiref.sync import async_to_sync
from django.conf import settings
from django.utils import timezone
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from connectors.authorization.models import RegisteredClient
from connectors.authorization.server_metadata import AuthorizationServer
from connectors.catalogue.configuration import OpenConfiguration
from connectors.catalogue.models import Connector
from connectors.egress.client import Timeouts, get_client
from connectors.egress.errors import AddressRefused
from connectors.egress.policy import EgressPolicy
from connectors.errors import OutcomeUnknown, Refused, UpstreamFault
from connectors.manifest.auth import OAuthOptions, TokenEndpointMethod
from connectors.manifest.strict_json import JsonFault, parse_strict
from connectors.runtime.deadline import Deadline
from connectors.vault.fields import place_of
from connectors.vault.sealing import open_sealed, seal
from connectors.vault.secret import Secret

CALLBACK_PATH = "/api/v1/connectors/oauth/callback"
CLIENT_DOCUMENT_PATH = "/api/v1/connectors/oauth/client.json"
CLIENT_NAME = "Poco Connectors"
MAX_ANSWER_BYTES = 64 * 1024
CREATED = (200, 201)
PUBLIC: TokenEndpointMethod = "none"


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """`secret` is a registered client's own; a configured one's stays in the configuration (see `oauth_grant`)."""

    client_id: str
    method: TokenEndpointMethod
    secret: Secret | None = None


class _Registration(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    client_id: Annotated[str, StringConstraints(min_length=1, max_length=2048)]
    client_secret: str | None = None
    client_secret_expires_at: int = 0
    token_endpoint_auth_method: str | None = None


def redirect_uri() -> str:
    """Return the one address people come back to, as it is registered at every service (§5)."""
    return f"{settings.BACKEND_URL}{CALLBACK_PATH}"


def client_document() -> dict[str, Any]:
    """Return what we say about ourselves to servers that read client id metadata documents."""
    return {"client_id": f"{settings.BACKEND_URL}{CLIENT_DOCUMENT_PATH}", **_describe(PUBLIC)}


def is_public_https(url: str) -> bool:
    """Return whether others can fetch from an address: https, and a name or address of the public network."""
    host = urlsplit(url).hostname or ""
    if urlsplit(url).scheme != "https" or "." not in host or host.endswith((".localhost", ".local", ".internal")):
        return False
    try:
        EgressPolicy().check_url(url)
    except AddressRefused:
        return False
    return True


def find_client(
    connector: Connector,
    options: OAuthOptions,
    opened: OpenConfiguration,
    server: AuthorizationServer,
    *,
    deadline: Deadline,
) -> OAuthClient:
    """Return who we are at the server; raise `Refused("client_id_missing")` when there is no way to be anybody."""
    configured = opened.public.get(options.client_id_configuration_field)
    if configured:
        field = options.client_secret_configuration_field
        if options.token_endpoint_auth_method != PUBLIC and not opened.secrets.get(field or ""):
            raise Refused("configuration_incomplete", field=field)
        return OAuthClient(str(configured), options.token_endpoint_auth_method)
    if server.takes_metadata_documents and is_public_https(settings.BACKEND_URL):
        return OAuthClient(f"{settings.BACKEND_URL}{CLIENT_DOCUMENT_PATH}", PUBLIC)
    if not server.registration_endpoint:
        raise Refused("client_id_missing", issuer=server.issuer, redirect_uri=redirect_uri())
    known = _find_registered(connector, server.issuer)
    if known is not None:
        return known
    given = async_to_sync(_register)(options, server, deadline)
    return _keep(connector, server.issuer, given, options.token_endpoint_auth_method)


def _find_registered(connector: Connector, issuer: str) -> OAuthClient | None:
    row = RegisteredClient.objects.filter(connector=connector, issuer=issuer, redirect_uri=redirect_uri()).first()
    if row is None or (row.expires_at and row.expires_at <= timezone.now()):
        return None
    secret = open_sealed(row.sealed, place=place_of(row)) if row.sealed is not None else None
    return OAuthClient(row.client_id, _method(row.method), secret)


async def _register(options: OAuthOptions, server: AuthorizationServer, deadline: Deadline) -> _Registration:
    wish = _describe(options.token_endpoint_auth_method, options.scopes)
    try:
        answer = await get_client().request(
            "POST",
            server.registration_endpoint,
            headers={"Content-Type": "application/json", "Accept": "application/json"},
            body=json.dumps(wish).encode(),
            timeout=Timeouts(total=deadline.remaining()),
            max_bytes=MAX_ANSWER_BYTES,
        )
    except OutcomeUnknown as error:
        raise UpstreamFault("registration_failed", issuer=server.issuer, status=0) from error
    if answer.status not in CREATED:
        raise UpstreamFault("registration_failed", issuer=server.issuer, status=answer.status)
    try:
        return _Registration.model_validate(parse_strict(answer.body, max_bytes=MAX_ANSWER_BYTES))
    except (JsonFault, ValidationError) as error:
        raise UpstreamFault("registration_failed", issuer=server.issuer, status=answer.status) from error


def _keep(connector: Connector, issuer: str, given: _Registration, wished: str) -> OAuthClient:
    """Keep what was given; of two that registered at once the later one's is kept, and both are good."""
    secret = Secret(given.client_secret) if given.client_secret else None
    method = _method(given.token_endpoint_auth_method or wished) if secret else PUBLIC
    keys = {"connector": connector, "issuer": issuer, "redirect_uri": redirect_uri()}
    row = RegisteredClient.objects.filter(**keys).first() or RegisteredClient(**keys)
    row.client_id, row.method = given.client_id, method
    row.sealed = seal(secret, place=place_of(row)) if secret else None
    ends = given.client_secret_expires_at
    row.expires_at = datetime.fromtimestamp(ends, UTC) if ends > 0 else None
    row.save()
    return OAuthClient(given.client_id, method, secret)


def _method(name: str) -> TokenEndpointMethod:
    if name not in get_args(TokenEndpointMethod):
        raise UpstreamFault("registration_failed", method=name[:32])
    return name  # type: ignore[return-value]  # one of the literal's own


def _describe(method: str, scopes: Sequence[str] = ()) -> dict[str, Any]:
    described = {
        "client_name": CLIENT_NAME,
        "client_uri": settings.BACKEND_URL,
        "redirect_uris": [redirect_uri()],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
    }
    return described | ({"scope": " ".join(scopes)} if scopes else {})
