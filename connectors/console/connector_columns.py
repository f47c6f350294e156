"""The columns of the connectors list: which there are, what each sorts by, which are shown without being asked for.

A column added here has its head drawn and is offered under "Columns"; its cell goes into `console/connectors/row.html`
under the same name, in the same place.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.audit.usage import Usage, usage_since_each
from connectors.catalogue.models import Connector
from connectors.console.presentation import ConnectorText
from connectors.ledger.access import count_connections
from connectors.ledger.health_mark import HealthMark
from connectors.ledger.models import Verdict
from connectors.ledger.rows import MONTH, QUARTER, WEEK, LedgerRow

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

    The ledger is read for the page alone where it can be: `plain` columns sort by what a `PlainRow` holds, and
    `across` gives the values of many connectors by id at once. For the others it is read for all.
    """

    name: str
    title: str | Promise
    by: Callable[[Any], Any] | None = field(default=None, repr=False)  # of a PlainRow, or of a ConnectorRow
    number: bool = False
    falling: bool = False
    shown: bool = True
    plain: bool = False
    across: Callable[[Collection[Connector]], Mapping[UUID, Any]] | None = field(default=None, repr=False)

    @property
    def sorts(self) -> bool:
        return self.by is not None or self.across is not None


def _health_rank(row: ConnectorRow) -> int:
    """What needs somebody comes first."""
    return _HEALTH.index(row.ledger.health) if row.ledger.health in _HEALTH else len(_HEALTH)


def _verdict_rank(row: ConnectorRow) -> int:
    """What goes first stands first; what was decided counts, else what is suggested."""
    verdict = row.ledger.disposition.verdict if row.ledger.disposition else row.ledger.suggestion.verdict
    return _VERDICTS.index(Verdict(verdict)) if verdict in _VERDICTS else len(_VERDICTS)


def _used(within: timedelta, measure: Callable[[Usage], float]) -> Callable[[Collection[Connector]], dict[UUID, float]]:
    def read(connectors: Collection[Connector]) -> dict[UUID, float]:
        now = timezone.now()
        since, keys = now - within, [each.key for each in connectors]
        found = usage_since_each(keys, moments=[since], quantiles_since=now)[since]
        return {each.pk: measure(found[each.key]) for each in connectors}

    return read


def _connected(connectors: Collection[Connector]) -> dict[UUID, int]:
    counted = count_connections([each.pk for each in connectors])
    return {each.pk: counted.get(each.pk, 0) for each in connectors}


def _calls(usage: Usage) -> float:
    return usage.calls


def _error_rate(usage: Usage) -> float:
    return usage.errors / usage.calls if usage.calls else -1.0


NAME: Final = Column("name", _("Connector"), lambda row: row.text.name.casefold(), plain=True)
COLUMNS: Final[tuple[Column, ...]] = (
    Column("status", _("Status"), lambda row: _STATUSES.index(row.connector.status), plain=True),
    Column("category", _("Category"), lambda row: row.category.casefold(), shown=False, plain=True),
    Column("purpose", _("Purpose"), shown=False),
    Column("owner", _("Owner"), lambda row: row.ledger.owner.name.casefold() if row.ledger.owner else "", shown=False),
    Column("version", _("Version"), shown=False),
    Column("connections", _("Connections"), across=_connected, number=True, falling=True),
    Column("week", _("Calls, 7 days"), across=_used(WEEK, _calls), number=True, falling=True, shown=False),
    Column("calls", _("Calls, 30 days"), across=_used(MONTH, _calls), number=True, falling=True),
    Column("quarter", _("Calls, 90 days"), across=_used(QUARTER, _calls), number=True, falling=True, shown=False),
    Column("errors", _("Errors, 30 days"), across=_used(MONTH, _error_rate), number=True, falling=True),
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

    def arrange(
        self,
        found: list[Connector],
        plain: Callable[[Connector], PlainRow],
        rows: Callable[[list[Connector]], Iterable[ConnectorRow]],
    ) -> list[Connector]:
        """Return the connectors sorted; those that are equal stay in the order they have."""
        values: Mapping[UUID, Any]
        if self.column.across:
            values = self.column.across(found)
        else:
            by = self.column.by or (lambda _row: 0)
            known: Iterable[PlainRow] = map(plain, found) if self.column.plain else rows(found)
            values = {row.connector.pk: by(row) for row in known}
        return sorted(found, key=lambda each: values[each.pk], reverse=self.falling)


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
