"""End runs that keep a drained change waiting: what an administrator does who does not want to wait any longer.

A run may count on one version of each connector for as long as it lasts (handbook §6), not on lasting for ever. It is
ended only while a change waits: otherwise its agent's next call would begin another that uses the connector again.
"""

from uuid import UUID

from django.db import transaction

from connectors.access.models import User
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import Connector
from connectors.errors import Conflict
from connectors.gateway.models import Run
from connectors.gateway.stopping import stop_runs
from connectors.lifecycle.models import Drain
from connectors.lifecycle.occupancy import open_runs


@transaction.atomic
def end_runs(*, connector: Connector, run_id: UUID | None = None, actor: User | None, by_deadline: bool = False) -> int:
    """End one run, or all, that the connector's drain waits for; return how many were under way.

    Their calls on the way come to their end; the change is made once they must have. Raises
    `Conflict("drain_not_waiting")` when nothing waits.
    """
    current = lock_connector(connector.pk)
    if not Drain.objects.filter(connector=current, state=Drain.State.WAITING).exists():
        raise Conflict("drain_not_waiting", key=current.key)
    runs = open_runs(current)
    stopped = stop_runs(runs if run_id is None else runs.filter(pk=run_id))
    for run in stopped:
        record_connector_event("run_ended", current, actor, after=_describe(run, by_deadline=by_deadline))
    return len(stopped)


def _describe(run: Run, *, by_deadline: bool) -> dict[str, str]:
    why = "deadline" if by_deadline else "asked"
    return {"run": str(run.pk), "agent": run.agent.name, "person": run.person.name, "reason": why}
