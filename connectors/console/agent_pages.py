"""What an agent's page shows: its tokens, and what it may use of each connection."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db.models import Count, Max, Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from connectors.access.models import Agent, AgentToken, User
from connectors.authorization.models import Connection
from connectors.console.connection_states import Badge, describe_state
from connectors.console.own import own_connections, visible_ids
from connectors.console.presentation import ConnectorText, describe_connectors
from connectors.policy.models import Grant
from connectors.policy.queries import grants_of_agent

WORKING = Q(tokens__revoked_at=None) & (Q(tokens__expires_at=None) | Q(tokens__expires_at__gt=Now()))
TokenState = Literal["working", "expired", "revoked"]


@dataclass(frozen=True, slots=True)
class AgentLine:
    """An agent that is not retired: how many of its tokens work, and how many connections it may use."""

    agent: Agent
    working_tokens: int
    granted: int
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class TokenLine:
    token: AgentToken
    state: TokenState


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One of the owner's connections, and what the agent may use of it."""

    connection: Connection
    text: ConnectorText
    badge: Badge
    grant: Grant | None

    @property
    def granted(self) -> bool:
        return self.grant is not None and self.grant.breadth != Grant.Breadth.NONE

    @property
    def summary(self) -> str:
        if self.grant is None or not self.granted:
            return gettext("Nothing")
        if self.grant.breadth == Grant.Breadth.ALL:
            return gettext("All tools")
        count = len(self.grant.tools)
        return ngettext("%(count)d tool", "%(count)d tools", count) % {"count": count}

    @property
    def reads_only(self) -> bool:
        return self.grant is not None and self.grant.access == Grant.Access.READ_ONLY


def list_agents(person: User) -> list[AgentLine]:
    agents = Agent.objects.filter(owner=person, retired_at=None).annotate(
        working_tokens=Count("tokens", filter=WORKING, distinct=True),
        granted=Count("grants", filter=~Q(grants__breadth=Grant.Breadth.NONE), distinct=True),
        last_used_at=Max("tokens__last_used_at"),
    )
    return [
        AgentLine(agent, agent.working_tokens, agent.granted, agent.last_used_at) for agent in agents.order_by("name")
    ]


def list_tokens(agent: Agent) -> list[TokenLine]:
    now = timezone.now()
    return [TokenLine(token, _state(token, now)) for token in AgentToken.objects.filter(agent=agent)]


def read_matrix(agent: Agent, person: User) -> list[MatrixRow]:
    """Every connection of the owner, granted ones first."""
    connections = list(own_connections(person))
    texts = describe_connectors({connection.connector for connection in connections})
    grants: dict[UUID, Grant] = {grant.connection_id: grant for grant in grants_of_agent(agent).select_related(None)}
    visible = visible_ids(person)
    rows = [
        MatrixRow(
            connection,
            texts[connection.connector_id],
            describe_state(connection, visible=visible),
            grants.get(connection.pk),
        )
        for connection in connections
    ]
    return sorted(rows, key=lambda row: (not row.granted, str(row.text).casefold(), row.connection.alias))


def _state(token: AgentToken, now: datetime) -> TokenState:
    if token.revoked_at:
        return "revoked"
    return "expired" if token.expires_at and token.expires_at <= now else "working"
