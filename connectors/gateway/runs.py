"""Runs: one task of one agent. Over MCP a run is a conversation; it ends after fifteen idle minutes.

A conversation is the id a client names, scoped to its agent; without one the agent has a single conversation. It frames
runs, it is never identity. Writes are rare: an open run is remembered, and its idle end moves at most once a minute.
"""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from connectors.audit.database_lanes import in_database
from connectors.gateway.models import Run

IDLE: Final = timedelta(minutes=15)
WRITE_EVERY: Final = timedelta(minutes=1)
MAX_REMEMBERED: Final = 10_000


@dataclass(slots=True)
class OpenRun:
    id: UUID
    origin: str
    written_at: datetime
    idle_ends_at: datetime


_open: OrderedDict[tuple[UUID, str], OpenRun] = OrderedDict()


async def enter_run(*, agent_id: UUID, owner_id: int, conversation: str, connector_versions: dict[str, str]) -> OpenRun:
    """Return the conversation's open run, moved on; a new one where the last has ended."""
    known = _open.get((agent_id, conversation))
    if known is not None and timezone.now() - known.written_at < WRITE_EVERY:
        return known
    run = await in_database(open_run, agent_id, owner_id, conversation, connector_versions)
    _open[agent_id, conversation] = run
    _open.move_to_end((agent_id, conversation))
    if len(_open) > MAX_REMEMBERED:
        _open.popitem(last=False)
    return run


def open_run(agent_id: UUID, owner_id: int, conversation: str, connector_versions: dict[str, str]) -> OpenRun:
    """Move the open run's idle end, or end it and open the next."""
    now = timezone.now()
    try:
        with transaction.atomic():
            run = _move_or_open(agent_id, owner_id, conversation, connector_versions, now)
    except IntegrityError:  # another process opened it at the same moment
        run = Run.objects.get(agent_id=agent_id, conversation=conversation, ended_at=None)
    return OpenRun(run.pk, run.origin, now, run.idle_ends_at)


def _move_or_open(
    agent_id: UUID, owner_id: int, conversation: str, connector_versions: dict[str, str], now: datetime
) -> Run:
    run = Run.objects.select_for_update().filter(agent_id=agent_id, conversation=conversation, ended_at=None).first()
    if run is not None and run.idle_ends_at > now:
        run.idle_ends_at = now + IDLE
        run.save(update_fields=["idle_ends_at"])
        return run
    if run is not None:
        run.ended_at = run.idle_ends_at
        run.save(update_fields=["ended_at"])
    return Run.objects.create(
        agent_id=agent_id,
        person_id=owner_id,
        conversation=conversation,
        connector_versions=connector_versions,
        idle_ends_at=now + IDLE,
    )


def close_idle_runs() -> int:
    """End every run whose idle end has passed, and return how many."""
    closed = 0
    for run in Run.objects.filter(ended_at=None, idle_ends_at__lte=timezone.now()).iterator():
        closed += Run.objects.filter(pk=run.pk, ended_at=None, idle_ends_at=run.idle_ends_at).update(
            ended_at=run.idle_ends_at
        )
    return closed
