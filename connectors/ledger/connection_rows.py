"""The ledger's row of one connection, for its owner: how much it is used, and which tools are not."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from django.utils import timezone

from connectors.audit.usage import ToolKey, Usage, usage_by_grant
from connectors.audit.usage_list import UseWanted, use_of_connections
from connectors.authorization.models import Connection
from connectors.ledger.allowed_tools import allowed_tools
from connectors.ledger.health_mark import HealthMark, mark_health
from connectors.ledger.models import Probe
from connectors.manifest.tool_keys import tool_key

WEEK: Final = timedelta(days=7)
MONTH: Final = timedelta(days=30)
UNUSED_AFTER: Final = timedelta(days=90)
_EVER: Final = datetime.min.replace(tzinfo=UTC)

type GrantUse = dict[tuple[UUID, UUID], dict[ToolKey, datetime]]  # by (agent, connection): tool -> last used


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    """Its use within 7, 30 and 90 days; `unused` are the allowed tools no agent used through it within 90, `never`
    those of them that none ever did. What its tools cost of a context is what the connector's cost. Only `month` has
    quantiles."""

    week: Usage
    month: Usage
    quarter: Usage
    allowed: int
    unused: tuple[str, ...]
    never: tuple[str, ...]
    context_tokens: int | None
    health: HealthMark

    @property
    def used(self) -> int:
        return self.allowed - len(self.unused)


def connection_rows(connections: Collection[Connection]) -> dict[UUID, ConnectionRow]:
    """Return the rows by connection id; the connections carry their connector. A fixed number of queries."""
    now = timezone.now()
    ids = [connection.pk for connection in connections]
    week, month, quarter = now - WEEK, now - MONTH, now - UNUSED_AFTER
    uses = use_of_connections(ids, UseWanted(moments=(week, month, quarter), quantiles_since=month))
    grants = usage_by_grant(ids)
    used, ever = tools_in_use(grants, since=now - UNUSED_AFTER), tools_in_use(grants, since=_EVER)
    allowed = allowed_tools({connection.connector.version_id for connection in connections})
    asked = Probe.objects.filter(connector__in={connection.connector_id for connection in connections}).defer("tools")
    probes = {probe.connector_id: probe for probe in asked}
    rows = {}
    for connection in connections:
        pk, probe = connection.pk, probes.get(connection.connector_id)
        keys = allowed[connection.connector.version_id]
        rows[pk] = ConnectionRow(
            week=uses[pk].usage(week),
            month=uses[pk].usage(month),
            quarter=uses[pk].usage(quarter),
            allowed=len(keys),
            unused=tuple(key for key in keys if key not in used.get(pk, ())),
            never=tuple(key for key in keys if key not in ever.get(pk, ())),
            context_tokens=probe.context_tokens if probe else None,
            health=mark_health(probe),
        )
    return rows


def tools_in_use(grants: GrantUse, *, since: datetime) -> dict[UUID, set[str]]:
    """Return, by connection, the policy keys of the tools that any agent used since then."""
    used: dict[UUID, set[str]] = {}
    for (_agent, connection), tools in grants.items():
        used.setdefault(connection, set()).update(keys_in_use(tools, since=since))
    return used


def keys_in_use(tools: dict[ToolKey, datetime], *, since: datetime) -> set[str]:
    """Return the policy keys of the tools whose last use was since then."""
    return {tool_key(key.server or None, key.tool) for key, at in tools.items() if at >= since}
