"""Save an account that was proved: as a new connection, or in the place of the one it authorizes again.

Everything here runs in the caller's transaction, after `VerifiedAccount.lock`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.utils import timezone

from connectors.access.epoch import bump_person
from connectors.access.models import User
from connectors.authorization.accounts import record_connection_event
from connectors.authorization.avatars import Avatar, fetch_avatar, save_avatar
from connectors.authorization.credentials import forget_credential, holds_same, seal_credential
from connectors.authorization.models import Connection
from connectors.authorization.oauth_grant import OAuthGrant
from connectors.authorization.retirement import retire_credential
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import is_visible
from connectors.errors import Conflict, NotFound
from connectors.runtime.program_results import AuthorizedAccount
from connectors.vault.secret import Secret


@dataclass(frozen=True, slots=True)
class VerifiedAccount:
    """Credential values that worked, the connector they worked at, and what is known of the account.

    `grant` is there for standard OAuth alone; `missing_scopes` were asked for and not granted.
    """

    connector: Connector
    values: Mapping[str, Secret]
    account: AuthorizedAccount | None = None
    grant: OAuthGrant | None = None
    missing_scopes: tuple[str, ...] = ()
    avatar: Avatar | None = None

    def lock(self, person: User) -> Connector:
        """Return the connector, locked and still what was verified; verifying took time."""
        current = lock_connector(self.connector.pk)
        if not is_visible(current, person):
            raise NotFound("connector_not_found", key=current.key)
        seen = (self.connector.version_id, self.connector.configuration_revision)
        if (current.version_id, current.configuration_revision) != seen:
            raise Conflict("connector_changed", key=current.key)
        return current

    def with_avatar(self) -> "VerifiedAccount":
        """Return the same with its picture, fetched now: outside any transaction."""
        return replace(self, avatar=fetch_avatar(self.account.avatar_url if self.account else None))

    def described(self) -> dict[str, Any]:
        """Return the connection's fields that say whose account it is and what it may do there."""
        state = Connection.State.INSUFFICIENT_SCOPE if self.missing_scopes else Connection.State.ACTIVE
        fields: dict[str, Any] = {"state": state, "missing_scopes": list(self.missing_scopes)}
        fields |= {"needed_scopes": [], "unreachable_since": None, "unreachable_stage": ""}
        if self.account is not None:
            fields |= {
                "external_account_id": self.account.external_account_id or "",
                "external_account_name": self.account.external_account_name or "",
                "avatar_url": self.account.avatar_url or "",
                "granted_scopes": list(self.account.granted_scopes),
                "public_metadata": self.account.public_metadata,
            }
        return fields


def save_new(
    verified: VerifiedAccount, *, connection_id: UUID, person: User, connector: Connector, alias: str
) -> Connection:
    """Return the person's new connection."""
    connection = Connection.objects.create(
        id=connection_id,
        person=person,
        connector=connector,
        alias=alias,
        authorization_fingerprint=connector.authorization_fingerprint,
        verified_at=timezone.now(),
        **verified.described(),
    )
    _save_credential(connection, verified)
    save_avatar(connection, verified.avatar, same_picture=False)
    bump_person(person.pk)
    record_connection_event("account_connected", connection, person, after={"alias": alias})
    return connection


def save_again(verified: VerifiedAccount, *, connection: Connection, connector: Connector) -> Connection:
    """Return the same connection under its new credential; alias and grants stay, its grant revision rises."""
    current = Connection.objects.select_for_update(of=("self",)).filter(pk=connection.pk).first()
    if current is None or current.state == Connection.State.DISCONNECTING:
        raise NotFound("connection_not_found")
    before: dict[str, Any] = {"state": current.state, "grant_revision": current.grant_revision}
    picture = current.avatar_url
    retire_credential(current, revoke=_leaves_one_behind(current, verified))
    current.connector = connector
    current.authorization_fingerprint = connector.authorization_fingerprint
    current.grant_revision += 1
    current.verified_at = timezone.now()
    for name, value in verified.described().items():
        setattr(current, name, value)
    current.save()
    _save_credential(current, verified)
    save_avatar(current, verified.avatar, same_picture=bool(picture) and picture == current.avatar_url)
    bump_person(current.person_id)
    after: dict[str, Any] = {"state": current.state, "grant_revision": current.grant_revision}
    record_connection_event("account_reconnected", current, current.person, before=before, after=after)
    return current


def _leaves_one_behind(connection: Connection, verified: VerifiedAccount) -> bool:
    """Return whether the credential being replaced stays good at the service: only a program can say (§8).

    A standard OAuth grant is not revoked here: revoking its old refresh token ends the new grant at several services
    (RFC 7009 §2.1). What a person typed is theirs to take back.
    """
    account = verified.account
    if account is None or verified.grant is not None or account.invalidates_existing_credential:
        return False
    return not holds_same(connection, verified.values)


def _save_credential(connection: Connection, verified: VerifiedAccount) -> None:
    issued = verified.account.credential if verified.account else None
    if verified.values:
        seal_credential(
            connection,
            verified.values,
            expires_at=issued.expires_at if issued else None,
            refresh_expires_at=issued.refresh_expires_at if issued else None,
            grant=verified.grant,
        )
    else:
        forget_credential(connection)
