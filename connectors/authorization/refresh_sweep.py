"""Refresh what is due. The database is the queue: a sweep that is missed delays work, two at once share it."""

import asyncio
from datetime import datetime, timedelta
from uuid import UUID

from asgiref.sync import async_to_sync
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from connectors.audit.database_lanes import in_database
from connectors.authorization.accounts import STANDING, end_authorization
from connectors.authorization.models import Credential, RefreshLease
from connectors.authorization.refresh import carry_out
from connectors.authorization.refresh_lease import Lease, RefreshFailed, Standing, take_lease
from connectors.errors import ConnectorError

BATCH = 200
AT_ONCE = 16
POSTPONED = timedelta(hours=1)


def refresh_due() -> int:
    """Refresh every credential whose time has come, and return how many requests went out."""
    return async_to_sync(_refresh_all)(list_due(timezone.now()))


def list_due(now: datetime) -> list[tuple[UUID, int]]:
    """Return connection and credential version of what is due and nobody holds, the longest due first.

    A connector that drains is left alone: what a run needs meanwhile is refreshed by its calls.
    """
    free = Q(owner=None) | Q(expires_at__lte=now)
    same = Q(connection__authorization_fingerprint=F("connection__connector__authorization_fingerprint"))
    due = RefreshLease.objects.filter(free, same, due_at__lte=now, connection__state__in=STANDING)
    settled = due.filter(connection__connector__transition="")
    known = settled.filter(connection__credential__isnull=False).order_by("due_at")
    return list(known.values_list("connection_id", "connection__credential__version")[:BATCH])


async def _refresh_all(due: list[tuple[UUID, int]]) -> int:
    gate = asyncio.Semaphore(AT_ONCE)

    async def refresh(connection_id: UUID, version: int) -> int:
        async with gate:
            return await _refresh_one(connection_id, version)

    return sum(await asyncio.gather(*(refresh(*one) for one in due)))


async def _refresh_one(connection_id: UUID, version: int) -> int:
    try:
        standing = await in_database(take_lease, connection_id, version)
    except RefreshFailed:  # its cooldown ends later than its due time
        return 0
    except ConnectorError as error:  # it cannot even be tried: damaged, or gone
        await in_database(_postpone, connection_id, error.code)
        return 0
    if isinstance(standing, Lease):
        await carry_out(standing)
        return 1
    if standing is Standing.IMPOSSIBLE:
        await in_database(_end_expired, connection_id, version)
    return 0


def _postpone(connection_id: UUID, failure: str) -> None:
    RefreshLease.objects.filter(pk=connection_id).update(due_at=timezone.now() + POSTPONED, failure=failure[:64])


@transaction.atomic
def _end_expired(connection_id: UUID, version: int) -> None:
    """A credential that cannot be refreshed ends with its life; until then it stands on the list for that moment."""
    credential = Credential.objects.filter(connection=connection_id, version=version).first()
    if credential is None or credential.expires_at is None or credential.expires_at > timezone.now():
        return
    RefreshLease.objects.filter(pk=connection_id).update(due_at=None, failure="expired")
    end_authorization(connection_id=connection_id, credential_version=version)
