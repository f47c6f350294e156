"""What My connections and a connection's page show."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Q

from connectors.access.models import User
from connectors.authorization.models import Connection, Credential
from connectors.catalogue.presentation import ActionView, present_connector
from connectors.catalogue.versions import manifest_of
from connectors.console.connection_states import Badge, describe_state
from connectors.console.own import own_connections, visible_ids
from connectors.console.presentation import ConnectorText, describe_connector, describe_connectors, reader_language
from connectors.console.tool_list import EffectGroup, LeftOut, ToolLine, group_by_effect, list_left_out, list_tools
from connectors.gateway.models import Toolset
from connectors.ledger.connection_rows import ConnectionRow, connection_rows
from connectors.ledger.health_mark import HealthMark
from connectors.policy.models import Grant
from connectors.policy.queries import grants_of_connection


@dataclass(frozen=True, slots=True)
class ConnectionLine:
    connection: Connection
    text: ConnectorText
    badge: Badge
    agents: int
    row: ConnectionRow

    @property
    def last_used_at(self) -> datetime | None:
        return self.row.quarter.last_used_at or self.connection.last_used_at

    @property
    def is_silent(self) -> bool:
        """Whether the account is fine and its connector's endpoint is not."""
        return self.badge.working and self.row.health in (HealthMark.FAILING, HealthMark.DEAD)


@dataclass(frozen=True, slots=True)
class ConnectionPage:
    connection: Connection
    text: ConnectorText
    badge: Badge
    groups: list[EffectGroup]
    left_out: list[LeftOut]
    toolset: Toolset | None
    actions: tuple[ActionView, ...]
    credential: Credential | None
    grants: list[Grant]
    interaction: str


def list_connections(person: User) -> list[ConnectionLine]:
    """Every connection of a person, what needs an act first."""
    granted = Count("grants", filter=~Q(grants__breadth=Grant.Breadth.NONE) & Q(grants__agent__retired_at=None))
    connections = list(own_connections(person).annotate(agents=granted))
    texts = describe_connectors({connection.connector for connection in connections})
    visible, rows = visible_ids(person), connection_rows(connections)
    lines = [
        ConnectionLine(
            connection,
            texts[connection.connector_id],
            describe_state(connection, visible=visible),
            connection.agents,
            rows[connection.pk],
        )
        for connection in connections
    ]
    return sorted(lines, key=lambda line: (line.badge.working, str(line.text).casefold(), line.connection.alias))


def read_connection(connection: Connection, person: User) -> ConnectionPage:
    view = present_connector(connection.connector, reader_language())
    return ConnectionPage(
        connection=connection,
        text=describe_connector(connection.connector),
        badge=badge_of(connection, person),
        groups=group_by_effect(read_tools(connection)),
        left_out=list_left_out(_toolset(connection)),
        actions=view.actions,
        interaction=view.interaction,
        toolset=_toolset(connection),
        credential=Credential.objects.filter(connection=connection).defer("sealed").first(),
        grants=list(
            grants_of_connection(connection).exclude(breadth=Grant.Breadth.NONE).filter(agent__retired_at=None)
        ),
    )


def badge_of(connection: Connection, person: User) -> Badge:
    return describe_state(connection, visible=visible_ids(person))


def read_tools(connection: Connection) -> list[ToolLine]:
    """What the package allows of this account; the connection carries its connector's version and its toolset."""
    return list_tools(manifest_of(connection.connector.version), _toolset(connection))


def _toolset(connection: Connection) -> Toolset | None:
    return getattr(connection, "toolset", None)


def count_connections(person: User) -> dict[UUID, int]:
    """How many accounts a person has at each connector."""
    rows = Connection.objects.filter(person=person).values_list("connector_id").annotate(Count("pk")).order_by()
    return dict(rows)
