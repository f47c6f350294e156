"""The connectors list as administrators filter, sort and page it: a fixed number of queries, however many there are.

In the catalogue's own order the rows come by category, as people see them; sorted or searched they are one list.
Everything that fits is ordered before a page is cut from it, so a page begins behind the key that ended the one before.
Of all of them only what orders them is read; the rest is read for the page.
"""

import uuid
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from connectors.catalogue.models import Category, Connector
from connectors.console.connector_columns import ConnectorRow, PlainRow, Sort, find_sort, parts_of
from connectors.console.forms.connector_filters import ConnectorFilters
from connectors.console.presentation import ConnectorText, describe_connectors, name_category
from connectors.console.typo_search import score, split_words
from connectors.ledger.rows import Part, ledger_rows

SIZE: Final = 20
_NARROW: Final = ("key", "status", "version", "category")
_FOR_SORTING: Final = (*_NARROW, "installed_by", "installed_at", "published_at", "last_used_at", "everyone")


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows under one heading; without a category it is the whole page, and nothing can be moved."""

    category: Category | None
    name: str
    rows: tuple[ConnectorRow, ...]


@dataclass(frozen=True, slots=True)
class ConnectorPage:
    groups: tuple[RowGroup, ...]
    found: int
    older: str  # the value of ?after= for the next page, or nothing

    @property
    def rows(self) -> tuple[ConnectorRow, ...]:
        return tuple(row for group in self.groups for row in group.rows)


def list_connectors(filters: ConnectorFilters) -> ConnectorPage:
    """Return one page of what the filters leave, in the order asked for."""
    sort = find_sort(filters.sort)
    found = _read(filters, _FOR_SORTING if sort else _NARROW)
    if filters.q:
        found = _best_first(found, describe_connectors(found), filters.q)
    if sort:
        found = _arrange(found, sort)
    page, older = _cut(found, filters.after)
    rows = _read_rows(page, parts_of(filters.columns))
    return ConnectorPage(_group(rows) if filters.in_order else (RowGroup(None, "", rows),), len(found), older)


def list_categories() -> list[tuple[str, str]]:
    """Return (key, name) of each category that has a connector, in order."""
    categories = Category.objects.filter(connectors__isnull=False).distinct()
    return [(category.key, name_category(category)) for category in categories]


def _read(filters: ConnectorFilters, fields: tuple[str, ...]) -> list[Connector]:
    """Return what the filters leave but for a search, in the catalogue's order, each with its category."""
    connectors = Connector.objects.only(*fields)
    if filters.status:
        connectors = connectors.filter(status=filters.status)
    if filters.category:
        connectors = connectors.filter(category__key=filters.category)
    found = list(connectors.order_by("category__position", "category__key", "position", "key"))
    categories = Category.objects.in_bulk()  # after them: a category comes before its first connector, and stays
    for connector in found:
        connector.category = categories[connector.category_id]
    return found


def _best_first(found: list[Connector], texts: dict[uuid.UUID, ConnectorText], wanted: str) -> list[Connector]:
    scored = [(_score(each.key, texts[each.pk], wanted), each) for each in found]
    return [each for points, each in sorted(scored, key=lambda pair: -pair[0]) if points]


def _score(key: str, text: ConnectorText, wanted: str) -> float:
    return score(wanted, name=f"{text.name} {key}", words=text.words | split_words(key))


def _cut(ordered: list[Connector], after: str) -> tuple[list[Connector], str]:
    """Return the page behind a key, and the key to go on behind; a key that is gone begins anew."""
    keys = [each.key for each in ordered]
    start = keys.index(after) + 1 if after in keys else 0
    page = ordered[start : start + SIZE]
    return page, page[-1].key if len(ordered) > start + SIZE else ""


def _group(rows: tuple[ConnectorRow, ...]) -> tuple[RowGroup, ...]:
    grouped = groupby(rows, key=lambda row: row.connector.category)
    return tuple(RowGroup(category, name_category(category), tuple(members)) for category, members in grouped)


def _arrange(found: list[Connector], sort: Sort) -> list[Connector]:
    texts = describe_connectors(found)
    plain = [PlainRow(each, texts[each.pk], name_category(each.category)) for each in found]
    return sort.arrange(_with_ledger(plain, sort.column.needs) if sort.column.needs else plain)


def _read_rows(page: list[Connector], parts: Part) -> tuple[ConnectorRow, ...]:
    """Return the page's rows; one that was removed meanwhile is left out."""
    known = Connector.objects.select_related("version").only(*_FOR_SORTING, "version__version")
    rows = known.in_bulk([each.pk for each in page])
    texts = describe_connectors(rows.values())
    plain = []
    for each in page:
        if connector := rows.get(each.pk):
            connector.category = each.category
            plain.append(PlainRow(connector, texts[connector.pk], name_category(each.category)))
    return _with_ledger(plain, parts)


def _with_ledger(rows: list[PlainRow], parts: Part) -> tuple[ConnectorRow, ...]:
    ledger = ledger_rows([row.connector for row in rows], parts=parts)
    return tuple(ConnectorRow(row.connector, row.text, row.category, ledger[row.connector.pk]) for row in rows)
