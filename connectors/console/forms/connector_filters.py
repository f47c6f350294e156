"""What the address of the connectors list asks for."""

from dataclasses import dataclass

from django.http import QueryDict

from connectors.catalogue.models import Connector
from connectors.console.connector_columns import COLUMNS, find_sort

LONGEST = 100


@dataclass(frozen=True, slots=True)
class ConnectorFilters:
    """Empty narrows nothing; what means nothing is empty. `after` is the key that ended the page before."""

    q: str = ""
    status: str = ""
    category: str = ""
    sort: str = ""
    after: str = ""
    columns: tuple[str, ...] = ()
    chosen: bool = False  # the columns were asked for

    @property
    def narrowing(self) -> bool:
        return bool(self.q or self.status or self.category)

    @property
    def in_order(self) -> bool:
        """Whether rows stand as people see them, and so can be moved."""
        return not self.sort and not self.q


def read_filters(query: QueryDict) -> ConnectorFilters:
    """Parse the address; a connector's columns are those asked for, or the usual ones."""
    q, status, category, sort, after = (
        query.get(name, "").strip()[:LONGEST] for name in ("q", "status", "category", "sort", "after")
    )
    asked = set(query.getlist("columns"))
    columns = tuple(column.name for column in COLUMNS if column.name in asked)
    return ConnectorFilters(
        q=q,
        status=status if status in Connector.Status.values else "",
        category=category,
        sort=sort if find_sort(sort) else "",
        after=after,
        columns=columns or tuple(column.name for column in COLUMNS if column.shown),
        chosen=bool(columns),
    )
