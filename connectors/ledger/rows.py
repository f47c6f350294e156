"""The ledger (连接器台账): one row a connector, read for many at once by a fixed number of queries."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.utils import timezone

from connectors.access.models import User
from connectors.audit.usage import ToolKey, Usage, daily_calls_by_connector, tools_last_used, usage_since_each
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
    quantiles."""

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
    uses: dict[timedelta, dict[str, Usage]]
    daily: dict[str, tuple[int, ...]]
    tools: dict[str, dict[ToolKey, datetime]]
    allowed: dict[UUID, tuple[str, ...]]
    people: dict[UUID, int]
    agents: dict[UUID, int]
    connections: dict[UUID, int]
    entries: dict[UUID, LedgerEntry]
    probes: dict[UUID, Probe]
    dispositions: dict[UUID, Disposition]
    installers: dict[int, User]


def ledger_rows(connectors: Collection[Connector]) -> dict[UUID, LedgerRow]:
    """Return the rows by connector id; the number of queries does not depend on how many there are."""
    known = _read(list(connectors), timezone.now())
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


def _read(connectors: list[Connector], now: datetime) -> _Known:
    keys = [connector.key for connector in connectors]
    ids = [connector.pk for connector in connectors]
    entries = LedgerEntry.objects.filter(connector__in=ids).select_related("owner")
    held = Disposition.objects.filter(connector__in=ids, superseded_at=None).order_by()
    installers = {connector.installed_by_id for connector in connectors} - {None}
    moments = [now - length for length in (WEEK, MONTH, QUARTER)]
    uses = usage_since_each(keys, moments=moments, quantiles_since=now - MONTH)
    return _Known(
        now=now,
        uses={now - moment: found for moment, found in uses.items()},
        daily=daily_calls_by_connector(keys, since=now - MONTH, until=now),
        tools=tools_last_used(keys),
        allowed=allowed_tools([connector.version_id for connector in connectors]),
        people=count_people(connectors),
        agents=count_agents(ids),
        connections=count_connections(ids),
        entries={entry.connector_id: entry for entry in entries},
        probes={probe.connector_id: probe for probe in Probe.objects.filter(connector__in=ids).defer("tools")},
        dispositions={disposition.connector_id: disposition for disposition in held},
        installers=User.objects.in_bulk(installers),
    )


def _row(connector: Connector, known: _Known) -> LedgerRow:
    entry, probe = known.entries.get(connector.pk), known.probes.get(connector.pk)
    quarter = known.uses[QUARTER][connector.key]
    last_used_at = quarter.last_used_at or connector.last_used_at
    return LedgerRow(
        connector=connector,
        entry=entry,
        owner=(entry.owner if entry else None) or known.installers.get(connector.installed_by_id or 0),
        last_used_at=last_used_at,
        last_used_by=quarter.last_used_by,
        week=known.uses[WEEK][connector.key],
        month=known.uses[MONTH][connector.key],
        quarter=quarter,
        daily=known.daily[connector.key],
        people=known.people[connector.pk],
        agents=known.agents.get(connector.pk, 0),
        connections=known.connections.get(connector.pk, 0),
        tools=measure_tools(
            known.allowed[connector.version_id], known.tools.get(connector.key, {}), since=known.now - QUARTER
        ),
        context_tokens=probe.context_tokens if probe else None,
        health=mark_health(probe, now=known.now),
        probe=probe,
        suggestion=suggest_disposition(last_used_at=last_used_at, observed_since=connector.published_at, now=known.now),
        disposition=known.dispositions.get(connector.pk),
    )
