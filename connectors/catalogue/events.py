"""Admin events about connectors, all written one way."""

from collections.abc import Mapping
from typing import Any

from connectors.access.models import User
from connectors.audit.recording import record_admin_event
from connectors.catalogue.models import Connector


def record_connector_event(
    act: str,
    connector: Connector,
    actor: User | None,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Write an act on a connector into the caller's transaction; without an actor it was the command line."""
    record_admin_event(
        actor=actor,
        act=act,
        target_kind="connector",
        target_id=str(connector.pk),
        target_name=connector.key,
        before=before or {},
        after=after or {},
    )
