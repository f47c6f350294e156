"""When each periodic task last ran. Two missed periods are overdue, and Health says so (safety.md, Fail closed)."""

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from typing import Any

from celery import current_app
from django.db import DatabaseError
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from connectors.audit.usage_models import SweepRecord
from connectors.errors import ConnectorError

log = logging.getLogger(__name__)
MISSED_PERIODS = 2
# A worker that is busy or restarting is not yet a fault.
LATE = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Sweep:
    """One periodic task; `count` is what its last run did, where it tells. `error` is a code, safe to show."""

    name: str
    period: timedelta
    expected_since: datetime
    last_started_at: datetime | None = None
    last_succeeded_at: datetime | None = None
    last_failed_at: datetime | None = None
    error: str = ""
    count: int | None = None

    def is_overdue(self, now: datetime) -> bool:
        return now - (self.last_succeeded_at or self.expected_since) > MISSED_PERIODS * self.period + LATE

    @property
    def failing(self) -> bool:
        """Whether its latest ending was a failure."""
        failed, succeeded = self.last_failed_at, self.last_succeeded_at
        return failed is not None and (succeeded is None or failed > succeeded)


def sweep[**P, R](name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Record each run of the task of that name; put it right under `@shared_task`. A number it returns is its count."""

    def decorate(task: Callable[P, R]) -> Callable[P, R]:
        @wraps(task)
        def recorded(*args: P.args, **kwargs: P.kwargs) -> R:
            _expect_all()
            _note(name, last_started_at=timezone.now())
            try:
                result = task(*args, **kwargs)
            except Exception as error:
                _note_failure(name, error)
                raise
            count = result if isinstance(result, int) and not isinstance(result, bool) else None
            _note(name, last_succeeded_at=timezone.now(), last_count=count)
            return result

        recorded.sweep_name = name  # type: ignore[attr-defined] # the test of all tasks reads it
        return recorded

    return decorate


def list_sweeps() -> tuple[Sweep, ...]:
    """Return every periodic task of the schedule, run or not, by name."""
    records = SweepRecord.objects.in_bulk()
    known_since = timezone.now() if records else _set_up_at()
    return tuple(_describe(name, period, records.get(name), known_since) for name, period in sorted(_periods().items()))


def overdue_sweeps() -> tuple[Sweep, ...]:
    """Return those that did not succeed for two of their periods."""
    now = timezone.now()
    return tuple(each for each in list_sweeps() if each.is_overdue(now))


def _describe(name: str, period: timedelta, record: SweepRecord | None, known_since: datetime) -> Sweep:
    if record is None:
        return Sweep(name, period, known_since)
    return Sweep(
        name=name,
        period=period,
        expected_since=record.expected_since,
        last_started_at=record.last_started_at,
        last_succeeded_at=record.last_succeeded_at,
        last_failed_at=record.last_failed_at,
        error=record.last_error,
        count=record.last_count,
    )


def _periods() -> dict[str, timedelta]:
    entries = current_app.conf.beat_schedule.values()
    return {entry["task"]: _length_of(entry["schedule"]) for entry in entries}


def _length_of(schedule: float | timedelta) -> timedelta:
    return schedule if isinstance(schedule, timedelta) else timedelta(seconds=schedule)


def _set_up_at() -> datetime:
    """While nothing ever ran, tasks are missed from when the tables were made."""
    applied = MigrationRecorder.Migration.objects.filter(app="connectors").order_by("-applied").first()
    return applied.applied if applied else timezone.now()


def _expect_all() -> None:
    """From the first sweep on, every one is expected; a task that a new version brings, from then."""
    missing = set(_periods()) - set(SweepRecord.objects.values_list("name", flat=True))
    now = timezone.now()
    SweepRecord.objects.bulk_create(
        [SweepRecord(name=name, expected_since=now) for name in sorted(missing)], ignore_conflicts=True
    )


def _note(name: str, **fields: Any) -> None:
    SweepRecord.objects.update_or_create(
        name=name, defaults=fields, create_defaults={"expected_since": timezone.now(), **fields}
    )


def _note_failure(name: str, error: Exception) -> None:
    code = error.code if isinstance(error, ConnectorError) else type(error).__name__
    log.warning("%s failed: %s", name, code)
    with suppress(DatabaseError):  # what failed may be the database; the error itself goes on
        _note(name, last_failed_at=timezone.now(), last_error=code[:64])
