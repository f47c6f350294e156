"""What happens to a connection once it exists: its state, its name, its end."""

from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from connectors.access.epoch import bump_person
from connectors.access.models import User
from connectors.audit.recording import record_admin_event
from connectors.authorization.aliases import parse_alias, same_alias
from connectors.authorization.models import Connection
from connectors.authorization.retirement import retire_credential
from connectors.errors import Conflict, NotFound

MANAGE = "connectors.manage_connectors"
# In these the authorization itself stands: its credential is kept fresh.
STANDING = (Connection.State.ACTIVE, Connection.State.INSUFFICIENT_SCOPE, Connection.State.UNREACHABLE)


def effective_state(connection: Connection) -> Connection.State:
    """Return the state that counts: one granted under another fingerprint needs reauthorization (contract.md, §9)."""
    if connection.state == Connection.State.DISCONNECTING:
        return Connection.State.DISCONNECTING
    if connection.authorization_fingerprint != connection.connector.authorization_fingerprint:
        return Connection.State.REAUTHORIZATION_REQUIRED
    return Connection.State(connection.state)


@transaction.atomic
def disconnect(*, connection: Connection, actor: User | None) -> None:
    """End a connection at once, with its credential and every grant on it; the service is told behind it.

    Its owner may, and who manages connectors; to anybody else it does not exist.
    """
    current = _lock(connection, actor)
    retire_credential(current, revoke=True)
    bump_person(current.person_id)
    Connection.objects.filter(pk=current.pk).delete()
    record_connection_event("account_disconnected", current, actor, before={"state": current.state})


def rename_connection(*, connection: Connection, alias: str, actor: User) -> Connection:
    """Give a connection another alias; an empty one only to the only account."""
    try:
        with transaction.atomic():
            current = _lock(connection, actor)
            others = Connection.objects.filter(person=current.person_id, connector=current.connector_id)
            taken = list(others.exclude(pk=current.pk).values_list("alias", flat=True))
            new = parse_alias(alias) if taken or alias.strip() else ""
            if any(same_alias(new, each) for each in taken):
                raise Conflict("alias_taken", alias=new)
            if new == current.alias:
                return current
            before, current.alias = current.alias, new
            current.save(update_fields=["alias"])
            bump_person(current.person_id)
            record_connection_event("account_renamed", current, actor, before={"alias": before}, after={"alias": new})
    except IntegrityError as error:
        raise Conflict("alias_taken", alias=alias) from error
    return current


@transaction.atomic
def end_authorization(*, connection_id: UUID, credential_version: int) -> bool:
    """Note that a service no longer takes a credential; return whether that was news.

    Nothing happens when the credential has been replaced meanwhile: the refusal was the old one's. Version 0 stands for
    a connection without a credential.
    """
    current = Connection.objects.select_for_update(of=("self",)).filter(pk=connection_id).first()
    if current is None or current.state not in STANDING:
        return False
    credential = getattr(current, "credential", None)
    if (credential.version if credential else 0) != credential_version:
        return False
    current.state = Connection.State.REAUTHORIZATION_REQUIRED
    current.save(update_fields=["state"])
    bump_person(current.person_id)
    return True


def record_connection_event(
    act: str,
    connection: Connection,
    actor: User | None,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Write an act on a connection into the caller's transaction."""
    connector = connection.connector.key
    record_admin_event(
        actor=actor,
        act=act,
        target_kind="connection",
        target_id=str(connection.pk),
        target_name=f"{connector} · {connection.alias}" if connection.alias else connector,
        before=before or {},
        after=after or {},
    )


def _lock(connection: Connection, actor: User | None) -> Connection:
    rows = Connection.objects.select_for_update(of=("self",)).select_related("connector")
    current = rows.filter(pk=connection.pk).first()
    if current is None or not _may_change(current, actor):
        raise NotFound("connection_not_found")
    return current


def _may_change(connection: Connection, actor: User | None) -> bool:
    return actor is None or connection.person_id == actor.pk or actor.has_perm(MANAGE)
