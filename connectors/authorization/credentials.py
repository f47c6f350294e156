"""A connection's credential: a flat map of values, sealed as one (contract.md, "What public packages show")."""

import json
from collections.abc import Mapping
from datetime import datetime

from connectors.authorization.models import Connection, Credential
from connectors.authorization.oauth_grant import OAuthGrant, seal_grant
from connectors.authorization.refresh_schedule import schedule_refresh
from connectors.catalogue.binding import binding_headers
from connectors.catalogue.models import Connector
from connectors.catalogue.versions import manifest_of
from connectors.errors import Refused
from connectors.manifest.auth import ProgramAuth
from connectors.manifest.schema import Manifest
from connectors.manifest.values import as_typed, parse_values
from connectors.vault.fields import place_of
from connectors.vault.fingerprint import fingerprint_secret
from connectors.vault.sealing import open_sealed, seal
from connectors.vault.secret import Secret

__all__ = ["binding_headers", "forget_credential", "open_credential", "parse_credentials", "seal_credential"]


def parse_credentials(manifest: Manifest, raw: Mapping[str, str]) -> dict[str, Secret]:
    """Return what a person typed into the authorization form, or raise `Invalid` with a fault per field.

    Every value is kept as a secret, the fields that are none as well: together they are the credential.
    """
    parsed = parse_values(manifest.auth.fields, raw)
    return {key: Secret(as_typed(value)) for key, value in parsed.public.items()} | parsed.secrets


def seal_credential(
    connection: Connection,
    values: Mapping[str, Secret],
    *,
    expires_at: datetime | None = None,
    refresh_expires_at: datetime | None = None,
    grant: OAuthGrant | None = None,
) -> Credential:
    """Set or replace the connection's credential, raising its version, in the caller's transaction.

    Its next refresh is put on the list; `grant` is what a standard OAuth refresh needs.
    """
    credential = Credential.objects.select_for_update().filter(connection=connection).first()
    if credential is None:
        credential = Credential(connection=connection)
    else:
        credential.version += 1
    text = _write_all(values)
    credential.sealed = seal(text, place=place_of(credential))
    credential.fingerprint = fingerprint_secret(text)
    credential.expires_at = expires_at
    credential.refresh_expires_at = refresh_expires_at
    credential.renewable = is_renewable(manifest_of(connection.connector.version), values, has_grant=grant is not None)
    seal_grant(credential, grant)
    credential.save()
    schedule_refresh(credential)
    return credential


def is_renewable(manifest: Manifest, values: Mapping[str, Secret], *, has_grant: bool) -> bool:
    """Return whether a credential can be refreshed: with a refresh token, or by a program that says it can (§8)."""
    if has_grant:
        return bool(values.get("refresh_token"))
    program = manifest.program
    return (
        isinstance(manifest.auth, ProgramAuth) and program is not None and "credential_refresh" in program.capabilities
    )


def holds_same(connection: Connection, values: Mapping[str, Secret]) -> bool:
    """Return whether the connection's credential has these very values already."""
    return Credential.objects.filter(connection=connection, fingerprint=fingerprint_secret(_write_all(values))).exists()


def open_credential(connection: Connection) -> dict[str, Secret]:
    """Return the connection's credential values, none for a connector that asks for none.

    A credential that was given under another authorization fingerprint stays closed: it may be meant for another
    server (safety §25). Raises `Refused("reauthorization_required")` then, `vault.errors.CannotOpen` when damaged, and
    `Refused("connector_removing")` at a connector on its way out.
    """
    if connection.connector.transition == Connector.Transition.REMOVING:
        raise Refused("connector_removing", key=connection.connector.key)
    if connection.authorization_fingerprint != connection.connector.authorization_fingerprint:
        raise Refused("reauthorization_required", connector=connection.connector.key)
    credential = Credential.objects.filter(connection=connection).first()
    return {} if credential is None else open_values(credential)


def open_values(credential: Credential) -> dict[str, Secret]:
    """Return a credential's values, whatever they may be used for; raise `vault.errors.CannotOpen` when damaged."""
    opened = open_sealed(credential.sealed, place=place_of(credential))
    values: dict[str, str] = json.loads(opened.reveal())
    return {key: Secret(value) for key, value in values.items()}


def forget_credential(connection: Connection) -> None:
    """Delete the connection's credential, in the caller's transaction."""
    Credential.objects.filter(connection=connection).delete()


def _write_all(values: Mapping[str, Secret]) -> Secret:
    return Secret(json.dumps({key: secret.reveal() for key, secret in values.items()}, sort_keys=True))
