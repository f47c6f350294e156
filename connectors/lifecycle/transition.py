"""Begin and end what a connector is going through, in the transaction that holds it locked."""

from typing import Any

from django.utils import timezone

from connectors.catalogue.locking import require_open
from connectors.catalogue.models import Connector
from connectors.errors import Conflict
from connectors.lifecycle.models import Drain


def check_transition(connector: Connector, drain: Drain | None) -> None:
    """Refuse to change a connector that is being removed, or that drains for another change than the caller's."""
    if drain is None or connector.transition != Connector.Transition.DRAINING:
        require_open(connector)


def end_drain(
    connector: Connector,
    drain: Drain,
    state: Drain.State,
    failure: str = "",
    parameters: dict[str, Any] | None = None,
) -> Drain:
    """End a waiting drain and open the connector again; raise `Conflict("drain_not_waiting")` when another was faster.

    What was typed is wiped; the archive's copy is left to `drain_finishing`.
    """
    current = Drain.objects.select_for_update(of=("self",)).filter(pk=drain.pk, state=Drain.State.WAITING).first()
    if current is None:
        raise Conflict("drain_not_waiting", key=connector.key)
    current.state, current.ended_at = state, timezone.now()
    current.sealed, current.due_at = None, None
    current.failure, current.failure_parameters = failure[:64], parameters or {}
    current.save()
    connector.transition = Connector.Transition.NONE
    connector.save(update_fields=["transition"])
    return current
