"""A page of a log, by key, at a bounded cost whatever the filters.

Rows come in the order of an index (a *way*: the newest of a person, of a connector, or of all). Where filters leave out
rows of the way, it is walked in stretches, and the walk ends after a while although the page is not full: the page then
says how far back it looked and goes on from there. Nothing is counted and nothing skipped over.
"""

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Model, QuerySet

from connectors.audit.time_keys import moment_of

SECONDS: Final = 0.06  # so that a page with a stretch more and its template stays below 150 ms
_STRETCHES: Final = (1_000, 4_000, 16_000)  # the last one goes on


@dataclass(frozen=True, slots=True)
class Way[Row: Model]:
    """`rows` are the wanted ones among `walked`; the same query where the index finds just them."""

    walked: QuerySet[Row]
    rows: QuerySet[Row]

    @property
    def direct(self) -> bool:
        return self.walked is self.rows


@dataclass(frozen=True, slots=True)
class Page[Row: Model]:
    """Some rows, newest first, and the ids to go on from: `newer` for `before=`, `older` for `after=`.

    `searched_to` is set when the search ended early: rows beyond it were not looked at yet.
    """

    rows: tuple[Row, ...]
    newer: uuid.UUID | None
    older: uuid.UUID | None
    searched_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Found[Row: Model]:
    """`reached` is the last id that was looked at, None when there are no more."""

    rows: list[Row]
    reached: uuid.UUID | None


def page_of[Row: Model](
    ways: Sequence[Way[Row]], *, after: uuid.UUID | None, before: uuid.UUID | None, size: int
) -> Page[Row]:
    """One row more than a page tells whether there is another page, without a count."""
    backwards = before is None
    found = _walk_all(ways, start=after if backwards else before, wanted=size + 1, backwards=backwards)
    rows, more = found.rows[:size], len(found.rows) > size
    onward = rows[-1].pk if more else found.reached
    searched_to = moment_of(found.reached) if found.reached and not more else None
    if backwards:
        return Page(tuple(rows), rows[0].pk if after and rows else None, onward, searched_to)
    return Page(tuple(rows[::-1]), onward, rows[0].pk if rows else None, searched_to)


def count_up_to[Row: Model](ways: Sequence[Way[Row]], *, limit: int) -> tuple[int, bool]:
    """Return how many rows there are, and whether there may be more than that number."""
    if len(ways) == 1 and ways[0].direct:
        number = ways[0].rows.values("pk")[: limit + 1].count()
        return min(number, limit), number > limit
    found = _walk_all([_only_keys(way) for way in ways], start=None, wanted=limit + 1, backwards=True)
    return min(len(found.rows), limit), len(found.rows) > limit or found.reached is not None


def newest_above[Row: Model](ways: Sequence[Way[Row]], key: uuid.UUID, *, limit: int) -> tuple[tuple[Row, ...], bool]:
    """Return the newest rows above a key, newest first, and whether some were left out."""
    above = [_above(way, key) for way in ways]
    found = _walk_all(above, start=None, wanted=limit + 1, backwards=True)
    return tuple(found.rows[:limit]), len(found.rows) > limit or found.reached is not None


def _above[Row: Model](way: Way[Row], key: uuid.UUID) -> Way[Row]:
    rows = way.rows.filter(pk__gt=key)
    return Way(rows if way.direct else way.walked.filter(pk__gt=key), rows)


def _only_keys[Row: Model](way: Way[Row]) -> Way[Row]:
    rows = way.rows.only("pk")
    return Way(rows if way.direct else way.walked, rows)


def _walk_all[Row: Model](
    ways: Sequence[Way[Row]], *, start: uuid.UUID | None, wanted: int, backwards: bool
) -> _Found[Row]:
    """Merge the ways. What one has not looked at yet is not told by another either, so that nothing is left out."""
    until = time.monotonic() + SECONDS
    walks = [_walk(way, start, wanted, until, backwards=backwards) for way in ways]
    furthest = [walk.reached for walk in walks if walk.reached is not None]
    reached = (max(furthest) if backwards else min(furthest)) if furthest else None
    merged = {row.pk: row for walk in walks for row in walk.rows}
    rows = [merged[key] for key in sorted(merged, reverse=backwards)]
    if reached is not None:
        rows = [row for row in rows if (row.pk >= reached if backwards else row.pk <= reached)]
    return _Found(rows[:wanted], reached)


def _walk[Row: Model](
    way: Way[Row], start: uuid.UUID | None, wanted: int, until: float, *, backwards: bool
) -> _Found[Row]:
    rows: list[Row] = []
    stretches = iter(_STRETCHES)
    stretch = _STRETCHES[-1]
    while True:
        stretch = next(stretches, stretch)
        end = None if way.direct else _far_end(way.walked, start, stretch, backwards=backwards)
        there = _between(way.rows, start, end, backwards=backwards)
        rows += list(there[: wanted - len(rows)])
        if len(rows) >= wanted:
            return _Found(rows, rows[-1].pk)
        if end is None or time.monotonic() > until:
            return _Found(rows, end)
        start = end


def _far_end[Row: Model](
    walked: QuerySet[Row], start: uuid.UUID | None, stretch: int, *, backwards: bool
) -> uuid.UUID | None:
    keys = _between(walked, start, None, backwards=backwards).values_list("pk", flat=True)
    return next(iter(keys[stretch - 1 : stretch]), None)


def _between[Row: Model](
    rows: QuerySet[Row], start: uuid.UUID | None, end: uuid.UUID | None, *, backwards: bool
) -> QuerySet[Row]:
    """Return the rows beyond `start` up to and with `end`, from the start on."""
    beyond, up_to = ("pk__lt", "pk__gte") if backwards else ("pk__gt", "pk__lte")
    if start is not None:
        rows = rows.filter(**{beyond: start})
    if end is not None:
        rows = rows.filter(**{up_to: end})
    return rows.order_by("-pk" if backwards else "pk")
