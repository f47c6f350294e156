"""Stop runs before their time, for a change that waits for them (decision 14).

What a stopped run had begun goes on: a call that was let out ends by itself within its budget, and is logged. Nothing
more is let out in it: its owner's epoch rises with the end, so that every process looks at the run again.
"""

from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from connectors.access.epoch import bump_people
from connectors.gateway.claims import BUDGET
from connectors.gateway.models import Run

LAST_CALLS: Final = BUDGET  # a call that was let out just before has ended by then


def stop_runs(runs: QuerySet[Run]) -> list[Run]:
    """End those of the runs that are under way, in the caller's transaction; return them.

    Their agents' next calls are refused and say so, and the calls after that begin new runs.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("A run is stopped in the transaction that holds the connector it keeps waiting.")
    now = timezone.now()
    under_way = runs.filter(ended_at=None, idle_ends_at__gt=now).order_by("pk").select_related("agent", "person")
    stopped = list(under_way.select_for_update(of=("self",)))
    Run.objects.filter(pk__in=[run.pk for run in stopped]).update(ended_at=now, stopped_at=now)
    bump_people({run.person_id for run in stopped})
    return stopped
