"""Who may use connectors: people who see them, agents that were granted something; counted for many at once."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from connectors.access.models import Team, User
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from connectors.policy.models import Grant


def count_people(connectors: Collection[Connector]) -> dict[UUID, int]:
    """Return how many active people may see each connector once it is published; two queries."""
    everybody = User.objects.filter(is_active=True).count()
    chosen = [connector.pk for connector in connectors if not connector.everyone]
    counted: dict[UUID, int] = {connector.pk: everybody for connector in connectors}
    if chosen:
        rows = Connector.objects.filter(pk__in=chosen).order_by().values_list("pk")
        counted |= dict(rows.annotate(reach=Coalesce(Subquery(_chosen_people()), 0)))
    return counted


def _chosen_people() -> Any:
    """Subqueries rather than joins, so that two ways to see one connector are still one person."""
    here = OuterRef(OuterRef("pk"))
    named = Connector.people.through.objects.filter(connector=here, user=OuterRef("pk"))
    member = Connector.teams.through.objects.filter(connector=OuterRef(OuterRef(OuterRef("pk"))), team=OuterRef("pk"))
    teams = Team.objects.filter(Exists(member), members=OuterRef("pk"))
    people = User.objects.filter(Q(Exists(named)) | Q(Exists(teams)), is_active=True)
    return people.order_by().values(one=Value(1, IntegerField())).annotate(found=Count("pk")).values("found")


def may_see(*, connector: str, person: str) -> Q:
    """Return the condition that a row's person is active and may see its connector; both are paths to foreign keys."""
    pair = {"connector": OuterRef(f"{connector}_id")}
    named = Connector.people.through.objects.filter(**pair, user=OuterRef(f"{person}_id"))
    member = Connector.teams.through.objects.filter(**pair, team__members=OuterRef(f"{person}_id"))
    sees = Q(**{f"{connector}__everyone": True}) | Q(Exists(named)) | Q(Exists(member))
    return sees & Q(**{f"{person}__is_active": True})


def usable_grants(connector_ids: Collection[UUID]) -> QuerySet[Grant]:
    """Return the grants that open something now: of agents that are not retired, whose owners may see the connector."""
    grants = Grant.objects.filter(connection__connector__in=connector_ids, agent__retired_at=None)
    open_ones = grants.exclude(breadth=Grant.Breadth.NONE)
    return open_ones.filter(may_see(connector="connection__connector", person="agent__owner"))


def count_agents(connector_ids: Collection[UUID]) -> dict[UUID, int]:
    """Return how many agents have access to something at each connector; one query."""
    rows = usable_grants(connector_ids).order_by().values_list("connection__connector_id")
    return dict(rows.annotate(agents=Count("agent", distinct=True)))


def count_connections(connector_ids: Collection[UUID]) -> dict[UUID, int]:
    """Return how many accounts are connected at each connector; one query."""
    rows = Connection.objects.filter(connector__in=connector_ids).order_by().values_list("connector_id")
    return dict(rows.annotate(connections=Count("pk")))
