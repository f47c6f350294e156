"""How long each log is kept. Old rows go in small batches; what they were used for is counted before they go.

A batch is one short transaction, and after each the sweep rests as long as it took, so that SQLite's one writer is
never away for long. Administrative events go by whole signed stretches (`segments.py`), contents by their own time
(`capture.py`).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import batched
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from connectors.audit.late_calls import read_mark
from connectors.audit.models import AdminEvent, CallRecord, DecisionRecord
from connectors.audit.segments import remove_old_events
from connectors.audit.tally import floor_day
from connectors.audit.time_keys import lowest_id, moment_of
from connectors.audit.usage_models import LateCall, UsageDay, UsageHour, UsageSubject

BATCH: Final = 500
CHUNK: Final = 200  # subjects
ANALYSED: Final = 1000
SECONDS: Final = 60.0
CALLS, DECISIONS, EVENTS, USAGE = "calls", "decisions", "events", "usage"


@dataclass(frozen=True, slots=True)
class Kept:
    """One log: how many days it is kept (None: for good) and when its oldest row is of (None: it is empty)."""

    log: str
    days: int | None
    oldest: datetime | None

    def is_behind(self, now: datetime) -> bool:
        """Whether rows are there that should have gone a day ago."""
        return bool(self.days and self.oldest and now - self.oldest > timedelta(days=self.days + 1))


def remove_old_rows(*, seconds: float = SECONDS) -> int:
    """Remove what is older than the settings say, for a while; return how many rows of all logs."""
    until = time.monotonic() + seconds
    removed = _remove(CallRecord, _counted_before(_cutoff(CALLS)), until)
    removed += _remove(DecisionRecord, _lowest(_cutoff(DECISIONS)), until)
    removed += _remove_rollups(_cutoff(USAGE), until)
    if before := _cutoff(EVENTS):
        removed += remove_old_events(before=before)
    if connection.vendor == "sqlite":
        _look_at_sizes()
    return removed


def list_kept() -> tuple[Kept, ...]:
    """Return each log for Health."""
    days = settings.KEEP_DAYS
    call = CallRecord.objects.order_by("pk").values_list("pk", flat=True)
    decision = DecisionRecord.objects.order_by("pk").values_list("pk", flat=True)
    event = AdminEvent.objects.order_by("pk").values_list("at", flat=True).first()
    return (
        Kept(CALLS, days[CALLS], _moment(call)),
        Kept(DECISIONS, days[DECISIONS], _moment(decision)),
        Kept(EVENTS, days[EVENTS], event),
        Kept(USAGE, days[USAGE], _oldest_hour()),
    )


def _cutoff(log: str) -> datetime | None:
    days = settings.KEEP_DAYS[log]
    return timezone.now() - timedelta(days=days) if days else None


def _lowest(moment: datetime | None) -> UUID | None:
    return lowest_id(moment) if moment else None


def _counted_before(moment: datetime | None) -> UUID | None:
    """Calls that are not in the rollups yet stay, however old."""
    if moment is None:
        return None
    late = LateCall.objects.order_by("pk").values_list("pk", flat=True).first()
    return min(filter(None, (lowest_id(moment), read_mark().counted_to, late)), default=None)


def _remove(table: type[CallRecord] | type[DecisionRecord], below: UUID | None, until: float) -> int:
    if below is None:
        return 0

    def batch() -> int | None:
        keys = list(table.objects.filter(pk__lt=below).order_by("pk").values_list("pk", flat=True)[:BATCH])
        return table.objects.filter(pk__gte=keys[0], pk__lte=keys[-1]).delete()[0] if keys else None

    return _in_batches(batch, until)


def _remove_rollups(before: datetime | None, until: float) -> int:
    """Remove hours and days of before a day, subject by subject; what was ever used, and when last, stays known."""
    if before is None or not _oldest_hour(before=floor_day(before)):
        return 0
    chunks = batched(list(UsageSubject.objects.order_by("-pk").values_list("pk", flat=True)), CHUNK)

    def batch() -> int | None:
        chunk = next(chunks, None)
        if not chunk:
            return None
        rows = [
            table.objects.filter(subject_id__in=chunk, start__lt=floor_day(before)) for table in (UsageHour, UsageDay)
        ]
        return sum(table.delete()[0] for table in rows)

    return _in_batches(batch, until)


def _oldest_hour(*, before: datetime | None = None) -> datetime | None:
    subject = UsageSubject.objects.filter(level=UsageSubject.Level.ALL).first()
    rows = UsageHour.objects.filter(subject=subject)
    if before:
        rows = rows.filter(start__lt=before)
    return rows.order_by("start").values_list("start", flat=True).first()


def _in_batches(remove: Callable[[], int | None], until: float) -> int:
    """Remove batch after batch until one says None: there are no more."""
    removed = 0
    while (started := time.monotonic()) < until and (gone := remove()) is not None:
        removed += gone
        time.sleep(min(time.monotonic() - started, 1.0))
    return removed


def _look_at_sizes() -> None:
    """SQLite does not do so by itself, and without it takes the wrong index where it has a choice."""
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA analysis_limit = {ANALYSED}")
        cursor.execute("ANALYZE")


def _moment(keys: "QuerySet[CallRecord, UUID] | QuerySet[DecisionRecord, UUID]") -> datetime | None:
    key = keys.first()
    return moment_of(key) if key else None
