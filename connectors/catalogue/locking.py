"""Lock a connector's row before changing it (contract.md, "Update and removal"); SQLite's transactions already do."""

from uuid import UUID

from connectors.catalogue.models import Connector
from connectors.errors import NotFound


def lock_connector(connector_id: UUID) -> Connector:
    """Return the connector as it is now, locked until the transaction ends; a removed one is not found."""
    connector = (
        Connector.objects.select_for_update(of=("self",)).select_related("version").filter(pk=connector_id).first()
    )
    if connector is None:
        raise NotFound("connector_not_found")
    return connector
