"""Counting calls into hours and days, so that no page has to read them and the numbers outlive them.

A batch is read and added up, then written in one transaction that also moves the mark, if the mark is still where the
batch began. So a batch counts once, however often it is tried, by however many workers, and wherever one is killed.
"""

import hashlib
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from connectors.audit.inserting import upsert_rows
from connectors.audit.late_calls import read_mark, seal
from connectors.audit.latency import pack, unpack
from connectors.audit.models import CallRecord
from connectors.audit.tally import COLUMNS, DAILY, NAMES, CountedCall, Level, Tally, floor_day, read_calls
from connectors.audit.usage_models import LateCall, RollupMark, UsageRollup, UsageSubject

BATCH: Final = 500  # its transaction keeps SQLite's writers waiting for some 30 ms
SECONDS: Final = 25.0
HOUR, DAY = 1, 24

type Cell = tuple[UUID, int, datetime]  # subject's digest, hours, start


@dataclass(slots=True)
class _Subject:
    level: Level
    key: tuple[Any, ...]
    last: CountedCall


@dataclass(slots=True)
class Batch:
    """Some calls added up, and where the mark stands once they are written."""

    mark: RollupMark
    counted_to: UUID
    calls: int
    late: list[UUID]
    subjects: dict[UUID, _Subject] = field(default_factory=dict)
    cells: dict[Cell, Tally] = field(default_factory=dict)


def roll_up(*, seconds: float = SECONDS) -> int:
    """Count what is sealed and not counted, for a while; return how many calls."""
    seal(timezone.now())
    counted, until = 0, time.monotonic() + seconds
    while time.monotonic() < until and (batch := read_batch()) is not None:
        counted += batch.calls if write_batch(batch) else 0
    return counted


def read_batch() -> Batch | None:
    """Return the next batch, or None when everything sealed is counted."""
    mark = read_mark()
    late = list(LateCall.objects.filter(call_id__lt=mark.counted_to).values_list("pk", flat=True)[:BATCH])
    calls = read_calls(_in_order(mark))
    if not late and not calls and mark.counted_to >= mark.sealed_to:
        return None
    full = len(calls) == BATCH
    counted_to = UUID(int=calls[-1].id.int + 1) if full else max(mark.sealed_to, mark.counted_to)
    if late:
        calls += read_calls(CallRecord.objects.filter(pk__in=late))
    batch = Batch(mark, counted_to, len(calls), late)
    for call in calls:
        _add(batch, call)
    return batch


def write_batch(batch: Batch) -> bool:
    """Write a batch; False when another worker moved the mark meanwhile, then nothing is written."""
    subjects = _known_subjects(batch.subjects)
    for cell, packed in _known_cells(batch, subjects).items():
        batch.cells[cell].add(*packed)
    with transaction.atomic():
        moved = RollupMark.objects.filter(pk=batch.mark.pk, version=batch.mark.version).update(
            version=F("version") + 1, counted_to=batch.counted_to
        )
        if not moved:
            return False
        ids = _write_subjects(batch.subjects, subjects)
        _write_cells(batch.cells, ids)
        LateCall.objects.filter(pk__in=batch.late).delete()
    return True


def _in_order(mark: RollupMark) -> "QuerySet[CallRecord]":
    """Late ones are left out wherever they are: they have their own way, and one call must not go both."""
    is_late = Exists(LateCall.objects.filter(call_id=OuterRef("pk")))
    sealed = CallRecord.objects.filter(pk__gte=mark.counted_to, pk__lt=mark.sealed_to)
    return sealed.exclude(is_late).order_by("pk")[:BATCH]


def _add(batch: Batch, call: CountedCall) -> None:
    hour, day = call.hour, floor_day(call.started_at)
    for level in COLUMNS:
        if level is Level.CODE and not call.failed:
            continue
        key = call.key(level)
        digest = _digest(level, key)
        subject = batch.subjects.get(digest)
        if subject is None:
            batch.subjects[digest] = _Subject(level, key, call)
        elif call.started_at >= subject.last.started_at:
            subject.last = call
        batch.cells.setdefault((digest, HOUR, hour), Tally()).add_call(call)
        if level in DAILY:
            batch.cells.setdefault((digest, DAY, day), Tally()).add_call(call)


def _digest(level: Level, key: tuple[Any, ...]) -> UUID:
    told = "\0".join(["" if part is None else str(part) for part in (int(level), *key)])
    return UUID(bytes=hashlib.blake2b(told.encode(), digest_size=16).digest())


def _known_subjects(wanted: Iterable[UUID]) -> dict[UUID, tuple[int, datetime]]:
    found = UsageSubject.objects.filter(digest__in=list(wanted)).values_list("digest", "id", "last_used_at")
    return {digest: (number, last_used_at) for digest, number, last_used_at in found}


def _known_cells(batch: Batch, subjects: dict[UUID, tuple[int, datetime]]) -> dict[Cell, tuple[int, int, int]]:
    digests = {number: digest for digest, (number, _) in subjects.items()}
    found: dict[Cell, tuple[int, int, int]] = {}
    for hours in (HOUR, DAY):
        starts = {start for _, length, start in batch.cells if length == hours}
        rows = UsageRollup.objects.filter(subject_id__in=list(digests), hours=hours, start__in=starts)
        for subject, start, calls, errors, latency in rows.values_list(
            "subject_id", "start", "calls", "errors", "latency"
        ):
            cell = (digests[subject], hours, start)
            if cell in batch.cells:
                found[cell] = (calls, errors, unpack(bytes(latency)))
    return found


def _write_subjects(subjects: dict[UUID, _Subject], known: dict[UUID, tuple[int, datetime]]) -> dict[UUID, int]:
    new = [_row(digest, subject) for digest, subject in subjects.items() if digest not in known]
    newer = [
        _row(digest, subjects[digest], number)
        for digest, (number, last_used_at) in known.items()
        if subjects[digest].last.started_at > last_used_at
    ]
    UsageSubject.objects.bulk_create(new)
    names = ["person_name", "agent_name", "alias", "last_used_at", "last_person_name"]
    UsageSubject.objects.bulk_create(newer, update_conflicts=True, unique_fields=["id"], update_fields=names)
    return {digest: number for digest, (number, _) in known.items()} | {row.digest: row.pk for row in new}


def _row(digest: UUID, subject: _Subject, number: int | None = None) -> UsageSubject:
    last = subject.last
    return UsageSubject(
        id=number,
        level=subject.level,
        digest=digest,
        last_used_at=last.started_at,
        last_person_name=last.person_name,
        **dict(zip(COLUMNS[subject.level], subject.key, strict=True)),
        **{name: getattr(last, name) for name in NAMES.get(subject.level, ())},
    )


def _write_cells(cells: dict[Cell, Tally], ids: dict[UUID, int]) -> None:
    rows: Sequence[UsageRollup] = [
        UsageRollup(
            subject_id=ids[digest],
            hours=hours,
            start=start,
            calls=tally.calls,
            errors=tally.errors,
            latency=pack(tally.latency),
        )
        for (digest, hours, start), tally in cells.items()
    ]
    upsert_rows(rows, keys=("subject_id", "hours", "start"))
