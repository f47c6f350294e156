"""What belongs to the reader. Anything else does not exist for them: 404, never 403."""

import uuid

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from connectors.access.models import Agent, AgentToken, User
from connectors.authorization.models import Connection
from connectors.catalogue.queries import visible_connectors


def own_connections(person: User) -> QuerySet[Connection]:
    """Return a person's connections with what their badges need; nothing sealed is read."""
    rows = Connection.objects.filter(person=person).select_related("connector", "credential", "refresh_lease", "avatar")
    return rows.defer("credential__sealed", "credential__grant", "avatar__content").order_by("connector__key", "alias")


def own_connection(person: User, connection_id: uuid.UUID) -> Connection:
    connections = own_connections(person).select_related("connector__version", "connector__category", "toolset")
    return get_object_or_404(connections, pk=connection_id)


def own_agent(person: User, agent_id: uuid.UUID) -> Agent:
    return get_object_or_404(Agent, pk=agent_id, owner=person)


def own_token(agent: Agent, token_id: uuid.UUID) -> AgentToken:
    return get_object_or_404(AgentToken, pk=token_id, agent=agent)


def visible_ids(person: User) -> frozenset[uuid.UUID]:
    return frozenset(visible_connectors(person).order_by().values_list("pk", flat=True))
