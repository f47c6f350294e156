"""The ledger (连接器台账): one row a connector, read for many at once by a fixed number of queries."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Flag, auto
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from connectors.access.models import User
from connectors.audit.usage import ToolKey, Usage
from connectors.audit.usage_list import ListedUse, UseWanted, use_of_connectors
from connectors.catalogue.models import Connector
from connectors.ledger.access import count_agents, count_connections, count_people
from connectors.ledger.allowed_tools import allowed_tools
from connectors.ledger.disposition import Suggestion, suggest_disposition
from connectors.ledger.health_mark import HealthMark, mark_health
from connectors.ledger.models import Disposition, LedgerEntry, Probe
from connectors.manifest.tool_keys import tool_key

WEEK: Final = timedelta(days=7)
MONTH: Final = timedelta(days=30)
QUARTER: Final = timedelta(days=90)


class Part(Flag):
    """What a row is made of; a list that shows little reads little."""

    NOTHING = 0
    LAST_USE = auto()  # and what it suggests
    WEEK = auto()
    MONTH = auto()
    QUANTILES = auto()  # of the month
    QUARTER = auto()
    DAILY = auto()
    TOOLS = auto()
    REACH = auto()  # people and agents
    CONNECTIONS = auto()
    OWNER = auto()
    ENTRY = auto()
    PROBE = auto()
    DISPOSITION = auto()


EVERYTHING: Final = ~Part.NOTHING
_USE: Final = Part.LAST_USE | Part.WEEK | Part.MONTH | Part.QUARTER | Part.DAILY | Part.TOOLS
_STRETCHES: Final = {Part.WEEK: WEEK, Part.MONTH: MONTH, Part.QUARTER: QUARTER}


@dataclass(frozen=True, slots=True)
class ToolUse:
    """What the package allows, which of it nobody called within 90 days, and which of that nobody ever called."""

    allowed: int
    unused: tuple[str, ...]
    never: tuple[str, ...]

    @property
    def used(self) -> int:
        return self.allowed - len(self.unused)


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One connector's row. `purpose` is what people wrote, empty while the package's description stands for it;
    `owner` is who answers for it, or who installed it. `context_tokens` is an estimate (`context_cost`), None while
    no account's list of tools was seen. `daily` are the calls of the last 30 days, oldest first. Only `month` has
    quantiles. Parts that were not asked for are as of a connector that has nothing of them."""

    connector: Connector
    entry: LedgerEntry | None
    owner: User | None
    last_used_at: datetime | None
    last_used_by: str
    week: Usage
    month: Usage
    quarter: Usage
    daily: tuple[int, ...]
    people: int
    agents: int
    connections: int
    tools: ToolUse
    context_tokens: int | None
    health: HealthMark
    probe: Probe | None
    suggestion: Suggestion
    disposition: Disposition | None

    @property
    def purpose(self) -> str:
        return self.entry.purpose if self.entry else ""

    @property
    def source(self) -> str:
        return self.entry.source if self.entry else ""

    @property
    def p95_us(self) -> int | None:
        return self.month.p95_us


@dataclass(frozen=True, slots=True)
class _Known:
    """Everything that is read for all rows at once, by connector id or key."""

    now: datetime
    parts: Part
    uses: dict[str, ListedUse]
    allowed: dict[UUID, tuple[str, ...]]
    people: dict[UUID, int]
    agents: dict[UUID, int]
    connections: dict[UUID, int]
    entries: dict[UUID, LedgerEntry]
    probes: dict[UUID, Probe]
    dispositions: dict[UUID, Disposition]
    people_named: dict[int, User] = field(repr=False)

    def usage(self, part: Part, key: str) -> Usage:
        return self.uses[key].usage(self.now - _STRETCHES[part]) if part in self.parts else Usage()


def ledger_rows(connectors: Collection[Connector], *, parts: Part = EVERYTHING) -> dict[UUID, LedgerRow]:
    """Return the rows by connector id; the number of queries does not depend on how many there are."""
    known = _read(list(connectors), parts, timezone.now())
    return {connector.pk: _row(connector, known) for connector in connectors}


def ledger_row(connector: Connector) -> LedgerRow:
    """Return one connector's row."""
    return ledger_rows([connector])[connector.pk]


def measure_tools(allowed: Collection[str], last_used: Mapping[ToolKey, datetime], *, since: datetime) -> ToolUse:
    """Return what of the allowed tools was used since a moment; `last_used` names every tool that ever was."""
    ever = {tool_key(key.server or None, key.tool): at for key, at in last_used.items()}
    return ToolUse(
        allowed=len(allowed),
        unused=tuple(key for key in allowed if key not in ever or ever[key] < since),
        never=tuple(key for key in allowed if key not in ever),
    )


def _read(connectors: list[Connector], parts: Part, now: datetime) -> _Known:
    ids = [connector.pk for connector in connectors]

    def where[Read](part: Part, read: Callable[[], dict[Any, Read]]) -> dict[Any, Read]:
        return read() if part & parts else {}

    entries = where(Part.ENTRY | Part.OWNER, lambda: _by_connector(LedgerEntry.objects.filter(connector__in=ids)))
    held = Disposition.objects.filter(connector__in=ids, superseded_at=None).order_by()
    probes = Probe.objects.filter(connector__in=ids).defer("tools", "toolset_digests")
    named = {entry.owner_id for entry in entries.values()} | {connector.installed_by_id for connector in connectors}
    return _Known(
        now=now,
        parts=parts,
        uses=where(_USE, lambda: _read_use([connector.key for connector in connectors], parts, now)),
        allowed=where(Part.TOOLS, lambda: allowed_tools([connector.version_id for connector in connectors])),
        people=where(Part.REACH, lambda: count_people(connectors)),
        agents=where(Part.REACH, lambda: count_agents(ids)),
        connections=where(Part.CONNECTIONS, lambda: count_connections(ids)),
        entries=entries,
        probes=where(Part.PROBE, lambda: _by_connector(probes)),
        dispositions=where(Part.DISPOSITION, lambda: _by_connector(held)),
        people_named=where(Part.OWNER, lambda: User.objects.in_bulk(named - {None})),
    )


def _by_connector(rows: QuerySet[Any]) -> dict[UUID, Any]:
    return {row.connector_id: row for row in rows}


def _read_use(keys: list[str], parts: Part, now: datetime) -> dict[str, ListedUse]:
    wanted = UseWanted(
        moments=tuple(now - length for part, length in _STRETCHES.items() if part in parts),
        quantiles_since=now - MONTH if Part.MONTH | Part.QUANTILES in parts else None,
        days=(now - MONTH, now) if Part.DAILY in parts else None,
        tools=Part.TOOLS in parts,
    )
    return use_of_connectors(keys, wanted)


def _row(connector: Connector, known: _Known) -> LedgerRow:
    entry, probe = known.entries.get(connector.pk), known.probes.get(connector.pk)
    use = known.uses.get(connector.key) or ListedUse({}, [])
    last_used_at = use.last_used_at or connector.last_used_at
    owner = known.people_named.get((entry and entry.owner_id) or connector.installed_by_id or 0)
    return LedgerRow(
        connector=connector,
        entry=entry,
        owner=owner,
        last_used_at=last_used_at,
        last_used_by=use.last_used_by,
        week=known.usage(Part.WEEK, connector.key),
        month=known.usage(Part.MONTH, connector.key),
        quarter=known.usage(Part.QUARTER, connector.key),
        daily=tuple(use.daily),
        people=known.people.get(connector.pk, 0),
        agents=known.agents.get(connector.pk, 0),
        connections=known.connections.get(connector.pk, 0),
        tools=measure_tools(known.allowed.get(connector.version_id, ()), use.tools, since=known.now - QUARTER),
        context_tokens=probe.context_tokens if probe else None,
        health=mark_health(probe),
        probe=probe,
        suggestion=suggest_disposition(
            last_used_at=last_used_at,
            observed_since=connector.published_at,
            withdrawn=connector.status == Connector.Status.DISABLED,
            now=known.now,
        ),
        disposition=known.dispositions.get(connector.pk),
    )
