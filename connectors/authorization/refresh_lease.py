"""The lease under which one process refreshes one credential: taken, then ended by an answer or a failure.

Nothing here asks a service. Each function is one short transaction of its own; between them the request is out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from connectors.access.epoch import bump_person
from connectors.authorization.accounts import STANDING, end_authorization
from connectors.authorization.credentials import open_values, seal_credential
from connectors.authorization.models import Connection, Credential, RefreshLease
from connectors.authorization.oauth_grant import open_grant
from connectors.authorization.refresh_schedule import COOLDOWN, next_try
from connectors.authorization.refresh_ways import RefreshWay, find_way
from connectors.authorization.retirement import order_revocation
from connectors.authorization.revocation_payload import revocation_of
from connectors.authorization.scopes import note_granted
from connectors.catalogue.locking import share_connector
from connectors.catalogue.versions import manifest_of
from connectors.errors import Failed, NotFound, Refused
from connectors.vault.secret import Secret

# Longer than any request under it may take, waiting for a program's slot included.
LEASE = timedelta(seconds=120)
REFRESH_TOKEN = "refresh_token"  # noqa: S105 - the name of a value


class Standing(Enum):
    """Why there is no lease to be had."""

    RENEWED = auto()  # the credential is another than the one the caller saw
    HELD = auto()  # somebody is refreshing it
    IMPOSSIBLE = auto()  # there is nothing to refresh it with


class RefreshFailed(Failed):
    """The last refresh failed and its cooldown runs; `failure` says how. Nothing else was sent."""

    code = "refresh_failed"
    retryable = True


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to send one refresh request. In doubt, one before it may have been answered and the answer lost."""

    connection_id: UUID
    owner: UUID
    credential_version: int
    way: RefreshWay
    in_doubt: bool


@dataclass(frozen=True, slots=True)
class Renewal:
    """What a refresh brought; scopes that are not said are the old ones."""

    values: Mapping[str, Secret]
    expires_at: datetime | None = None
    refresh_expires_at: datetime | None = None
    scopes: tuple[str, ...] | None = None


@transaction.atomic
def take_lease(connection_id: UUID, seen_version: int) -> Lease | Standing:
    """Return the right to refresh the credential the caller saw, or why there is none.

    Raises `Refused("reauthorization_required")` when the grant has ended, RefreshFailed during a cooldown. A lease that
    was not given back in time belongs to a dead holder: the next one is in doubt (contract.md, "Update and removal":
    the connector's row is held first; runs that go on during a drain are refreshed).
    """
    connection = _read(connection_id)
    lease, _made = RefreshLease.objects.select_for_update().get_or_create(connection=connection)
    # Read under the lease's lock: whoever writes new tokens gives the lease back in the same transaction.
    credential = Credential.objects.filter(connection=connection).first()
    if credential is None:
        return Standing.IMPOSSIBLE
    if credential.version != seen_version:
        return Standing.RENEWED
    if not _may_refresh(connection):
        raise Refused("reauthorization_required", connector=connection.connector.key)
    now = timezone.now()
    if lease.owner is not None and lease.expires_at is not None and lease.expires_at > now:
        return Standing.HELD
    if lease.cooldown_until is not None and lease.cooldown_until > now:
        raise RefreshFailed(failure=lease.failure)
    way = find_way(connection, credential)
    if way is None:
        lease.due_at = credential.expires_at
        lease.save(update_fields=["due_at"])
        return Standing.IMPOSSIBLE
    return _hold(lease, way, credential, now)


def _read(connection_id: UUID) -> Connection:
    connector_id = Connection.objects.filter(pk=connection_id).values_list("connector_id", flat=True).first()
    if connector_id is None:
        raise NotFound("connection_not_found")
    share_connector(connector_id)
    connection = Connection.objects.select_related("connector__version").filter(pk=connection_id).first()
    if connection is None:
        raise NotFound("connection_not_found")
    return connection


def _may_refresh(connection: Connection) -> bool:
    """A credential given under another fingerprint may be meant for another service: it goes nowhere (safety §25)."""
    same = connection.authorization_fingerprint == connection.connector.authorization_fingerprint
    return same and connection.state in STANDING


def _hold(lease: RefreshLease, way: RefreshWay, credential: Credential, now: datetime) -> Lease:
    if lease.owner is not None:  # it died holding it
        lease.doubtful_since = lease.doubtful_since or lease.held_since
        lease.failing_since = lease.failing_since or lease.held_since
        lease.attempts += 1
    lease.owner, lease.held_since, lease.expires_at = uuid4(), now, now + LEASE
    lease.save()
    return Lease(lease.connection_id, lease.owner, credential.version, way, lease.doubtful_since is not None)


@transaction.atomic
def write_back(lease: Lease, renewal: Renewal) -> bool:
    """Put the new tokens in the place of the old ones, if they are still there; return whether they were.

    A holder that comes back late still writes: its tokens are good as long as nobody else has renewed them.
    """
    connection = _lock(lease)
    rows = Credential.objects.select_for_update(of=("self",))
    credential = rows.filter(connection=connection, version=lease.credential_version).first() if connection else None
    _give_back(lease)
    if connection is None or credential is None:
        _drop(lease, renewal)
        return False
    old = open_values(credential)
    seal_credential(
        connection,
        _keep_refresh_token(old, renewal.values),
        expires_at=renewal.expires_at,
        refresh_expires_at=_refresh_end(credential, old, renewal),
        grant=open_grant(credential),
    )
    if renewal.scopes is not None:
        renewable = bool(renewal.values.get(REFRESH_TOKEN) or old.get(REFRESH_TOKEN))
        note_granted(connection, manifest_of(lease.way.version), renewal.scopes, renewable=renewable)
    connection.verified_at = timezone.now()
    connection.save(update_fields=["state", "granted_scopes", "missing_scopes", "needed_scopes", "verified_at"])
    bump_person(connection.person_id)
    return True


def _drop(lease: Lease, renewal: Renewal) -> None:
    """New tokens of an account whose owner left meanwhile are good at the service, and nobody's: have them revoked."""
    if Connection.objects.filter(pk=lease.connection_id).exists():
        return
    revocation = revocation_of(lease.way, renewal.values)
    if revocation is not None:
        order_revocation(revocation, lease.way.version)


def _keep_refresh_token(old: Mapping[str, Secret], new: Mapping[str, Secret]) -> dict[str, Secret]:
    """An answer without a refresh token leaves the old one good (RFC 6749 §6; contract.md)."""
    kept = {REFRESH_TOKEN: old[REFRESH_TOKEN]} if REFRESH_TOKEN in old else {}
    return {**kept, **new}


def _refresh_end(credential: Credential, old: Mapping[str, Secret], renewal: Renewal) -> datetime | None:
    """Return until when it can be refreshed; an old refresh token that stays keeps its own end."""
    new = renewal.values.get(REFRESH_TOKEN)
    same_token = new is None or new == old.get(REFRESH_TOKEN)
    return renewal.refresh_expires_at or (credential.refresh_expires_at if same_token else None)


@transaction.atomic
def note_failure(lease: Lease, failure: str, *, may_have_happened: bool) -> None:
    """Give the lease back after a failure that says nothing about the grant: it is tried again, after a cooldown."""
    row = _ours(lease)
    if row is None:
        return
    now = timezone.now()
    row.owner = row.expires_at = row.held_since = None
    row.attempts += 1
    row.failing_since = row.failing_since or now
    row.failure = failure[:64]
    row.cooldown_until, row.due_at = now + COOLDOWN, next_try(row.attempts, now=now)
    if may_have_happened:
        row.doubtful_since = row.doubtful_since or now
    row.save()


@transaction.atomic
def note_end(lease: Lease, failure: str) -> bool:
    """End the grant: its service said that it is over. Nothing happens when the credential was replaced meanwhile."""
    _lock(lease)  # before the lease, in the order in which reconnecting takes the two
    row = _ours(lease)
    if row is not None:
        row.owner = row.expires_at = row.held_since = row.due_at = None
        row.failure = "refresh_interrupted" if lease.in_doubt else failure[:64]
        row.save()
    return end_authorization(connection_id=lease.connection_id, credential_version=lease.credential_version)


def _lock(lease: Lease) -> Connection | None:
    return Connection.objects.select_for_update(of=("self",)).filter(pk=lease.connection_id).first()


def _ours(lease: Lease) -> RefreshLease | None:
    return RefreshLease.objects.select_for_update().filter(pk=lease.connection_id, owner=lease.owner).first()


def _give_back(lease: Lease) -> None:
    RefreshLease.objects.filter(pk=lease.connection_id, owner=lease.owner).update(
        owner=None, held_since=None, expires_at=None
    )
