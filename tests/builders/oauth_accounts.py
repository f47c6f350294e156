"""Connectors and accounts of the standard OAuth strategy, as the code flow leaves them."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from connectors.access.models import User
from connectors.authorization.credentials import seal_credential
from connectors.authorization.models import Connection
from connectors.authorization.oauth_grant import OAuthGrant
from connectors.catalogue.models import Connector
from connectors.vault.secret import Secret
from tests.builders.connectors import make_connection, make_connector, make_manifest
from tests.builders.people import make_user

SECRET = "s3cr3t/client+secret"
BEARER = {"type": "http_header", "name": "Authorization", "scheme": "Bearer", "credential_field": "access_token"}
FIELDS = [
    {"key": "endpoint", "type": "url", "label_key": "endpoint", "required": True},
    {"key": "client_id", "type": "text", "label_key": "token", "required": True},
    {"key": "client_secret", "type": "secret", "label_key": "token", "required": True},
]


def make_oauth_manifest(
    key: str, issuer: str, *, method: str = "client_secret_basic", **changes: Any
) -> dict[str, Any]:
    manifest = make_manifest(key, **changes)
    manifest["configuration"] = {"fields": FIELDS[: 2 if method == "none" else 3]}
    manifest["auth"] = {
        "strategy": "oauth_authorization_code",
        "interaction": "redirect",
        "fields": [],
        "options": {
            "type": "oauth_authorization_code",
            "discovery": {
                "type": "static",
                "issuer": issuer,
                "authorization_url": f"{issuer}/authorize",
                "token_url": f"{issuer}/token",
                "revocation_url": f"{issuer}/revoke",
            },
            "client_id_configuration_field": "client_id",
            "client_secret_configuration_field": None if method == "none" else "client_secret",
            "token_endpoint_auth_method": method,
            "scopes": ["notes.read"],
            "account_identity": "connection_id",
        },
    }
    manifest["runtime"]["options"]["credential_binding"] = dict(BEARER)
    return manifest


def make_oauth_connector(
    issuer: str,
    key: str = "cloudnotes",
    *,
    endpoint: str = "http://127.0.0.1:1/mcp",
    method: str = "client_secret_basic",
    **changes: Any,
) -> Connector:
    return make_connector(
        key,
        manifest=make_oauth_manifest(key, issuer, method=method, **changes),
        configuration={"endpoint": endpoint, "client_id": "poco"},
        secrets={} if method == "none" else {"client_secret": SECRET},
    )


def grant_of(connector: Connector, **changes: Any) -> OAuthGrant:
    options = connector.version.manifest["auth"]["options"]
    issuer = options["discovery"]["issuer"]
    known: dict[str, Any] = {
        "issuer": issuer,
        "token_endpoint": f"{issuer}/token",
        "revocation_endpoint": f"{issuer}/revoke",
        "client_id": "poco",
        "auth_method": options["token_endpoint_auth_method"],
    }
    return OAuthGrant(**{**known, **changes})


def make_oauth_connection(
    connector: Connector,
    person: User | None = None,
    *,
    refresh_token: str = "r1",
    expires_at: datetime | None = None,
    refresh_expires_at: datetime | None = None,
    grant: OAuthGrant | None = None,
    **fields: Any,
) -> Connection:
    """Return an account whose access token expired a minute ago, unless said otherwise."""
    connection = make_connection(person or make_user(), connector, **fields)
    values = {"access_token": "access-0"}
    if refresh_token:
        values["refresh_token"] = refresh_token
    replace_credential(
        connection,
        values,
        expires_at=expires_at or timezone.now() - timedelta(minutes=1),
        refresh_expires_at=refresh_expires_at,
        grant=grant or grant_of(connector),
    )
    return connection


def replace_credential(connection: Connection, values: dict[str, str], **known: Any) -> None:
    """Give an account another credential, as reconnecting does."""
    with transaction.atomic():
        seal_credential(connection, {key: Secret(value) for key, value in values.items()}, **known)
