"""Adding up what the rollups hold and the calls they do not hold yet, as of one moment."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import batched
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum

from connectors.audit.late_calls import read_mark
from connectors.audit.latency import unpack
from connectors.audit.models import CallRecord
from connectors.audit.tally import DAILY, CountedCall, Level, Tally, floor_day, floor_hour, read_calls
from connectors.audit.usage_models import LateCall, RollupMark, UsageCell, UsageDay, UsageHour, UsageSubject

_TRIES: Final = 5
_FEW: Final = 300

type Part = tuple[type[UsageCell], datetime, datetime | None]  # whose rows, from, to


@dataclass(frozen=True, slots=True)
class Stretch:
    """Whole UTC hours from `since` to `until`; an open end is now."""

    since: datetime
    until: datetime | None = None

    @classmethod
    def of(cls, since: datetime, until: datetime | None = None) -> "Stretch":
        return cls(floor_hour(since), until and _ceil_hour(until))

    def __contains__(self, moment: datetime) -> bool:
        return self.since <= moment and (self.until is None or moment < self.until)

    def parts(self, level: Level) -> list[Part]:
        """Return which rows make it up: whole days between the hours at both ends, where days are kept."""
        first = _ceil_day(self.since)
        last = floor_day(self.until) if self.until else None
        if level not in DAILY or (last is not None and last <= first):
            return [(UsageHour, self.since, self.until)]
        ends = [(UsageHour, self.since, first)] if self.since < first else []
        if last is not None and self.until is not None and last < self.until:
            ends.append((UsageHour, last, self.until))
        return [(UsageDay, first, last), *ends]


def read_consistently[T](read: Callable[[RollupMark], T]) -> T:
    """Return what `read` returns while the rollups stand still: again if they moved, at last with them held."""
    for _ in range(_TRIES):
        mark = read_mark()
        result = read(mark)
        if read_mark().version == mark.version:
            return result
    with transaction.atomic():
        RollupMark.objects.select_for_update().filter(pk=mark.pk).first()
        return read(read_mark())


def uncounted_calls(mark: RollupMark, calls: QuerySet[CallRecord]) -> list[CountedCall]:
    """Return those of some calls that the rollups do not hold: the newest, and late ones that wait."""
    late = list(LateCall.objects.filter(call_id__lt=mark.counted_to).values_list("pk", flat=True))
    found = read_calls(calls.filter(pk__gte=mark.counted_to))
    return found + read_calls(calls.filter(pk__in=late)) if late else found


def read_cells(condition: Q, level: Level, stretch: Stretch) -> Iterable[tuple[datetime, int, int, int]]:
    """Return (start, calls, errors, histogram) of each row that meets the condition."""
    for start, calls, errors, latency in _values(condition, level, stretch, "start", "calls", "errors", "latency"):
        yield start, calls, errors, unpack(bytes(latency))


def tally_subjects(subjects: Collection[int], level: Level, stretch: Stretch) -> dict[int, Tally]:
    """Return the sum of each subject's rows."""
    tallies: dict[int, Tally] = {}
    whose = Q(subject_id__in=subjects)
    for subject, calls, errors, latency in _values(whose, level, stretch, "subject_id", "calls", "errors", "latency"):
        tallies.setdefault(subject, Tally()).add(calls, errors, unpack(bytes(latency)))
    return tallies


def sum_cells(
    columns: Sequence[str], condition: Q, level: Level, stretch: Stretch
) -> dict[tuple[Any, ...], tuple[int, int]]:
    """Return (calls, errors) by some columns, added up by the database."""
    sums: dict[tuple[Any, ...], tuple[int, int]] = {}
    for part in stretch.parts(level):
        found = _rows(part, condition).order_by().values_list(*columns).annotate(Sum("calls"), Sum("errors"))
        for *key, calls, errors in found:
            before = sums.get(tuple(key), (0, 0))
            sums[tuple(key)] = (before[0] + calls, before[1] + errors)
    return sums


def sum_subjects(subjects: Collection[int], level: Level, stretch: Stretch) -> dict[int, int]:
    """Return the calls of each of a daily level's subjects. Many are found by their level, few by themselves."""
    sums: dict[int, int] = defaultdict(int)
    few = Q(subject_id__in=list(subjects)) if len(subjects) <= _FEW else None
    # Of many, grouped by what is no column: SQLite would walk every day of every level for the order of its key.
    number = F("subject_id") if few else F("subject_id") + 0
    for part in stretch.parts(level):
        by_level = Q(level=level) if part[0] is UsageDay else Q(subject__level=level)
        found = _rows(part, few or by_level).order_by().annotate(number=number).values_list("number")
        for subject, calls in found.annotate(Sum("calls")):
            if subject in subjects:
                sums[subject] += calls
    return sums


def sum_each(subjects: Collection[int], stretches: Sequence[Stretch]) -> dict[int, list[tuple[int, int]]]:
    """Return (calls, errors) of each subject in each of some stretches with open ends, in two queries.

    Whole days are summed, and the hours before the first of them, which are named: a range would read all between.
    """
    firsts = [_ceil_day(stretch.since) for stretch in stretches]
    ends = list(zip([stretch.since for stretch in stretches], firsts, strict=True))
    whose = Q(subject_id__in=subjects)
    days = UsageDay.objects.filter(whose, start__gte=min(firsts))
    found = _sum_cells_each(days, [Q(start__gte=first) for first in firsts])
    hours = UsageHour.objects.filter(whose, start__in=[hour for since, first in ends for hour in _hours(since, first)])
    before = _sum_cells_each(hours, [Q(start__gte=since, start__lt=first) for since, first in ends])
    for subject, sums in before.items():
        known = found.get(subject, [(0, 0)] * len(stretches))
        found[subject] = [(a + calls, b + errors) for (a, b), (calls, errors) in zip(known, sums, strict=True)]
    return found


def _sum_cells_each(rows: QuerySet[UsageCell], conditions: Sequence[Q]) -> dict[int, list[tuple[int, int]]]:
    """Return (calls, errors) by subject under each of some conditions."""
    sums = {
        f"{name}_{place}": Sum(name, filter=condition, default=0)
        for place, condition in enumerate(conditions)
        for name in ("calls", "errors")
    }
    found = rows.order_by().values_list("subject_id").annotate(**sums)
    return {subject: [(calls, errors) for calls, errors in batched(values, 2)] for subject, *values in found}


def are_more_than(limit: int, condition: Q, level: Level, stretch: Stretch) -> bool:
    """Return whether there are more rows than a page can add up, without counting further than that."""
    return (
        sum(_rows(part, condition).values("subject_id")[: limit + 1].count() for part in stretch.parts(level)) > limit
    )


def subjects_of(level: Level, condition: Q) -> dict[int, UsageSubject]:
    return {subject.pk: subject for subject in UsageSubject.objects.filter(condition, level=level)}


def _values(condition: Q, level: Level, stretch: Stretch, *columns: str) -> Iterable[tuple[Any, ...]]:
    first, *others = [_rows(part, condition).values_list(*columns) for part in stretch.parts(level)]
    return first.union(*others, all=True) if others else first


def _rows(part: Part, condition: Q) -> QuerySet[UsageCell]:
    table, since, until = part
    rows = table._default_manager.filter(condition, start__gte=since)  # noqa: SLF001 - Django's documented way from a model class
    return rows if until is None else rows.filter(start__lt=until)


def _hours(since: datetime, until: datetime) -> list[datetime]:
    return [since + timedelta(hours=number) for number in range((until - since) // timedelta(hours=1))]


def _ceil_hour(moment: datetime) -> datetime:
    floor = floor_hour(moment)
    return floor if floor == moment else floor + timedelta(hours=1)


def _ceil_day(moment: datetime) -> datetime:
    floor = floor_day(moment)
    return floor if floor == moment else floor + timedelta(days=1)
