"""What another authorization fingerprint does to accounts: they must be authorized again (handbook §9)."""

from django.db.models import F, QuerySet

from connectors.authorization.accounts import STANDING
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector


def standing_connections(connector: Connector) -> QuerySet[Connection]:
    """Return the connections that work under the connector's present fingerprint."""
    return Connection.objects.filter(
        connector=connector, authorization_fingerprint=connector.authorization_fingerprint, state__in=STANDING
    )


def note_fingerprint(connector: Connector, fingerprint: str) -> int:
    """Set the connector's fingerprint, for its caller to save; return how many people must authorize again.

    Their connections keep the one they were granted under, which is what makes them `reauthorization_required`, and
    their grant revision rises; they work again by themselves should the old fingerprint come back (a roll back).
    """
    if fingerprint == connector.authorization_fingerprint:
        return 0
    standing = standing_connections(connector)
    people = standing.order_by().values("person_id").distinct().count()
    standing.update(grant_revision=F("grant_revision") + 1)
    connector.authorization_fingerprint = fingerprint
    return people
