"""Counting calls into hours and days, so that no page has to read them and the numbers outlive them.

A batch is read and added up, then written in one transaction that also moves the mark, if the mark is still where the
batch began. So a batch counts once, however often it is tried, by however many workers, and wherever one is killed.
"""

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from connectors.audit.bulk_rows import find_rows, insert_new, update_rows, upsert_rows
from connectors.audit.late_calls import read_mark, seal
from connectors.audit.latency import histogram_of, pack, unpack
from connectors.audit.models import CallRecord
from connectors.audit.tally import COLUMNS, DAILY, KEYS, NAMES, CountedCall, Level, Tally, read_calls
from connectors.audit.usage_models import LateCall, RollupMark, UsageCell, UsageDay, UsageHour, UsageSubject

# Calls a batch: the more, the fewer cells a call. SQLite's writers wait while one is written, some 30 ms for so many.
BATCHES: Final = {"sqlite": 500, "postgresql": 5_000}
SECONDS: Final = 25.0
_TOLD: Final = ("person_name", "agent_name", "alias")  # of the last call, not what tells subjects apart
_NUMBERS: Final = ("calls", "errors", "latency")

# A subject's columns but its id, and what is in those that its level has no use for.
_EMPTY: Final = {
    one.attname: None if one.null else ""
    for one in UsageSubject._meta.concrete_fields  # noqa: SLF001 - Django's documented meta API
    if not one.primary_key
}

type Cells = dict[datetime, Tally]  # by when they start


@dataclass(slots=True)
class _Subject:
    level: Level
    key: tuple[Any, ...]
    last: CountedCall
    hours: Cells = field(default_factory=dict)
    days: Cells = field(default_factory=dict)

    @property
    def digest(self) -> UUID:
        told = "\0".join(["" if part is None else str(part) for part in (int(self.level), *self.key)])
        return UUID(bytes=hashlib.blake2b(told.encode(), digest_size=16).digest())


@dataclass(slots=True)
class Batch:
    """Some calls added up, and where the mark stands once they are written."""

    mark: RollupMark
    counted_to: UUID
    calls: int
    late: list[UUID]
    subjects: dict[tuple[Level, tuple[Any, ...]], _Subject] = field(default_factory=dict)


def roll_up(*, seconds: float = SECONDS) -> int:
    """Count what is sealed and not counted, for a while; return how many calls."""
    seal(timezone.now())
    counted, until = 0, time.monotonic() + seconds
    while time.monotonic() < until and (batch := read_batch()) is not None:
        counted += batch.calls if write_batch(batch) else 0
    return counted


def read_batch() -> Batch | None:
    """Return the next batch, or None when everything sealed is counted."""
    mark, most = read_mark(), BATCHES[connection.vendor]
    late = list(LateCall.objects.filter(call_id__lt=mark.counted_to).values_list("pk", flat=True)[:most])
    calls = read_calls(_in_order(mark, most))
    if not late and not calls and mark.counted_to >= mark.sealed_to:
        return None
    full = len(calls) == most
    counted_to = UUID(int=calls[-1].id.int + 1) if full else max(mark.sealed_to, mark.counted_to)
    if late:
        calls += read_calls(CallRecord.objects.filter(pk__in=late))
    batch = Batch(mark, counted_to, len(calls), late)
    for call in calls:
        _add(batch, call)
    return batch


def write_batch(batch: Batch) -> bool:
    """Write a batch; False when another worker moved the mark meanwhile, then nothing is written."""
    subjects = {subject.digest: subject for subject in batch.subjects.values()}
    known = _find_subjects(subjects)
    for table in (UsageHour, UsageDay):
        _add_known_cells(table, {known[digest]: _cells(table, subjects[digest]) for digest in known})
    with transaction.atomic():
        moved = RollupMark.objects.filter(pk=batch.mark.pk, version=batch.mark.version).update(
            version=F("version") + 1, counted_to=batch.counted_to
        )
        if not moved:
            return False
        _write_last_uses({known[digest]: subjects[digest] for digest in known})
        _write_cells({number: subjects[digest] for digest, number in (known | _make_subjects(subjects, known)).items()})
        LateCall.objects.filter(pk__in=batch.late).delete()
    return True


def _in_order(mark: RollupMark, most: int) -> "QuerySet[CallRecord]":
    """Late ones are left out wherever they are: they have their own way, and one call must not go both."""
    is_late = Exists(LateCall.objects.filter(call_id=OuterRef("pk")))
    sealed = CallRecord.objects.filter(pk__gte=mark.counted_to, pk__lt=mark.sealed_to)
    return sealed.exclude(is_late).order_by("pk")[:most]


def _add(batch: Batch, call: CountedCall) -> None:
    failed, latency, hour = int(call.failed), histogram_of(call.elapsed_us), call.hour
    day = hour.replace(hour=0)
    for level, key_of in KEYS.items():
        if level is Level.CODE and not failed:
            continue
        key = key_of(call)
        subject = batch.subjects.get((level, key))
        if subject is None:
            subject = batch.subjects[level, key] = _Subject(level, key, call)
        elif call.started_at >= subject.last.started_at:
            subject.last = call
        _cell(subject.hours, hour).add(1, failed, latency)
        if level in DAILY:
            _cell(subject.days, day).add(1, failed, latency)


def _cell(cells: Cells, start: datetime) -> Tally:
    tally = cells.get(start)
    if tally is None:
        tally = cells[start] = Tally()
    return tally


def _cells(table: type[UsageCell], subject: _Subject) -> Cells:
    return subject.hours if table is UsageHour else subject.days


def _find_subjects(digests: Iterable[UUID]) -> dict[UUID, int]:
    wanted = list(digests)
    found = find_rows(UsageSubject, ("id",), by=("digest",), keys=[(digest,) for digest in wanted])
    return {wanted[place]: number for place, (number,) in found}


def _add_known_cells(table: type[UsageCell], subjects: dict[int, Cells]) -> None:
    """Add what is counted already to what is to be counted."""
    keys = [(number, start) for number, cells in subjects.items() for start in cells]
    for place, (calls, errors, latency) in find_rows(table, _NUMBERS, by=("subject_id", "start"), keys=keys):
        number, start = keys[place]
        subjects[number][start].add(calls, errors, unpack(bytes(latency)))


def _make_subjects(subjects: dict[UUID, _Subject], known: dict[UUID, int]) -> dict[UUID, int]:
    new = [digest for digest in subjects if digest not in known]
    insert_new(UsageSubject, list(_EMPTY), rows=[_row(digest, subjects[digest]) for digest in new])
    return _find_subjects(new)


def _row(digest: UUID, subject: _Subject) -> tuple[Any, ...]:
    values = {"digest": digest, "level": int(subject.level)} | _told(subject)
    values |= zip(COLUMNS[subject.level], subject.key, strict=True)
    return tuple([values.get(name, nothing) for name, nothing in _EMPTY.items()])


def _write_last_uses(subjects: dict[int, _Subject]) -> None:
    """Names are the latest seen; an older call that comes late changes none."""
    rows = [(number, *_told(subject).values()) for number, subject in subjects.items()]
    update_rows(UsageSubject, ("id", *_TOLD, "last_used_at", "last_person_name"), rows=rows, newer="last_used_at")


def _told(subject: _Subject) -> dict[str, Any]:
    last, names = subject.last, NAMES.get(subject.level, ())
    told = {name: getattr(last, name) if name in names else "" for name in _TOLD}
    return told | {"last_used_at": last.started_at, "last_person_name": last.person_name}


def _write_cells(subjects: dict[int, _Subject]) -> None:
    for table, more in ((UsageHour, ()), (UsageDay, ("level",))):
        rows = [
            (number, start, tally.calls, tally.errors, pack(tally.latency), *[int(subject.level) for _ in more])
            for number, subject in subjects.items()
            for start, tally in _cells(table, subject).items()
        ]
        upsert_rows(table, ("subject_id", "start", *_NUMBERS, *more), by=("subject_id", "start"), rows=rows)
