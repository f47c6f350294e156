"""Publish a connector, or withdraw it: draft → published ⇄ disabled (handbook §11)."""

from django.db import transaction
from django.utils import timezone

from connectors.access.epoch import bump_catalogue
from connectors.access.models import User
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import Connector
from connectors.errors import Conflict


@transaction.atomic
def publish_connector(*, connector: Connector, actor: User | None) -> Connector:
    """Offer a connector to those who may see it; publishing it again changes nothing."""
    current = lock_connector(connector.pk)
    if current.status == Connector.Status.PUBLISHED:
        return current
    _set_status(current, Connector.Status.PUBLISHED, "connector_published", actor)
    return current


@transaction.atomic
def disable_connector(*, connector: Connector, actor: User | None) -> Connector:
    """Withdraw a published connector: its next call is refused; connections and grants wait for its return."""
    current = lock_connector(connector.pk)
    if current.status == Connector.Status.DISABLED:
        return current
    if current.status == Connector.Status.DRAFT:
        raise Conflict("connector_not_published", key=current.key)
    _set_status(current, Connector.Status.DISABLED, "connector_disabled", actor)
    return current


def _set_status(connector: Connector, status: Connector.Status, act: str, actor: User | None) -> None:
    before = connector.status
    connector.status = status
    if status == Connector.Status.PUBLISHED:
        connector.published_at = timezone.now()
    connector.save(update_fields=["status", "published_at"])
    bump_catalogue()
    record_connector_event(act, connector, actor, before={"status": before}, after={"status": str(status)})
