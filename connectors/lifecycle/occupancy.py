"""What occupies a connector, so that it is not changed under it (handbook §9; contract.md, "Update and removal")."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from connectors.authorization.models import AuthorizationSession
from connectors.authorization.queries import held_leases
from connectors.catalogue.models import Connector
from connectors.errors import Conflict
from connectors.gateway.models import Run
from connectors.gateway.runs import IDLE
from connectors.gateway.stopping import LAST_CALLS

OccupantKind = Literal["run", "stopped_run", "authorization", "refresh"]


@dataclass(frozen=True, slots=True)
class Occupant:
    """One thing that uses a connector now. `who` is a person, `detail` an agent's name or a connection's alias.

    Of a run `last_call` says when it was called last, to the minute; of a stopped one `until`, by when its last calls
    have ended.
    """

    kind: OccupantKind
    who: str
    since: datetime
    detail: str = ""
    run_id: UUID | None = None
    last_call: datetime | None = None
    until: datetime | None = None


class Occupied(Conflict):
    """The connector is in use; `occupants` say by whom and since when, the longest first."""

    code = "connector_occupied"

    def __init__(self, connector: Connector, occupants: tuple[Occupant, ...]) -> None:
        super().__init__(type(self).code, key=connector.key, count=len(occupants))
        self.occupants = occupants


def find_occupants(connector: Connector) -> tuple[Occupant, ...]:
    """Return what occupies the connector at this moment, the longest first.

    A run counts until fifteen idle minutes have passed, a stopped one until its last calls must have ended, a sign-in
    from its callback to its end, a refresh while its lease is held. Sign-ins nobody came back from do not: a change
    cancels them.
    """
    return _find(connector, timezone.now())


def require_free(connector: Connector) -> None:
    """Raise `Occupied` unless nothing uses the connector; the caller holds its row locked, so nothing can begin.

    Runs whose idle end has passed are ended here and now, so that none of them wakes up behind the change.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("Whether a connector is free is asked in the transaction that locks it.")
    now = timezone.now()  # one moment for both: a run is either ended here or counted below
    idle = open_runs(connector).order_by("pk").filter(idle_ends_at__lte=now)
    list(idle.select_for_update().values_list("pk"))  # held in one order, so that no two wait for each other
    idle.update(ended_at=F("idle_ends_at"))
    occupants = _find(connector, now)
    if occupants:
        raise Occupied(connector, occupants)


def _find(connector: Connector, now: datetime) -> tuple[Occupant, ...]:
    found = [*_runs(connector, now), *_last_calls(connector, now), *_authorizations(connector), *_refreshes(connector)]
    return tuple(sorted(found, key=lambda occupant: occupant.since))


def open_runs(connector: Connector) -> QuerySet[Run]:
    """Return the runs that name the connector and have not ended, those that only time has ended among them."""
    return Run.objects.filter(ended_at=None, connector_versions__has_key=connector.key)


def _runs(connector: Connector, now: datetime) -> list[Occupant]:
    runs = open_runs(connector).filter(idle_ends_at__gt=now).select_related("person", "agent")
    return [
        Occupant("run", run.person.name, run.started_at, run.agent.name, run.pk, run.idle_ends_at - IDLE)
        for run in runs
    ]


def _last_calls(connector: Connector, now: datetime) -> list[Occupant]:
    stopped = Run.objects.filter(stopped_at__gt=now - LAST_CALLS, connector_versions__has_key=connector.key)
    return [
        Occupant("stopped_run", run.person.name, run.started_at, run.agent.name, until=run.stopped_at + LAST_CALLS)
        for run in stopped.select_related("person", "agent")
        if run.stopped_at is not None
    ]


def _authorizations(connector: Connector) -> list[Occupant]:
    sessions = AuthorizationSession.objects.filter(
        connector=connector, status=AuthorizationSession.Status.EXCHANGING
    ).select_related("person")
    return [
        Occupant("authorization", session.person.name, session.used_at or session.created_at, session.alias)
        for session in sessions
    ]


def _refreshes(connector: Connector) -> list[Occupant]:
    return [
        Occupant("refresh", lease.connection.person.name, lease.held_since or timezone.now(), lease.connection.alias)
        for lease in held_leases(connector)
    ]
