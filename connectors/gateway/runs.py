"""Runs: one task of one agent. Over MCP a run is a conversation; it ends after fifteen idle minutes.

A conversation is the id a client names, scoped to its agent; without one the agent has a single conversation. It frames
runs, it is never identity. Writes are rare: an open run is remembered, and its idle end moves at most once a minute.

A run names the version of every connector it may use, and keeps it: connectors are not changed under a run. It names
one while the connector's row is held (contract.md, "Update and removal"), so either the run is there before a change
begins and stops it, or it meets the connector as it is after it. One that drains is not named by new runs.

A run that keeps a change waiting can be stopped (`stopping`). Its agent's next call is refused and says so; the call
after that begins the next run. A stopped run is never taken up again, so that what it began with stays what it had.
"""

from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from connectors.access.queries import AuthenticatedAgent
from connectors.audit.database_lanes import in_database
from connectors.catalogue.locking import share_connectors
from connectors.catalogue.models import Connector
from connectors.gateway.models import Run

IDLE: Final = timedelta(minutes=15)
WRITE_EVERY: Final = timedelta(minutes=1)
MAX_REMEMBERED: Final = 10_000
OPEN_ATTEMPTS: Final = 3

Use = Literal["free", "draining", "changed"]


@dataclass(slots=True)
class OpenRun:
    id: UUID
    origin: str
    written_at: datetime
    idle_ends_at: datetime
    connector_versions: dict[str, str] = field(default_factory=dict)
    stopped: bool = False  # ended before its time: this call is told, the next one begins another run


@dataclass(frozen=True, slots=True)
class _Remembered:
    """An open run as one process knows it; stopping it raises its owner's epoch."""

    run: OpenRun
    owner_epoch: int

    def is_fresh(self, owner_epoch: int) -> bool:
        return self.owner_epoch == owner_epoch and timezone.now() - self.run.written_at < WRITE_EVERY


_open: OrderedDict[tuple[UUID, str], _Remembered] = OrderedDict()


async def enter_run(agent: AuthenticatedAgent, *, conversation: str, connector_versions: dict[str, str]) -> OpenRun:
    """Return the conversation's open run, moved on; a new one where the last has ended, the last if it was stopped."""
    place = (agent.agent_id, conversation)
    known = _open.get(place)
    if known is not None and known.is_fresh(agent.owner_epoch):
        return known.run
    run = await in_database(open_run, agent.agent_id, agent.owner_id, conversation, connector_versions)
    if run.stopped:
        _open.pop(place, None)
        return run
    _open[place] = _Remembered(run, agent.owner_epoch)
    _open.move_to_end(place)
    if len(_open) > MAX_REMEMBERED:
        _open.popitem(last=False)
    return run


async def may_use(run: OpenRun, *, connector_id: UUID, connector_key: str, manifest_revision: str) -> Use:
    """Return whether the run may use this version of a connector; one it does not name yet joins it, if it is free."""
    if run.connector_versions.get(connector_key) == manifest_revision:
        return "free"
    return await in_database(join_run, run, connector_id, connector_key, manifest_revision)


def open_run(agent_id: UUID, owner_id: int, conversation: str, connector_versions: dict[str, str]) -> OpenRun:
    """Move the open run's idle end, or end it and open the next.

    Where the last one was stopped, the next is opened as well, and the stopped one is returned, once.
    """
    now = timezone.now()
    same = Run.objects.filter(agent_id=agent_id, conversation=conversation, ended_at=None)
    for _ in range(OPEN_ATTEMPTS):
        stopped = None
        if not same.filter(idle_ends_at__gt=now).update(idle_ends_at=now + IDLE):
            with suppress(IntegrityError):  # another process opened it at the same moment
                stopped = _open_next(agent_id, owner_id, conversation, connector_versions, now)
        run = stopped or same.first()
        if run is not None:  # none: it was stopped between the two
            break
    else:
        raise DatabaseError("the runs of a conversation were stopped again and again")
    told = stopped is not None
    return OpenRun(run.pk, run.origin, now, run.idle_ends_at, dict(run.connector_versions), stopped=told)


@transaction.atomic
def _open_next(
    agent_id: UUID, owner_id: int, conversation: str, connector_versions: dict[str, str], now: datetime
) -> Run | None:
    """Open the next run; return the one before it when that was stopped and its agent has not heard of it.

    The connectors are held before the run that has ended is, as an update does it.
    """
    named = _name_free(connector_versions)
    ended = Run.objects.select_for_update().filter(agent_id=agent_id, conversation=conversation, ended_at=None).first()
    if ended is not None:
        if ended.idle_ends_at > now:  # moved on meanwhile
            return None
        ended.ended_at = ended.idle_ends_at
        ended.save(update_fields=["ended_at"])
    stopped = _take_untold(agent_id, conversation, now) if ended is None else None
    Run.objects.create(
        agent_id=agent_id,
        person_id=owner_id,
        conversation=conversation,
        connector_versions=named,
        idle_ends_at=now + IDLE,
    )
    return stopped


def _take_untold(agent_id: UUID, conversation: str, now: datetime) -> Run | None:
    """Return the run that was stopped while the conversation went on, once: its idle end is set back to its end."""
    same = Run.objects.filter(agent_id=agent_id, conversation=conversation, stopped_at__gt=now - IDLE)
    untold = same.filter(idle_ends_at__gt=F("stopped_at")).order_by("-stopped_at")
    stopped = untold.first()
    untold.order_by().update(idle_ends_at=F("stopped_at"))
    return stopped


def _name_free(connector_versions: dict[str, str]) -> dict[str, str]:
    """Return those connectors that are free and still of the version the run was going to use, held."""
    ids = Connector.objects.filter(key__in=connector_versions.keys()).order_by().values_list("pk", flat=True)
    found = share_connectors(list(ids)).values()
    free = {connector.key: connector.version.manifest_revision for connector in found if not connector.transition}
    return {key: revision for key, revision in connector_versions.items() if free.get(key) == revision}


@transaction.atomic
def join_run(run: OpenRun, connector_id: UUID, connector_key: str, manifest_revision: str) -> Use:
    """Let an open run name one more connector, held meanwhile: one granted since it began, or one that drained then."""
    connector = share_connectors([connector_id]).get(connector_id)
    if connector is None or connector.version.manifest_revision != manifest_revision:
        return "changed"
    if connector.transition:
        return "draining" if connector.transition == Connector.Transition.DRAINING else "changed"
    row = Run.objects.select_for_update().filter(pk=run.id, ended_at=None).first()
    if row is None or row.connector_versions.get(connector_key, manifest_revision) != manifest_revision:
        return "changed"
    row.connector_versions[connector_key] = manifest_revision
    row.save(update_fields=["connector_versions"])
    run.connector_versions = dict(row.connector_versions)
    return "free"


def close_idle_runs() -> int:
    """End every run whose idle end has passed, and return how many."""
    closed = 0
    for run in Run.objects.filter(ended_at=None, idle_ends_at__lte=timezone.now()).iterator():
        closed += Run.objects.filter(pk=run.pk, ended_at=None, idle_ends_at=run.idle_ends_at).update(
            ended_at=run.idle_ends_at
        )
    return closed
