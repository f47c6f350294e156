"""The ledger's row of one connection, for its owner: how much it is used, and which of its tools nobody uses."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.utils import timezone

from connectors.audit.usage import ToolKey, Usage, usage_by_connection, usage_by_grant
from connectors.authorization.models import Connection
from connectors.ledger.allowed_tools import allowed_tools
from connectors.manifest.tool_keys import tool_key

MONTH: Final = timedelta(days=30)
UNUSED_AFTER: Final = timedelta(days=90)

type GrantUse = dict[tuple[UUID, UUID], dict[ToolKey, datetime]]  # by (agent, connection): tool -> last used


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    """`month` is its use within 30 days; `unused` are the allowed tools no agent used through it within 90."""

    month: Usage
    allowed: int
    unused: tuple[str, ...]


def connection_rows(connections: Collection[Connection]) -> dict[UUID, ConnectionRow]:
    """Return the rows by connection id; the connections carry their connector. A fixed number of queries."""
    now = timezone.now()
    ids = [connection.pk for connection in connections]
    uses = usage_by_connection(ids, since=now - MONTH)
    used = tools_in_use(usage_by_grant(ids), since=now - UNUSED_AFTER)
    allowed = allowed_tools({connection.connector.version_id for connection in connections})
    return {
        connection.pk: _row(
            uses[connection.pk], allowed[connection.connector.version_id], used.get(connection.pk, set())
        )
        for connection in connections
    }


def tools_in_use(grants: GrantUse, *, since: datetime) -> dict[UUID, set[str]]:
    """Return, by connection, the policy keys of the tools that any agent used since then."""
    used: dict[UUID, set[str]] = {}
    for (_agent, connection), tools in grants.items():
        used.setdefault(connection, set()).update(keys_in_use(tools, since=since))
    return used


def keys_in_use(tools: dict[ToolKey, datetime], *, since: datetime) -> set[str]:
    """Return the policy keys of the tools whose last use was since then."""
    return {tool_key(key.server or None, key.tool) for key, at in tools.items() if at >= since}


def _row(month: Usage, allowed: tuple[str, ...], used: set[str]) -> ConnectionRow:
    return ConnectionRow(month, len(allowed), tuple(key for key in allowed if key not in used))
