"""Reads of people's connections."""

from django.db.models import F, QuerySet
from django.utils import timezone

from connectors.access.models import User
from connectors.authorization.accounts import STANDING
from connectors.authorization.models import Connection, RefreshLease, RevocationJob
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import visible_connectors


def connections_of(person: User) -> QuerySet[Connection]:
    """Return all of a person's connections, with what a page shows of them."""
    return Connection.objects.filter(person=person).select_related(
        "connector__version", "connector__category", "credential"
    )


def usable_connections(person: User) -> QuerySet[Connection]:
    """Return the connections that calls may go through now: standing, authorized for what the connector asks today,
    at a published connector the person may see."""
    return connections_of(person).filter(
        state__in=STANDING,
        authorization_fingerprint=F("connector__authorization_fingerprint"),
        connector__in=visible_connectors(person).order_by().values("pk"),
    )


def unrevoked() -> QuerySet[RevocationJob]:
    """Return the revocations that gave up, the latest first: somebody has to end that access at the service."""
    return RevocationJob.objects.filter(gave_up_at__isnull=False).select_related("person").order_by("-gave_up_at")


def held_leases(connector: Connector) -> QuerySet[RefreshLease]:
    """Return the refreshes under way at a connector: it is not updated or removed while there are any (§9)."""
    leases = RefreshLease.objects.filter(connection__connector=connector, expires_at__gt=timezone.now())
    return leases.exclude(owner=None).select_related("connection__person").order_by("held_since")
