"""How much connectors, tools, people and connections are used: the rollups, and the calls they do not hold yet.

Every number is exact: equal to counting the calls themselves, also those that retention has removed since. Calls count
in the hour they started; `since` and `until` are taken down to whole hours. Errors are calls that did not succeed.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

from connectors.audit.queries import CallFilters

type By = Literal["connector", "tool", "person", "connection", "code"]


class ToolKey(NamedTuple):
    """A tool as the connector's policy names it; `server` is empty for a single endpoint."""

    server: str
    tool: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Use since a moment; `last_used_*` are of all time. `p95_us` is within 10 % of the true value, None without calls."""

    calls: int = 0
    errors: int = 0
    last_used_at: datetime | None = None
    last_used_by: str = ""
    p50_us: int | None = None
    p95_us: int | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """One bucket of a series, [start, the next one's start)."""

    start: datetime
    calls: int
    errors: int
    p50_us: int | None
    p95_us: int | None


@dataclass(frozen=True, slots=True)
class Top:
    """One row of a top list. `key` is the connector key, `server/tool`, the person's or connection's id, or the code."""

    key: str
    name: str
    connector_key: str
    usage: Usage


def usage_by_connector(keys: Collection[str], *, since: datetime) -> dict[str, Usage]:
    """Return the use of each connector; one without calls is `Usage()`."""
    raise NotImplementedError


def usage_by_connection(ids: Collection[UUID], *, since: datetime) -> dict[UUID, Usage]:
    """Return the use of each connection."""
    raise NotImplementedError


def usage_by_tool(connector_key: str, *, since: datetime) -> dict[ToolKey, Usage]:
    """Return the use of each tool of a connector that was ever called."""
    raise NotImplementedError


def usage_by_tool_of(keys: Collection[str], *, since: datetime) -> dict[str, dict[ToolKey, Usage]]:
    """Return the same for several connectors at once."""
    raise NotImplementedError


def usage_by_grant(connection_ids: Collection[UUID]) -> dict[tuple[UUID, UUID], dict[ToolKey, datetime]]:
    """Return when each agent last used each tool of each connection, all time: by (agent id, connection id)."""
    raise NotImplementedError


def daily_calls_by_connector(keys: Collection[str], *, since: datetime, until: datetime) -> dict[str, tuple[int, ...]]:
    """Return the calls of each UTC day from `since`'s to `until`'s, oldest first."""
    raise NotImplementedError


def usage_series(
    filters: CallFilters, *, since: datetime, until: datetime, edges: Sequence[datetime]
) -> tuple[Point, ...]:
    """Return a point for each stretch between `edges` (see `bucket_edges`), narrowed by what `covered` names."""
    raise NotImplementedError


def usage_top(by: By, filters: CallFilters, *, since: datetime, until: datetime, limit: int = 10) -> tuple[Top, ...]:
    """Return what has the most calls, most first."""
    raise NotImplementedError


def covered(filters: CallFilters) -> frozenset[str]:
    """Return which of the filters that are set series and top lists honour; the others they cannot."""
    raise NotImplementedError
