"""What of a call is counted, for what, and in which hour: in the rollups, and of calls that are not in them yet."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from connectors.audit.latency import histogram_of, quantile
from connectors.audit.models import CallRecord
from connectors.audit.usage_models import UsageSubject

Level = UsageSubject.Level

# What tells the subjects of a level apart. Whoever asks takes the first level that has the columns asked for.
COLUMNS: Final[dict[Level, tuple[str, ...]]] = {
    Level.ALL: (),
    Level.CONNECTOR: ("connector_key",),
    Level.TOOL: ("connector_key", "server", "tool", "public_tool"),
    Level.CONNECTION: ("connector_key", "person_id", "connection_id"),
    Level.CODE: ("connector_key", "error_code"),
    Level.EACH: (
        "connector_key",
        "server",
        "tool",
        "public_tool",
        "effect",
        "origin",
        "person_id",
        "agent_id",
        "connection_id",
        "outcome",
        "error_code",
    ),
}
# Names that go with a level's columns: the latest seen, they tell nothing apart.
NAMES: Final[dict[Level, tuple[str, ...]]] = {
    Level.CONNECTION: ("person_name", "alias"),
    Level.EACH: ("person_name", "agent_name", "alias"),
}
# Levels that are counted by the day too, for sums over long times.
DAILY: Final = frozenset({Level.CONNECTOR, Level.TOOL, Level.CONNECTION, Level.CODE})
_READ: Final = [
    "id",
    "started_at",
    "elapsed_us",
    "outcome",
    "error_code",
    "connector_key",
    "server",
    "upstream_tool",
    "tool",
    "effect",
    "origin",
    "person_id",
    "person_name",
    "agent_id",
    "agent_name",
    "connection_id",
    "alias",
]


class CountedCall(NamedTuple):
    """The part of a call that is counted, under the names of `UsageSubject`."""

    id: UUID
    started_at: datetime
    elapsed_us: int
    outcome: str
    error_code: str
    connector_key: str
    server: str
    tool: str
    public_tool: str
    effect: str
    origin: str
    person_id: int | None
    person_name: str
    agent_id: UUID | None
    agent_name: str
    connection_id: UUID | None
    alias: str

    @property
    def failed(self) -> bool:
        return self.outcome != CallRecord.Outcome.SUCCEEDED

    @property
    def hour(self) -> datetime:
        return floor_hour(self.started_at)


def _reader_of(columns: tuple[str, ...]) -> Callable[[CountedCall], tuple[Any, ...]]:
    places = [CountedCall._fields.index(column) for column in columns]
    if len(places) > 1:
        return itemgetter(*places)
    return lambda call: tuple([call[place] for place in places])


# What makes a level's key of a call; asked of every call for every level.
KEYS: Final = {level: _reader_of(columns) for level, columns in COLUMNS.items()}


@dataclass(slots=True)
class Tally:
    """A number of calls added up."""

    calls: int = 0
    errors: int = 0
    latency: int = 0

    def add_call(self, call: CountedCall) -> None:
        self.add(1, int(call.failed), histogram_of(call.elapsed_us))

    def add(self, calls: int, errors: int, latency: int) -> None:
        self.calls += calls
        self.errors += errors
        self.latency += latency

    @property
    def p50_us(self) -> int | None:
        return quantile(self.latency, 0.5)

    @property
    def p95_us(self) -> int | None:
        return quantile(self.latency, 0.95)


def read_calls(calls: QuerySet[CallRecord]) -> list[CountedCall]:
    """Return what is counted of some calls; a tool without a name of its own goes by the agent's name for it."""
    return list(_with_tools(calls.values_list(*_READ)))


def _with_tools(rows: Iterable[tuple[Any, ...]]) -> Iterator[CountedCall]:
    for row in rows:
        call = CountedCall(*row)
        yield call if call.tool else call._replace(tool=call.public_tool)


def floor_hour(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def floor_day(moment: datetime) -> datetime:
    return floor_hour(moment).replace(hour=0)
