"""Charts as inline SVG: attributes and classes only, so that they pass the strict policy, follow the theme and print.

A `Chart` is drawn by `components/chart.html`: the plot stretches with the page, its words are HTML around it and keep
their size, and the same numbers stand below it as a table. `draw_share` is one bar in the row of a table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import floor, log10

from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

WIDTH, HEIGHT = 1000, 160
_GAP = 0.15  # of a bar's place

type Text = str | Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of numbers, one for each mark; None where nothing is known. `tone`: accent, soft, bad, warn or good."""

    name: Text
    tone: str
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Rows of numbers over the same marks.

    Bars stand inside each other, the first the tallest (calls, and of those the errors); lines cross freely.
    `tell` words a number; `marks` names each place for hover and table, `edges` those that stand under the plot.
    """

    title: Text
    marks: Sequence[str]
    edges: Sequence[str]
    lines: Sequence[Line]
    tell: Callable[[float], str]
    bars: bool = True
    links: Sequence[str] = ()  # addresses, one a mark: where the table's rows lead

    @property
    def top(self) -> float:
        """The round number at or above every value; its half, which stands beside the plot, is as round."""
        highest = max((value for line in self.lines for value in line.values if value), default=0)
        return max(round_up(highest), 2)

    @property
    def scale(self) -> tuple[str, str, str]:
        """What stands beside the plot: its top, its middle and nought."""
        return self.tell(self.top), self.tell(self.top / 2), self.tell(0)

    @property
    def rows(self) -> list[tuple[str, list[tuple[Text, str]], str]]:
        """The same numbers as text, each with its line's name, and where each row leads."""
        told = [["—" if value is None else self.tell(value) for value in line.values] for line in self.lines]
        links = self.links or [""] * len(self.marks)
        columns = zip(*told, strict=True)
        names = [line.name for line in self.lines]
        return [
            (mark, list(zip(names, row, strict=True)), link)
            for mark, row, link in zip(self.marks, columns, links, strict=True)
        ]

    @property
    def plot(self) -> SafeString:
        return draw_chart(self)


def draw_chart(chart: Chart) -> SafeString:
    """Return the plot; its words are around it (see the module)."""
    lines = mark_safe("") if chart.bars else format_html_join("", "{}", ((_line(chart, line),) for line in chart.lines))
    return format_html(
        '<svg class="plot" role="img" aria-label="{}" viewBox="0 0 {} {}" preserveAspectRatio="none">'
        '<path class="grid" d="M0 0H{}M0 {}H{}M0 {}H{}"/>{}{}</svg>',
        chart.title,
        *(WIDTH, HEIGHT),
        *(WIDTH, HEIGHT / 2, WIDTH, HEIGHT, WIDTH),
        lines,
        _places(chart),
    )


def draw_share(value: float, whole: float, *, tone: str = "accent") -> SafeString:
    """Return one bar, as long as the value's share of the whole; the number itself stands beside it."""
    width = 100 * min(value / whole, 1) if whole else 0
    return format_html(
        '<svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="fill-{}" width="{}" height="1"/></svg>',
        tone,
        f"{width:.1f}",
    )


def round_up(value: float) -> float:
    """Return the least of 1, 2, 4, 6, 8, 10, 20, 40 … that is not below the value; 1 for nothing."""
    if value <= 1:
        return 1
    power: float = 10 ** floor(log10(value))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= value)


def _places(chart: Chart) -> SafeString:
    """One group a mark: its bars, and over the whole height what a pointer learns."""
    step = WIDTH / max(len(chart.marks), 1)
    told = ["\n".join([row[0], *(f"{name}: {text}" for name, text in row[1])]) for row in chart.rows]
    return format_html_join(
        "",
        '<g class="place"><title>{}</title><rect class="reach" x="{}" width="{}" height="{}"/>{}</g>',
        ((told[n], _short(n * step), _short(step), HEIGHT, _bars(chart, n, step)) for n in range(len(chart.marks))),
    )


def _bars(chart: Chart, number: int, step: float) -> SafeString:
    if not chart.bars:
        return mark_safe("")
    tall = [(line.tone, _height(chart, line.values[number] or 0)) for line in chart.lines]
    return format_html_join(
        "",
        '<rect class="fill-{}" x="{}" y="{}" width="{}" height="{}"/>',
        (
            (tone, *map(_short, ((number + _GAP) * step, HEIGHT - height, step * (1 - 2 * _GAP), height)))
            for tone, height in tall
            if height
        ),
    )


def _line(chart: Chart, line: Line) -> SafeString:
    """A line with gaps where nothing is known; a point alone is a stroke, for a dot is not seen."""
    step = WIDTH / max(len(line.values), 1)
    points = [
        None if value is None else (_short((n + 0.5) * step), _short(HEIGHT - _height(chart, value)))
        for n, value in enumerate(line.values)
    ]
    runs = [list(run) for known, run in groupby(points, key=lambda point: point is not None) if known]
    alone = f"m-{_short(step / 4)} 0h{_short(step / 2)}"
    drawn = "".join(
        "M" + "L".join(f"{x} {y}" for x, y in filter(None, run)) + (alone if len(run) == 1 else "") for run in runs
    )
    return format_html('<path class="line line-{}" d="{}"/>', line.tone, drawn)


def _height(chart: Chart, value: float) -> float:
    return min(value / chart.top, 1) * HEIGHT


def _short(length: float) -> str:
    return f"{length:.2f}"
