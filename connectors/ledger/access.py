"""Who may use connectors: people who see them, agents that were granted something; counted for many at once."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, IntegerField, OuterRef, Q, Subquery, Value
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


def count_agents(connector_ids: Collection[UUID]) -> dict[UUID, int]:
    """Return how many agents that are not retired were granted something at each connector; one query."""
    grants = Grant.objects.filter(connection__connector__in=connector_ids, agent__retired_at=None)
    rows = grants.exclude(breadth=Grant.Breadth.NONE).order_by().values_list("connection__connector_id")
    return dict(rows.annotate(agents=Count("agent", distinct=True)))


def count_connections(connector_ids: Collection[UUID]) -> dict[UUID, int]:
    """Return how many accounts are connected at each connector; one query."""
    rows = Connection.objects.filter(connector__in=connector_ids).order_by().values_list("connector_id")
    return dict(rows.annotate(connections=Count("pk")))
