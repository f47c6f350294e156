"""Calls over time, and what has the most of them, as exact as `usage.py`."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from django.db.models import Q

from connectors.audit.filters import CallFilters, any_of, filtered_calls, set_fields
from connectors.audit.models import CallRecord
from connectors.audit.tally import COLUMNS, DAILY, CountedCall, Level, Tally, floor_hour
from connectors.audit.usage import Usage
from connectors.audit.usage_models import RollupMark, UsageSubject
from connectors.audit.usage_reading import (
    Stretch,
    are_more_than,
    read_cells,
    read_consistently,
    sum_cells,
    sum_subjects,
    tally_subjects,
    uncounted_calls,
)

type Key = tuple[Any, ...]
type By = Literal["connector", "tool", "person", "connection", "code"]

# More rows than these take too long to read, or to have added up, while somebody waits.
MOST_CELLS: Final = 50_000
MOST_SUMMED: Final = 1_000_000
_LEVELS: Final = (Level.ALL, Level.CONNECTOR, Level.CODE, Level.TOOL, Level.CONNECTION, Level.EACH)
# Levels that may have more rows than a page can add up.
_MANY: Final = frozenset({Level.TOOL, Level.CONNECTION, Level.EACH})
# The columns each filter needs, and what it asks of them.
_NEEDS: Final[dict[str, tuple[str, ...]]] = {
    "owner_id": ("person_id",),
    "person_ids": ("person_id",),
    "agent_id": ("agent_id",),
    "agent_name": ("agent_id",),
    "connection_id": ("connection_id",),
    "connector_key": ("connector_key",),
    "server": ("server",),
    "tool": ("tool", "public_tool"),
    "effect": ("effect",),
    "origin": ("origin",),
    "outcome": ("outcome",),
    "error_code": ("error_code",),
    "text": ("connector_key", "tool", "public_tool", "person_id", "error_code"),
}
_LOOKUPS: Final = {
    "owner_id": "person_id",
    "person_ids": "person_id__in",
    "agent_name": "agent_name__iexact",
    "server": "server__iexact",
}
_SEVERAL: Final = {
    "tool": ("tool__icontains", "public_tool__icontains"),
    "text": (
        "tool__icontains",
        "public_tool__icontains",
        "connector_key__icontains",
        "person_name__icontains",
        "error_code__icontains",
    ),
}


@dataclass(frozen=True, slots=True)
class _Ranking:
    """What a top list is by, and where its name is."""

    level: Level
    columns: tuple[str, ...]
    name: str


_BY: Final[dict[By, _Ranking]] = {
    "connector": _Ranking(Level.CONNECTOR, ("connector_key",), "connector_key"),
    "tool": _Ranking(Level.TOOL, ("connector_key", "server", "tool"), "tool"),
    "person": _Ranking(Level.CONNECTION, ("person_id",), "person_name"),
    "connection": _Ranking(Level.CONNECTION, ("connection_id",), "alias"),
    "code": _Ranking(Level.CODE, ("connector_key", "error_code"), "error_code"),
}


@dataclass(frozen=True, slots=True)
class Point:
    """One stretch of a series, from `start` to the next one's start."""

    start: datetime
    calls: int
    errors: int
    p50_us: int | None
    p95_us: int | None


@dataclass(frozen=True, slots=True)
class Top:
    """One row of a top list. `key` holds the columns it is by: a tool's are connector key, server and tool."""

    key: Key
    name: str
    usage: Usage


def covered(filters: CallFilters) -> frozenset[str]:
    """Return which of the filters that are set series and top lists honour; by the others they are not narrowed."""
    return frozenset(set_fields(filters).keys() & _NEEDS.keys())


def usage_series(filters: CallFilters, *, edges: Sequence[datetime]) -> tuple[Point, ...] | None:
    """Return a point for each stretch between the edges, which are whole UTC hours (`bucket_edges` gives such).

    None when too many combinations are left to add up for a page: a connector or a person must be named.
    """
    edges = [floor_hour(edge) for edge in edges]
    stretch = Stretch(edges[0], edges[-1])
    level, condition, _ = _narrow(filters)

    def read(mark: RollupMark) -> list[Tally] | None:
        if level in _MANY and are_more_than(MOST_CELLS, condition, level, stretch):
            return None
        tallies = [Tally() for _ in edges[1:]]
        for start, calls, errors, latency in read_cells(condition, level, stretch):
            tallies[bisect_right(edges, start) - 1].add(calls, errors, latency)
        for call in _uncounted(mark, filters, stretch):
            tallies[bisect_right(edges, call.hour) - 1].add_call(call)
        return tallies

    found = read_consistently(read)
    if found is None:
        return None
    points = zip(edges, found, strict=False)
    return tuple(Point(start, tally.calls, tally.errors, tally.p50_us, tally.p95_us) for start, tally in points)


def usage_tops(
    bys: Collection[By], filters: CallFilters, *, since: datetime, until: datetime | None = None, limit: int = 10
) -> dict[By, tuple[Top, ...] | None]:
    """Return what has the most calls, most first, by each of some things, all as of one moment.

    Of codes, those of calls that failed. None as for `usage_series`.
    """
    stretch = Stretch.of(since, until)

    def read(mark: RollupMark) -> dict[By, dict[Key, Tally] | None]:
        uncounted = _uncounted(mark, filters, stretch)
        return {by: _tally_best(by, filters, stretch, uncounted, limit) for by in bys}

    found = read_consistently(read)
    return {by: None if tallies is None else _name(by, tallies) for by, tallies in found.items()}


def _tally_best(
    by: By, filters: CallFilters, stretch: Stretch, uncounted: Sequence[CountedCall], limit: int
) -> dict[Key, Tally] | None:
    columns = _BY[by].columns
    level, condition, whose = _narrow(filters, *columns)
    if level is Level.EACH and are_more_than(MOST_SUMMED, condition, level, stretch):
        return None
    calls = [call for call in uncounted if by != "code" or call.failed]
    known = _keys_of(whose, columns) if level in DAILY else {}
    counts = _count(known, level, condition, columns, stretch)
    counts.update(_key(call, columns) for call in calls)
    best = [key for key, _ in counts.most_common(limit + 1) if None not in key]  # of nobody is at most one
    tallies = {key: Tally() for key in best[:limit]}
    subjects = known if level in DAILY else _keys_of(_any_key(tallies, columns) & whose, columns)
    theirs = [number for number, key in subjects.items() if key in tallies]
    for number, tally in tally_subjects(theirs, level, stretch).items():
        tallies[subjects[number]].add(tally.calls, tally.errors, tally.latency)
    for call in calls:
        if (key := _key(call, columns)) in tallies:
            tallies[key].add_call(call)
    return tallies


def _count(known: dict[int, Key], level: Level, condition: Q, columns: Sequence[str], stretch: Stretch) -> Counter[Key]:
    """Count calls by key: where days are kept, subject by subject, for that needs no look at each day's subject."""
    if level not in DAILY:
        sums = sum_cells([f"subject__{column}" for column in columns], condition, level, stretch)
        return Counter({key: calls for key, (calls, _) in sums.items()})
    counts: Counter[Key] = Counter()
    for number, calls in sum_subjects(known, level, stretch).items():
        counts[known[number]] += calls
    return counts


def _keys_of(whose: Q, columns: Sequence[str]) -> dict[int, Key]:
    return {number: tuple(key) for number, *key in UsageSubject.objects.filter(whose).values_list("pk", *columns)}


def _narrow(filters: CallFilters, *columns: str) -> tuple[Level, Q, Q]:
    """Return the smallest level that knows what is asked, and the condition on its rows and on its subjects."""
    values, honoured = set_fields(filters), covered(filters)
    needed = {*columns, *(column for name in honoured for column in _NEEDS[name])}
    failed_only = "error_code" in columns or "error_code" in values
    levels = [each for each in _LEVELS if each is not Level.CODE or failed_only]
    level = next(each for each in levels if needed <= set(COLUMNS[each]))
    subjects, rows = Q(level=level), Q(subject__level=level)
    for name in honoured:
        lookups = _SEVERAL.get(name, (_LOOKUPS.get(name, name),))
        subjects &= any_of(lookups, values[name])
        rows &= any_of(tuple(f"subject__{lookup}" for lookup in lookups), values[name])
    if "error_code" in columns and level is not Level.CODE:
        subjects &= ~Q(outcome=CallRecord.Outcome.SUCCEEDED)
        rows &= ~Q(subject__outcome=CallRecord.Outcome.SUCCEEDED)
    return level, rows, subjects


def _uncounted(mark: RollupMark, filters: CallFilters, stretch: Stretch) -> list[CountedCall]:
    values, kept = set_fields(filters), covered(filters)
    calls = uncounted_calls(mark, filtered_calls(CallFilters(**{name: values[name] for name in kept})))
    return [call for call in calls if call.started_at in stretch]


def _name(by: By, tallies: dict[Key, Tally]) -> tuple[Top, ...]:
    names = _names(tallies, by)
    return tuple(Top(key, names.get(key, ""), _usage(tally)) for key, tally in tallies.items())


def _names(keys: Collection[Key], by: By) -> dict[Key, str]:
    """Return what each was last called."""
    columns, name, level = _BY[by].columns, _BY[by].name, _BY[by].level
    found = UsageSubject.objects.filter(_any_key(keys, columns), level=level).order_by("last_used_at")
    return {tuple(key): called for *key, called in found.values_list(*columns, name)}


def _any_key(keys: Collection[Key], columns: tuple[str, ...]) -> Q:
    return Q(**{f"{column}__in": {key[place] for key in keys} for place, column in enumerate(columns)})


def _key(call: CountedCall, columns: tuple[str, ...]) -> Key:
    return tuple(getattr(call, column) for column in columns)


def _usage(tally: Tally) -> Usage:
    return Usage(tally.calls, tally.errors, p50_us=tally.p50_us, p95_us=tally.p95_us)
