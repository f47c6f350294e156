"""What a revocation needs once the connection is gone: sealed into its job, and nothing else to look up."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from connectors.authorization.credentials import open_values
from connectors.authorization.models import Connection, Credential
from connectors.authorization.oauth_grant import OAuthGrant, client_secret_of, open_grant, read_grant, write_grant
from connectors.authorization.programs import configuration_of
from connectors.authorization.refresh_ways import OAuthWay, RefreshWay, stored_credential
from connectors.catalogue.models import Connector
from connectors.catalogue.versions import manifest_of
from connectors.manifest.auth import ProgramAuth
from connectors.manifest.schema import Manifest
from connectors.runtime.program_context import Configuration, CredentialRevoke, StoredCredential
from connectors.runtime.program_results import IssuedCredential
from connectors.vault.secret import Secret

# The refresh token first: services end its access tokens with it (RFC 7009 §2.1).
TOKENS = ("refresh_token", "access_token")


@dataclass(frozen=True, slots=True)
class OAuthRevocation:
    """Tokens to revoke one after the other, by their RFC 7009 hint."""

    grant: OAuthGrant
    client_secret: Secret | None
    tokens: dict[str, Secret]


@dataclass(frozen=True, slots=True)
class ProgramRevocation:
    context: CredentialRevoke


type Revocation = OAuthRevocation | ProgramRevocation


def find_revocation(connection: Connection, credential: Credential) -> Revocation | None:
    """Return how the credential is revoked at its service, nothing where that is not offered.

    A credential given under another fingerprint is told to nobody whom the configuration of now names (safety §25).
    Raises `vault.errors.CannotOpen` when a sealed value is damaged.
    """
    connector = connection.connector
    manifest = manifest_of(connector.version)
    same = connection.authorization_fingerprint == connector.authorization_fingerprint
    grant = open_grant(credential)
    if grant is not None:
        own_proof = grant.auth_method == "none" or grant.client_secret is not None
        if not grant.revocation_endpoint or not (same or own_proof):
            return None
        return _tokens_of(grant, client_secret_of(grant, connector), open_values(credential))
    if not (same and isinstance(manifest.auth, ProgramAuth) and _can_revoke(manifest)):
        return None
    return ProgramRevocation(
        CredentialRevoke(
            configuration=configuration_of(connector),
            options=manifest.auth.options.model_dump(mode="json"),
            credential=stored_credential(credential),
        )
    )


def revocation_of_new(
    connector: Connector, values: Mapping[str, Secret], *, issued: IssuedCredential | None, grant: OAuthGrant | None
) -> Revocation | None:
    """Return how a credential is revoked that its service has just given out, nothing where that is not offered."""
    if grant is not None:
        return _tokens_of(grant, client_secret_of(grant, connector), values) if grant.revocation_endpoint else None
    manifest = manifest_of(connector.version)
    if not (isinstance(manifest.auth, ProgramAuth) and _can_revoke(manifest)):
        return None
    ends = (issued.expires_at, issued.refresh_expires_at) if issued else (None, None)
    return ProgramRevocation(
        CredentialRevoke(
            configuration=configuration_of(connector),
            options=manifest.auth.options.model_dump(mode="json"),
            credential=StoredCredential(values=values, expires_at=ends[0], refresh_expires_at=ends[1]),
        )
    )


def revocation_of(way: RefreshWay, values: Mapping[str, Secret]) -> Revocation | None:
    """Return how credential values are revoked that a refresh brought and nobody wants any more."""
    if isinstance(way, OAuthWay):
        if not way.grant.revocation_endpoint:
            return None
        return _tokens_of(way.grant, way.client_secret, values)
    if not _can_revoke(manifest_of(way.version)):
        return None
    asked = way.context
    return ProgramRevocation(
        CredentialRevoke(
            configuration=asked.configuration, options=asked.options, credential=StoredCredential(values=values)
        )
    )


def _tokens_of(grant: OAuthGrant, client_secret: Secret | None, values: Mapping[str, Secret]) -> OAuthRevocation:
    return OAuthRevocation(grant, client_secret, {hint: values[hint] for hint in TOKENS if values.get(hint)})


def _can_revoke(manifest: Manifest) -> bool:
    return manifest.program is not None and "credential_revoke" in manifest.program.capabilities


def write_revocation(revocation: Revocation) -> Secret:
    """Return the revocation as one text, secrets and all: only to be sealed."""
    if isinstance(revocation, OAuthRevocation):
        plain: dict[str, Any] = {
            "grant": write_grant(revocation.grant),
            "client_secret": revocation.client_secret.reveal() if revocation.client_secret else None,
            "tokens": {hint: token.reveal() for hint, token in revocation.tokens.items()},
        }
    else:
        wire = revocation.context.wire()
        issued = {key: wire["credential"][key] for key in ("values", "expires_at", "refresh_expires_at")}
        plain = {"configuration": wire["configuration"], "options": wire["options"], "credential": issued}
    return Secret(json.dumps(plain))


def read_revocation(text: Secret) -> Revocation:
    """Return the revocation that `write_revocation` wrote."""
    plain = json.loads(text.reveal())
    if "grant" in plain:
        secret = Secret(plain["client_secret"]) if plain["client_secret"] else None
        return OAuthRevocation(read_grant(plain["grant"]), secret, _hide(plain["tokens"]))
    configuration, issued = plain["configuration"], plain["credential"]
    return ProgramRevocation(
        CredentialRevoke(
            configuration=Configuration(public=configuration["public"], secret=_hide(configuration["secret"])),
            options=plain["options"],
            credential=StoredCredential(
                values=_hide(issued["values"]),
                expires_at=_moment(issued["expires_at"]),
                refresh_expires_at=_moment(issued["refresh_expires_at"]),
            ),
        )
    )


def _hide(values: dict[str, str]) -> dict[str, Secret]:
    return {key: Secret(value) for key, value in values.items()}


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
