"""Where a chart's stretches begin: at a person's own hours, days and months, also where the clocks change.

Use is counted by UTC hours. In a zone that is not whole hours from UTC a day begins at the UTC hour before
its midnight, and the edge says so: what is drawn between two edges is exactly what happened between them.
"""

from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from connectors.audit.tally import floor_hour

_DAY, _WEEK = 24, 168
_HOURS: Final = (1, 3, 6, 12, _DAY, _WEEK)
_MONTHS: Final = (1, 3, 12)


def bucket_edges(since: datetime, until: datetime, *, zone: ZoneInfo, most: int = 60) -> tuple[datetime, ...]:
    """Return the edges of at most `most` stretches, the finest that are few enough; they hold all from since to until.

    The last stretches are years, however many those are.
    """
    edges: tuple[datetime, ...] = ()
    for step in (*_HOURS, *(-months for months in _MONTHS)):
        if step > 0 and (until - since) / timedelta(hours=step) > most + 1:
            continue
        edges = _edges(since, until, zone, step)
        if len(edges) <= most + 1:
            return edges
    return edges


def _edges(since: datetime, until: datetime, zone: ZoneInfo, step: int) -> tuple[datetime, ...]:
    """`step` is hours, or months when negative. A wall-clock time that a change of the clocks skips makes no edge."""
    local = since.astimezone(zone).replace(tzinfo=None)
    wall = _begin(local, step)
    edges = [_hour_of(wall, zone)]
    while edges[-1] < until:
        if step == 1:
            edges.append(edges[-1] + timedelta(hours=1))
            continue
        wall = _after(wall, step)
        edge = _hour_of(wall, zone)
        if edge > edges[-1]:
            edges.append(edge)
    return tuple(edges[bisect_right(edges, since) - 1 :])


def _begin(local: datetime, step: int) -> datetime:
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    if step < 0:
        return midnight.replace(day=1, month=(local.month - 1) // -step * -step + 1)
    if step == _WEEK:
        return midnight - timedelta(days=midnight.weekday())
    return (
        midnight if step == _DAY else local.replace(hour=local.hour // step * step, minute=0, second=0, microsecond=0)
    )


def _after(wall: datetime, step: int) -> datetime:
    if step > 0:
        return wall + timedelta(hours=step)
    months = wall.year * 12 + wall.month - 1 - step
    return wall.replace(year=months // 12, month=months % 12 + 1)


def _hour_of(wall: datetime, zone: ZoneInfo) -> datetime:
    return floor_hour(wall.replace(tzinfo=zone).astimezone(UTC))
