"""The connectors list as administrators filter and page it: a fixed number of queries, however many there are."""

import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, QuerySet
from django.utils import timezone

from connectors.authorization.models import Connection
from connectors.catalogue.models import Category, Connector
from connectors.catalogue.queries import installed_connectors
from connectors.console.presentation import ConnectorText, describe_connectors, name_category
from connectors.ledger.usage import count_calls

SIZE = 50
CALLS_SINCE = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class ConnectorFilters:
    """What the address asks for; empty narrows nothing. `after` is the key that ended the page before."""

    q: str = ""
    status: str = ""
    category: str = ""
    after: str = ""

    @property
    def narrowing(self) -> bool:
        return bool(self.q or self.status or self.category)


@dataclass(frozen=True, slots=True)
class ConnectorRow:
    connector: Connector
    text: ConnectorText
    category: str
    connections: int
    calls: int


@dataclass(frozen=True, slots=True)
class ConnectorPage:
    rows: tuple[ConnectorRow, ...]
    older: str  # the value of ?after= for the next page, or nothing


def list_connectors(filters: ConnectorFilters) -> ConnectorPage:
    """Return one page, by key."""
    found = list(_filtered(filters))
    texts = describe_connectors(found)
    if filters.q:
        wanted = filters.q.casefold()
        found = [each for each in found if wanted in _searchable(each, texts)]
    page, more = found[:SIZE], len(found) > SIZE
    return ConnectorPage(rows=_rows(page, texts), older=page[-1].key if more else "")


def list_categories() -> list[tuple[str, str]]:
    """Return (key, name) of each category that has a connector."""
    categories = Category.objects.filter(connectors__isnull=False).distinct()
    return [(category.key, name_category(category)) for category in categories]


def _filtered(filters: ConnectorFilters) -> QuerySet[Connector]:
    heavy = ("version__manifest", "version__texts", "version__skills", "configuration")
    connectors = installed_connectors().defer(*heavy).order_by("key")
    if filters.status in Connector.Status.values:
        connectors = connectors.filter(status=filters.status)
    if filters.category:
        connectors = connectors.filter(category__key=filters.category)
    if filters.after:
        connectors = connectors.filter(key__gt=filters.after)
    return connectors if filters.q else connectors[: SIZE + 1]


def _searchable(connector: Connector, texts: dict[uuid.UUID, ConnectorText]) -> str:
    text = texts[connector.pk]
    return f"{connector.key} {text.name} {text.description}".casefold()


def _rows(page: list[Connector], texts: dict[uuid.UUID, ConnectorText]) -> tuple[ConnectorRow, ...]:
    counted = Connection.objects.filter(connector__in=[each.pk for each in page]).order_by().values_list("connector_id")
    connections: dict[uuid.UUID, int] = dict(counted.annotate(count=Count("pk")))
    calls = count_calls([each.key for each in page], since=timezone.now() - CALLS_SINCE)
    return tuple(
        ConnectorRow(each, texts[each.pk], name_category(each.category), connections.get(each.pk, 0), calls[each.key])
        for each in page
    )
