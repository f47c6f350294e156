"""What must be remembered of a standard OAuth grant to refresh and to revoke it, sealed beside the credential."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from connectors.authorization.models import Credential
from connectors.catalogue.configuration import open_configuration
from connectors.catalogue.models import Connector
from connectors.catalogue.versions import manifest_of
from connectors.manifest.auth import OAuthAuth, TokenEndpointMethod
from connectors.vault.fields import place_of
from connectors.vault.sealing import open_sealed, seal
from connectors.vault.secret import Secret


@dataclass(frozen=True, slots=True)
class OAuthGrant:
    """Where tokens of one grant come from and as which client (RFC 6749 §6, RFC 8707, RFC 7009).

    `client_secret` is a registered client's own. A configured client's stays in the connector's configuration, so that
    a rotated one is used at once: see `client_secret_of`.
    """

    issuer: str
    token_endpoint: str
    client_id: str
    auth_method: TokenEndpointMethod
    resource: str = ""
    revocation_endpoint: str = ""
    client_secret: Secret | None = None


def seal_grant(credential: Credential, grant: OAuthGrant | None) -> None:
    """Put a grant, or none, into its column; the caller saves the row."""
    credential.grant = None if grant is None else seal(Secret(write_grant(grant)), place=place_of(credential, "grant"))


def open_grant(credential: Credential) -> OAuthGrant | None:
    """Return the credential's grant; raise `vault.errors.CannotOpen` when it is damaged."""
    if credential.grant is None:
        return None
    return read_grant(open_sealed(credential.grant, place=place_of(credential, "grant")).reveal())


def client_secret_of(grant: OAuthGrant, connector: Connector) -> Secret | None:
    """Return the secret the client proves itself with now, nothing for a public one."""
    if grant.auth_method == "none" or grant.client_secret is not None:
        return grant.client_secret
    auth = manifest_of(connector.version).auth
    field = auth.options.client_secret_configuration_field if isinstance(auth, OAuthAuth) else None
    return open_configuration(connector).secrets.get(field) if field else None


def write_grant(grant: OAuthGrant) -> str:
    """Return the grant as JSON with its secret in it: only to be sealed."""
    plain: dict[str, Any] = asdict(grant)
    plain["client_secret"] = grant.client_secret.reveal() if grant.client_secret else None
    return json.dumps(plain, sort_keys=True)


def read_grant(text: str) -> OAuthGrant:
    """Return the grant that `write_grant` wrote."""
    plain = json.loads(text)
    secret = plain.pop("client_secret")
    return OAuthGrant(**plain, client_secret=Secret(secret) if secret else None)
