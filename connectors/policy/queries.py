"""Reads of grants."""

from django.db.models import QuerySet

from connectors.access.models import Agent
from connectors.authorization.models import Connection
from connectors.policy.models import Grant


def grants_of_agent(agent: Agent) -> QuerySet[Grant]:
    """Return what an agent was granted, with connection and connector."""
    return Grant.objects.filter(agent=agent).select_related("connection__connector__version").order_by("granted_at")


def grants_of_connection(connection: Connection) -> QuerySet[Grant]:
    """Return the grants on a connection, with the agents that hold them."""
    return Grant.objects.filter(connection=connection).select_related("agent").order_by("agent__name")


def find_grant(agent: Agent, connection: Connection) -> Grant | None:
    """Return the grant of one agent on one connection, if any."""
    return Grant.objects.filter(agent=agent, connection=connection).first()
