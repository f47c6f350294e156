"""The columns of the connectors list: which there are, what each sorts by, which are shown without being asked for.

A column added here has its head drawn and is offered under "Columns"; its cell goes into `console/connectors/row.html`
under the same name, in the same place.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import reduce
from operator import or_
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.audit.usage import Usage
from connectors.catalogue.models import Connector
from connectors.console.presentation import ConnectorText
from connectors.ledger.health_mark import HealthMark
from connectors.ledger.models import Verdict
from connectors.ledger.rows import LedgerRow, Part

_NEVER = datetime.min.replace(tzinfo=UTC)
_STATUSES = [str(status) for status in Connector.Status]
_HEALTH = [HealthMark.DEAD, HealthMark.FAILING, HealthMark.NOT_ASKED, HealthMark.OFF, HealthMark.PROGRAM]
_VERDICTS = [Verdict.UNINSTALL, Verdict.OBSERVE, Verdict.KEEP]


@dataclass(frozen=True, slots=True)
class PlainRow:
    """What is known of a connector without its ledger."""

    connector: Connector
    text: ConnectorText
    category: str


@dataclass(frozen=True, slots=True)
class ConnectorRow(PlainRow):
    """One connector as the list shows it; of its ledger there are the parts the columns need."""

    ledger: LedgerRow


@dataclass(frozen=True, slots=True)
class Column:
    """`by` gives what rows sort by; what counts or has a time sorts downwards first (`falling`).

    `needs` are the parts of the ledger that `by` looks at, read for all connectors where they are sorted by it, and
    that its cell shows; `beside` are further ones of its cell. A page's rows are read no further than that.
    """

    name: str
    title: str | Promise
    by: Callable[[Any], Any] | None = field(default=None, repr=False)  # of a ConnectorRow; without needs a PlainRow
    needs: Part = Part.NOTHING
    beside: Part = Part.NOTHING
    number: bool = False
    falling: bool = False
    shown: bool = True

    @property
    def sorts(self) -> bool:
        return self.by is not None


def _health_rank(row: ConnectorRow) -> int:
    """What needs somebody comes first."""
    return _HEALTH.index(row.ledger.health) if row.ledger.health in _HEALTH else len(_HEALTH)


def _verdict_rank(row: ConnectorRow) -> int:
    """What goes first stands first; what was decided counts, else what is suggested."""
    verdict = row.ledger.disposition.verdict if row.ledger.disposition else row.ledger.suggestion.verdict
    return _VERDICTS.index(Verdict(verdict)) if verdict in _VERDICTS else len(_VERDICTS)


def _review_rank(row: ConnectorRow) -> date:
    """What is due first stands first; what nobody has decided about has no date yet."""
    return row.ledger.disposition.next_review_on if row.ledger.disposition else date.max


def _error_rate(usage: Usage) -> float:
    return usage.errors / usage.calls if usage.calls else -1.0


def _count(
    name: str,
    title: Promise,
    by: Callable[[ConnectorRow], Any],
    needs: Part,
    *,
    beside: Part = Part.NOTHING,
    shown: bool = True,
) -> Column:
    return Column(name, title, by, needs, beside, number=True, falling=True, shown=shown)


NAME: Final = Column("name", _("Connector"), lambda row: row.text.name.casefold())
COLUMNS: Final[tuple[Column, ...]] = (
    Column("status", _("Status"), lambda row: _STATUSES.index(row.connector.status)),
    Column("category", _("Category"), lambda row: row.category.casefold(), shown=False),
    Column("purpose", _("Purpose"), needs=Part.ENTRY, shown=False),
    Column(
        "owner",
        _("Owner"),
        lambda row: row.ledger.owner.name.casefold() if row.ledger.owner else "",
        Part.OWNER,
        shown=False,
    ),
    Column("source", _("Source"), needs=Part.ENTRY, shown=False),
    Column("version", _("Version"), shown=False),
    _count("people", _("May see it"), lambda row: row.ledger.people, Part.REACH, shown=False),
    _count("agents", _("Agents"), lambda row: row.ledger.agents, Part.REACH, shown=False),
    _count("connections", _("Connections"), lambda row: row.ledger.connections, Part.CONNECTIONS),
    _count("week", _("Calls, 7 days"), lambda row: row.ledger.week.calls, Part.WEEK, shown=False),
    _count("calls", _("Calls, 30 days"), lambda row: row.ledger.month.calls, Part.MONTH, beside=Part.DAILY),
    _count("quarter", _("Calls, 90 days"), lambda row: row.ledger.quarter.calls, Part.QUARTER, shown=False),
    _count("errors", _("Errors, 30 days"), lambda row: _error_rate(row.ledger.month), Part.MONTH),
    _count("p95", _("p95, 30 days"), lambda row: row.ledger.p95_us or 0, Part.MONTH | Part.QUANTILES, shown=False),
    Column("last_used", _("Last used"), lambda row: row.ledger.last_used_at or _NEVER, Part.LAST_USE, falling=True),
    _count("tools", _("Tools used"), lambda row: row.ledger.tools.used, Part.TOOLS, shown=False),
    _count("context", _("Context, tokens"), lambda row: row.ledger.context_tokens or 0, Part.PROBE, shown=False),
    Column("health", _("Health"), _health_rank, Part.PROBE),
    Column("disposition", _("Disposition"), _verdict_rank, Part.DISPOSITION | Part.LAST_USE),
    Column("review", _("Next review"), _review_rank, Part.DISPOSITION, shown=False),
    Column("installed", _("Installed"), lambda row: row.connector.installed_at, falling=True, shown=False),
)
BY_NAME: Final = {column.name: column for column in (NAME, *COLUMNS)}


@dataclass(frozen=True, slots=True)
class Sort:
    """A column to sort by, as `?sort=` names it: with a minus in front it falls."""

    column: Column
    falling: bool

    def arrange(self, rows: Iterable[PlainRow]) -> list[Connector]:
        """Return the rows' connectors sorted; those that are equal stay in the order they have."""
        by = self.column.by or (lambda _row: 0)
        return [row.connector for row in sorted(rows, key=by, reverse=self.falling)]


@dataclass(frozen=True, slots=True)
class Head:
    """A column's head: `link` is the value of `?sort=` behind it, `direction` that of aria-sort where it sorts."""

    column: Column
    link: str
    direction: str


def find_sort(text: str) -> Sort | None:
    """Return what `?sort=` asks for; None is the catalogue's own order."""
    column = BY_NAME.get(text.removeprefix("-"))
    return Sort(column, text.startswith("-")) if column and column.sorts else None


def parts_of(shown: Iterable[str]) -> Part:
    """Return what of the ledger the columns need."""
    return reduce(or_, (column.needs | column.beside for column in COLUMNS if column.name in shown), Part.NOTHING)


def draw_heads(shown: Iterable[str], sort: str) -> tuple[Head, ...]:
    """Return the heads of the name and of the columns shown, each with where its link leads."""
    names = set(shown)
    return tuple(_head(column, sort) for column in (NAME, *COLUMNS) if column is NAME or column.name in names)


def _head(column: Column, sort: str) -> Head:
    rising, falling = column.name, f"-{column.name}"
    if not column.sorts:
        return Head(column, "", "")
    if sort == rising:
        return Head(column, falling, "ascending")
    if sort == falling:
        return Head(column, rising, "descending")
    return Head(column, falling if column.falling else rising, "")
