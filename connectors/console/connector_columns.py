"""The columns of the connectors list: which there are, what each sorts by, which are shown without being asked for.

A column added here has its head drawn and is offered under "Columns"; its cell goes into `console/connectors/row.html`
under the same name, in the same place.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.catalogue.models import Connector
from connectors.console.presentation import ConnectorText
from connectors.ledger.health_mark import HealthMark
from connectors.ledger.models import Verdict
from connectors.ledger.rows import LedgerRow

_NEVER = datetime.min.replace(tzinfo=UTC)
_STATUSES = [str(status) for status in Connector.Status]
_HEALTH = [HealthMark.DEAD, HealthMark.FAILING, HealthMark.NOT_ASKED, HealthMark.OFF, HealthMark.PROGRAM]
_VERDICTS = [Verdict.UNINSTALL, Verdict.OBSERVE, Verdict.KEEP]


@dataclass(frozen=True, slots=True)
class PlainRow:
    """What is known of a connector without asking for more than the list itself."""

    connector: Connector
    text: ConnectorText
    category: str


@dataclass(frozen=True, slots=True)
class ConnectorRow(PlainRow):
    """One connector as the list shows it."""

    ledger: LedgerRow


@dataclass(frozen=True, slots=True)
class Column:
    """`by` gives what rows sort by; what counts or has a time sorts downwards first (`falling`).

    A `plain` column sorts by what a `PlainRow` holds: the ledger is then asked for the page alone, not for all.
    """

    name: str
    title: str | Promise
    by: Callable[[Any], Any] | None = field(default=None, repr=False)  # of a PlainRow, or of a ConnectorRow
    number: bool = False
    falling: bool = False
    shown: bool = True
    plain: bool = False


def _health_rank(row: ConnectorRow) -> int:
    """What needs somebody comes first."""
    return _HEALTH.index(row.ledger.health) if row.ledger.health in _HEALTH else len(_HEALTH)


def _verdict_rank(row: ConnectorRow) -> int:
    """What goes first stands first; what was decided counts, else what is suggested."""
    verdict = row.ledger.disposition.verdict if row.ledger.disposition else row.ledger.suggestion.verdict
    return _VERDICTS.index(Verdict(verdict)) if verdict in _VERDICTS else len(_VERDICTS)


def _error_rate(row: ConnectorRow) -> float:
    month = row.ledger.month
    return month.errors / month.calls if month.calls else -1.0


NAME: Final = Column("name", _("Connector"), lambda row: row.text.name.casefold(), plain=True)
COLUMNS: Final[tuple[Column, ...]] = (
    Column("status", _("Status"), lambda row: _STATUSES.index(row.connector.status), plain=True),
    Column("category", _("Category"), lambda row: row.category.casefold(), shown=False, plain=True),
    Column("purpose", _("Purpose"), shown=False),
    Column("owner", _("Owner"), lambda row: row.ledger.owner.name.casefold() if row.ledger.owner else "", shown=False),
    Column("version", _("Version"), shown=False),
    Column("connections", _("Connections"), lambda row: row.ledger.connections, number=True, falling=True),
    Column("week", _("Calls, 7 days"), lambda row: row.ledger.week.calls, number=True, falling=True, shown=False),
    Column("calls", _("Calls, 30 days"), lambda row: row.ledger.month.calls, number=True, falling=True),
    Column(
        "quarter", _("Calls, 90 days"), lambda row: row.ledger.quarter.calls, number=True, falling=True, shown=False
    ),
    Column("errors", _("Errors, 30 days"), _error_rate, number=True, falling=True),
    Column("last_used", _("Last used"), lambda row: row.ledger.last_used_at or _NEVER, falling=True),
    Column("tools", _("Tools used"), lambda row: row.ledger.tools.used, number=True, falling=True, shown=False),
    Column(
        "context",
        _("Context, tokens"),
        lambda row: row.ledger.context_tokens or 0,
        number=True,
        falling=True,
        shown=False,
    ),
    Column("health", _("Health"), _health_rank),
    Column("disposition", _("Disposition"), _verdict_rank),
    Column("installed", _("Installed"), lambda row: row.connector.installed_at, falling=True, shown=False, plain=True),
)
BY_NAME: Final = {column.name: column for column in (NAME, *COLUMNS)}


@dataclass(frozen=True, slots=True)
class Sort:
    """A column to sort by, as `?sort=` names it: with a minus in front it falls."""

    column: Column
    falling: bool

    def arrange[Row: PlainRow](self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows sorted; those that are equal stay in the order they have."""
        if self.column.by is None:
            return list(rows)
        return sorted(rows, key=self.column.by, reverse=self.falling)


@dataclass(frozen=True, slots=True)
class Head:
    """A column's head: `link` is the value of `?sort=` behind it, `direction` that of aria-sort where it sorts."""

    column: Column
    link: str
    direction: str


def find_sort(text: str) -> Sort | None:
    """Return what `?sort=` asks for; None is the catalogue's own order."""
    column = BY_NAME.get(text.removeprefix("-"))
    return Sort(column, text.startswith("-")) if column and column.by else None


def draw_heads(shown: Iterable[str], sort: str) -> tuple[Head, ...]:
    """Return the heads of the name and of the columns shown, each with where its link leads."""
    names = set(shown)
    return tuple(_head(column, sort) for column in (NAME, *COLUMNS) if column is NAME or column.name in names)


def _head(column: Column, sort: str) -> Head:
    rising, falling = column.name, f"-{column.name}"
    if column.by is None:
        return Head(column, "", "")
    if sort == rising:
        return Head(column, falling, "ascending")
    if sort == falling:
        return Head(column, rising, "descending")
    return Head(column, falling if column.falling else rising, "")
