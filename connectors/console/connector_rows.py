"""The connectors list as administrators filter, sort and page it: a fixed number of queries, however many there are.

In the catalogue's own order the rows come by category, as people see them; sorted or searched they are one list.
Everything that fits is ordered before a page is cut from it, so a page begins behind the key that ended the one before.
"""

import uuid
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from connectors.catalogue.models import Category, Connector, PackageVersion
from connectors.console.connector_columns import ConnectorRow, PlainRow, find_sort
from connectors.console.forms.connector_filters import ConnectorFilters
from connectors.console.presentation import ConnectorText, describe_connectors, name_category
from connectors.console.typo_search import score, split_words
from connectors.ledger.rows import ledger_rows

SIZE = 20  # a row of the ledger costs about 3 ms; a page keeps within 150 ms with 200 connectors


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
    found = _read(filters)
    texts = describe_connectors(found)
    if filters.q:
        found = _best_first(found, texts, filters.q)
    sort = find_sort(filters.sort)
    if sort:
        found = sort.arrange(found, partial(_plain, texts=texts), partial(_rows, texts=texts))
    page, older = _cut(found, filters.after)
    rows = _rows(page, texts)
    return ConnectorPage(_group(rows) if filters.in_order else (RowGroup(None, "", rows),), len(found), older)


def list_categories() -> list[tuple[str, str]]:
    """Return (key, name) of each category that has a connector, in order."""
    categories = Category.objects.filter(connectors__isnull=False).distinct()
    return [(category.key, name_category(category)) for category in categories]


def _read(filters: ConnectorFilters) -> list[Connector]:
    """Return what the filters leave but for a search, in the catalogue's order, each with its category."""
    connectors = Connector.objects.defer("configuration")
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


def _plain(connector: Connector, texts: dict[uuid.UUID, ConnectorText]) -> PlainRow:
    return PlainRow(connector, texts[connector.pk], name_category(connector.category))


def _rows(page: list[Connector], texts: dict[uuid.UUID, ConnectorText]) -> tuple[ConnectorRow, ...]:
    versions = PackageVersion.objects.only("version").in_bulk([each.version_id for each in page])
    page = [connector for connector in page if connector.version_id in versions]  # the others are just being removed
    for connector in page:
        connector.version = versions[connector.version_id]
    ledger = ledger_rows(page)
    return tuple(ConnectorRow(each, texts[each.pk], name_category(each.category), ledger[each.pk]) for each in page)
