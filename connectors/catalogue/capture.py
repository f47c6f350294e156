"""Whether a connector's calls are kept with what they say, and for how long (off by default)."""

from typing import Final

from django.db import transaction

from connectors.access.epoch import bump_catalogue
from connectors.access.models import User
from connectors.audit.capture import shorten_captured
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import Connector
from connectors.errors import Fault, Invalid

MAX_DAYS: Final = 30


@transaction.atomic
def set_capture(*, connector: Connector, days: int, actor: User | None) -> Connector:
    """Keep arguments and results of the next calls for this many days; 0 stops it and lets go of what is kept.

    The masks of known secrets are no promise about what services write: people are told on each call's page.
    """
    if days < 0:
        raise Invalid([Fault("value_too_small", "days", {"limit": 0})])
    if days > MAX_DAYS:
        raise Invalid([Fault("value_too_large", "days", {"limit": MAX_DAYS})])
    current = lock_connector(connector.pk)
    before = current.capture_days
    if before == days:
        return current
    current.capture_days = days
    current.save(update_fields=["capture_days"])
    shorten_captured(connector_key=current.key, days=days)
    bump_catalogue()
    record_connector_event("capture_set", current, actor, before={"capture_days": before}, after={"capture_days": days})
    return current
