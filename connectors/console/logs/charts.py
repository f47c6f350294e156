"""The charts above a log of calls: how many and how many failed, and how long they took.

They are drawn from what the worker counts by the hour, so they cost the same however many calls there are. What those
counts cannot tell apart (a trace, an address) narrows the rows below and not the charts, and the page says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from babel.dates import format_date, format_skeleton
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from connectors.audit.buckets import bucket_edges
from connectors.audit.charts import Point, covered, usage_series
from connectors.audit.filters import set_fields
from connectors.audit.queries import CallFilters
from connectors.console.forms.log_filters import LogFilterForm
from connectors.console.forms.record_filters import CALL_NAMES
from connectors.console.logs.addresses import between
from connectors.console.logs.lines import Text
from connectors.console.rendering.amounts import tell_count, tell_duration
from connectors.console.rendering.charts import Chart, Line
from connectors.console.rendering.moments import babel_locale

STRETCHES: Final = 48
USUAL: Final = timedelta(days=30)
FEWEST: Final = 3  # of fewer stretches nothing can be seen
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """`left_out` are the filters in use that the charts cannot tell apart; without charts `note` says why."""

    charts: list[Chart] = field(default_factory=list)
    calls: int = 0
    errors: int = 0
    usual: bool = False  # no time was chosen: these are the last thirty days
    left_out: list[Text] = field(default_factory=list)
    note: Text = ""


def chart_period(filters: CallFilters) -> tuple[datetime, datetime]:
    """Return the stretch that charts and top lists cover: the chosen one, else the last thirty days."""
    until = filters.until or timezone.now()
    return filters.since or until - USUAL, until


def draw_charts(filters: CallFilters, form: LogFilterForm, *, address: str) -> Insight:
    """Return the charts for the calls that the filters leave; their stretches lead to the log at `address`."""
    since, until = chart_period(filters)
    edges = bucket_edges(since, until, zone=timezone.get_current_timezone(), most=STRETCHES)
    if len(edges) <= FEWEST:
        return Insight(note=_("Charts count whole hours. Choose a longer time to see them."))
    points = usage_series(filters, edges=edges)
    if points is None:
        return Insight(note=_("There is too much to add up for a chart. Filter by a connector or a person."))
    return Insight(
        charts=_charts(points, edges, address),
        calls=sum(point.calls for point in points),
        errors=sum(point.errors for point in points),
        usual=filters.since is None,
        left_out=_left_out(filters, form),
    )


def _charts(points: Sequence[Point], edges: Sequence[datetime], address: str) -> list[Chart]:
    marks = [_mark(start, end) for start, end in pairwise(edges)]
    links = [between(address, start, end) for start, end in pairwise(edges)]
    ends = [_mark(edges[0], edges[1]), marks[len(marks) // 2], marks[-1]]
    calls = Chart(
        title=_("Calls"),
        marks=marks,
        edges=ends,
        links=links,
        lines=[
            Line(name=_("Calls"), tone="accent", values=[point.calls for point in points]),
            Line(name=_("Did not succeed"), tone="bad", values=[point.errors for point in points]),
        ],
        tell=lambda number: tell_count(round(number)),
    )
    times = Chart(
        title=_("How long they took"),
        marks=marks,
        edges=ends,
        links=links,
        bars=False,
        lines=[
            Line(name=_("Half within"), tone="soft", values=[point.p50_us for point in points]),
            Line(name=_("95 of 100 within"), tone="accent", values=[point.p95_us for point in points]),
        ],
        tell=tell_duration,
    )
    return [calls, times]


def _mark(start: datetime, end: datetime) -> str:
    """When a stretch began, as the reader writes it: a day, or a day and an hour."""
    local = timezone.localtime(start)
    if end - start >= _DAY - timedelta(hours=1):
        return str(format_date(local.date(), locale=babel_locale()))
    day = format_skeleton("MMMd", local.date(), locale=babel_locale())
    return f"{day} {local:%H:%M}"


def _left_out(filters: CallFilters, form: LogFilterForm) -> list[Text]:
    missing = set_fields(filters).keys() - covered(filters)
    return [form[name].label for name, column in CALL_NAMES.items() if column in missing and name in form.fields]
