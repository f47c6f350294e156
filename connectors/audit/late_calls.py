"""Calls that are written after the stretch of time their id is of was sealed: each is noted, none is lost or doubled.

An id is made a little before its row is committed, so ids do not become visible in order. The rollups take everything
below a seal. Whoever writes a call looks at the seal after writing and, when the call's id is below it, notes that in
the same transaction; who moves the seal waits for those who looked before. What is not noted is thereby in its place.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import connection, transaction

from connectors.audit.inserting import insert_rows
from connectors.audit.models import CallRecord
from connectors.audit.time_keys import lowest_id
from connectors.audit.usage_models import LateCall, RollupMark

# The seal stays this far behind: long enough that hardly any call is late, short enough that few are not counted yet.
BEHIND: Final = timedelta(seconds=10)
_LOCK: Final = 0x706F636F_73656101  # an advisory lock of ours: shared by writers, alone for who moves the seal
_SEAL: Final = "SELECT sealed_to FROM connectors_rollupmark"  # no parameters, so both go in one message
_MARK: Final = 1


def insert_calls(calls: Sequence[CallRecord]) -> None:
    """Insert calls in the caller's transaction, which must not hold rows others may wait for."""
    insert_rows(calls)
    if calls and (sealed := _look_at_seal()):
        insert_rows([LateCall(call_id=call.pk) for call in calls if call.pk < sealed])


def read_mark() -> RollupMark:
    """Return how far calls are counted; nothing is while nobody has counted."""
    return RollupMark.objects.filter(pk=_MARK).first() or RollupMark(
        pk=_MARK, counted_to=UUID(int=0), sealed_to=UUID(int=0)
    )


def seal(now: datetime) -> RollupMark:
    """Move the seal up to a little before now, and return the mark. It never goes back, whatever the clock does."""
    sealed = lowest_id(now - BEHIND)
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        mark, _ = RollupMark.objects.get_or_create(
            pk=_MARK, defaults={"counted_to": UUID(int=0), "sealed_to": UUID(int=0)}
        )
        if mark.sealed_to < sealed:
            RollupMark.objects.filter(pk=_MARK).update(sealed_to=sealed)
            mark.sealed_to = sealed
    return mark


def _look_at_seal() -> UUID | None:
    """On PostgreSQL under a shared lock until the commit; on SQLite writers take turns anyway."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"SELECT pg_advisory_xact_lock_shared({_LOCK}); {_SEAL}")
            cursor.nextset()
        else:
            cursor.execute(_SEAL)
        row = cursor.fetchone()
    if row is None:
        return None
    return row[0] if isinstance(row[0], UUID) else UUID(row[0])
