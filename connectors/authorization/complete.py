"""Authorize an account at a connector: verified first, then saved (handbook §5). Nothing is saved on failure."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from uuid_utils.compat import uuid7

from connectors.access.epoch import bump_person
from connectors.access.models import User
from connectors.authorization.accounts import record_connection_event
from connectors.authorization.aliases import parse_alias
from connectors.authorization.credentials import forget_credential, parse_credentials, seal_credential
from connectors.authorization.models import Connection
from connectors.authorization.places import find_place
from connectors.authorization.programs import authorize_with_program, verify_with_program
from connectors.authorization.verification import verify_account
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import find_visible, is_visible
from connectors.catalogue.versions import manifest_of
from connectors.errors import Conflict, NotFound, Refused
from connectors.manifest.schema import Manifest
from connectors.runtime.program_context import Intent
from connectors.runtime.program_results import AuthorizedAccount
from connectors.vault.secret import Secret

NOTHING: Mapping[str, str] = MappingProxyType({})
STANDARD = frozenset({"none", "static_credentials"})


def connect_account(
    *, person: User, connector: Connector, alias: str = "", raw_credentials: Mapping[str, str] = NOTHING
) -> Connection:
    """Return a person's new, verified connection, or their dead one brought back under the same alias.

    Raises `Invalid` (fields, alias), `Conflict` (already_connected, alias_taken, too_many_accounts, connector_changed),
    `NotFound` when the person may not see the connector, and Unreachable or UpstreamFault with the failing stage.
    """
    offered = find_visible(person, connector.key)
    manifest = manifest_of(offered.version)
    alias = parse_alias(alias) if alias.strip() else ""
    _find_place(person, offered, manifest, alias)
    connection_id = uuid7()
    verified = _verify(offered, manifest, raw_credentials, connection_id=connection_id, intent="connect")
    with transaction.atomic():
        current = verified.lock(person)
        place = _find_place(person, current, manifest, alias)
        if place is not None:
            return _save_again(place, current, verified)
        connection = Connection.objects.create(
            id=connection_id,
            person=person,
            connector=current,
            alias=alias,
            authorization_fingerprint=current.authorization_fingerprint,
            verified_at=timezone.now(),
            **verified.described(),
        )
        _save_credential(connection, verified)
        bump_person(person.pk)
        record_connection_event("account_connected", connection, person, after={"alias": alias})
    return connection


def reconnect_account(*, connection: Connection, raw_credentials: Mapping[str, str] = NOTHING) -> Connection:
    """Return the same connection, authorized anew; alias and grants stay, its grant revision rises.

    Raises what `connect_account` raises; the old credential stays in use until the new one is verified.
    """
    person = connection.person
    offered = find_visible(person, connection.connector.key)
    manifest = manifest_of(offered.version)
    verified = _verify(offered, manifest, raw_credentials, connection_id=connection.pk, intent="reauthorize")
    with transaction.atomic():
        current = verified.lock(person)
        return _save_again(connection, current, verified)


@dataclass(frozen=True, slots=True)
class _Verified:
    """Credential values that worked, the connector they worked at, and what a program said about the account."""

    connector: Connector
    values: Mapping[str, Secret]
    account: AuthorizedAccount | None = None

    def described(self) -> dict[str, Any]:
        """Return the connection's fields that say whose account it is; only a program knows (§8)."""
        if self.account is None:
            return {}
        return {
            "external_account_id": self.account.external_account_id or "",
            "external_account_name": self.account.external_account_name or "",
            "avatar_url": self.account.avatar_url or "",
            "granted_scopes": list(self.account.granted_scopes),
            "public_metadata": self.account.public_metadata,
        }

    def lock(self, person: User) -> Connector:
        """Return the connector, locked and still what was verified; verifying took time."""
        current = lock_connector(self.connector.pk)
        if not is_visible(current, person):
            raise NotFound("connector_not_found", key=current.key)
        seen = (self.connector.version_id, self.connector.configuration_revision)
        if (current.version_id, current.configuration_revision) != seen:
            raise Conflict("connector_changed", key=current.key)
        return current


def _verify(
    connector: Connector, manifest: Manifest, raw: Mapping[str, str], *, connection_id: UUID, intent: Intent
) -> _Verified:
    """Let a program sign in where the strategy is `program`; then let the runtime prove the credential (§5, §8)."""
    values: Mapping[str, Secret] = parse_credentials(manifest, raw)
    account: AuthorizedAccount | None = None
    if manifest.auth.strategy == "program":
        account = authorize_with_program(connector, values, intent=intent)
        values = account.credential.values if account.credential else {}
    elif manifest.auth.strategy not in STANDARD:
        raise Refused("strategy_not_available", strategy=manifest.auth.strategy, adapter=manifest.runtime.adapter)
    if manifest.runtime.adapter == "remote_mcp":
        verify_account(manifest, connector.configuration, values)
    elif account is None:
        verify_with_program(connector, values, connection_id=connection_id)
    return _Verified(connector, values, account)


def _find_place(person: User, connector: Connector, manifest: Manifest, alias: str) -> Connection | None:
    existing = Connection.objects.filter(person=person, connector=connector).select_related("connector")
    return find_place(list(existing), policy=manifest.connection_policy, alias=alias)


def _save_again(connection: Connection, connector: Connector, verified: _Verified) -> Connection:
    current = Connection.objects.select_for_update(of=("self",)).filter(pk=connection.pk).first()
    if current is None or current.state == Connection.State.DISCONNECTING:
        raise NotFound("connection_not_found")
    before: dict[str, Any] = {"state": current.state, "grant_revision": current.grant_revision}
    current.connector = connector
    current.state = Connection.State.ACTIVE
    current.authorization_fingerprint = connector.authorization_fingerprint
    current.grant_revision += 1
    current.verified_at = timezone.now()
    for name, value in verified.described().items():
        setattr(current, name, value)
    current.save()
    _save_credential(current, verified)
    bump_person(current.person_id)
    after: dict[str, Any] = {"state": current.state, "grant_revision": current.grant_revision}
    record_connection_event("account_reconnected", current, current.person, before=before, after=after)
    return current


def _save_credential(connection: Connection, verified: _Verified) -> None:
    issued = verified.account.credential if verified.account else None
    if verified.values:
        seal_credential(
            connection,
            verified.values,
            expires_at=issued.expires_at if issued else None,
            refresh_expires_at=issued.refresh_expires_at if issued else None,
        )
    else:
        forget_credential(connection)
