"""The snapshot: what one agent sees, compiled once and true for as long as its epochs stand.

Anything that could change an answer raises an epoch in its own transaction; the token look-up of every request brings
the epochs along, so a revoked grant stops the very next call in every process.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from connectors.access.queries import AuthenticatedAgent
from connectors.audit.database_lanes import in_database
from connectors.gateway.binding import Binding, open_binding
from connectors.gateway.compilation import Compiled, SnapshotTool, compile_view
from connectors.gateway.discovery import discover_all, failure_of, generation_of

MAX_SNAPSHOTS = 1024
LIST_PATIENCE = 10.0
STALE_SECONDS = 900.0

type Key = tuple[int, int, int]


@dataclass(slots=True)
class Snapshot:
    """A compiled view and the bindings its calls have opened so far."""

    key: Key
    view: Compiled
    bindings: dict[UUID, Binding] = field(default_factory=dict)

    def find(self, name: str) -> SnapshotTool | None:
        return self.view.tools.get(name)

    async def binding_of(self, connection_id: UUID) -> Binding:
        """Return how to reach a connection; opened once. Raises what `open_binding` raises."""
        binding = self.bindings.get(connection_id)
        return binding if binding is not None else await self.reopen_binding(connection_id)

    async def reopen_binding(self, connection_id: UUID) -> Binding:
        """Return how to reach a connection as it is now: its credential has changed."""
        binding = await in_database(open_binding, connection_id)
        self.bindings[connection_id] = binding
        return binding


_snapshots: OrderedDict[UUID, Snapshot] = OrderedDict()
_compiling: dict[tuple[UUID, Key], "asyncio.Task[Snapshot]"] = {}


async def take_snapshot(agent: AuthenticatedAgent) -> Snapshot:
    """Return the agent's snapshot under its present epochs; requests that arrive together compile once."""
    key = (*agent.epoch, generation_of(agent.owner_id))
    known = _snapshots.get(agent.agent_id)
    if known is not None and known.key == key:
        return known
    place = (agent.agent_id, key)
    task = _compiling.get(place)
    if task is None or task.get_loop() is not asyncio.get_running_loop():
        task = asyncio.create_task(_compile(agent, key))
        _compiling[place] = task
        task.add_done_callback(lambda _: _compiling.pop(place, None))
    return await asyncio.shield(task)


async def take_complete_snapshot(agent: AuthenticatedAgent) -> Snapshot:
    """Return a snapshot for a new listing: what was never listed, or not for long, is discovered first.

    A connector that fails, or takes longer than our patience, is left out and named; nobody else waits for it.
    """
    snapshot = await take_snapshot(agent)
    wanted = {*_unlisted(snapshot), *snapshot.view.stale(STALE_SECONDS)}
    return await _after_discovery(agent, snapshot, wanted)


async def take_snapshot_for(agent: AuthenticatedAgent, name: str) -> Snapshot:
    """Return a snapshot for a call; a connector the name may belong to and that was not listed yet is listed first."""
    snapshot = await take_snapshot(agent)
    if snapshot.find(name) is not None or name in snapshot.view.ambiguous:
        return snapshot
    wanted = {
        missing.connection_id
        for missing in snapshot.view.undiscovered
        if name.startswith(missing.connector_key[:50]) and failure_of(missing.connection_id) is None
    }
    return await _after_discovery(agent, snapshot, wanted)


def _unlisted(snapshot: Snapshot) -> Iterable[UUID]:
    return (
        missing.connection_id for missing in snapshot.view.undiscovered if failure_of(missing.connection_id) is None
    )


async def _after_discovery(agent: AuthenticatedAgent, snapshot: Snapshot, wanted: set[UUID]) -> Snapshot:
    if not wanted:
        return snapshot
    await discover_all(wanted, person_id=agent.owner_id, patience=LIST_PATIENCE)
    return await take_snapshot(agent)


async def _compile(agent: AuthenticatedAgent, key: Key) -> Snapshot:
    """What is read here is at least as new as the epochs it is kept under, so it is never kept too long."""
    view = await in_database(compile_view, agent.agent_id, agent.owner_id)
    snapshot = Snapshot(key, view)
    _snapshots[agent.agent_id] = snapshot
    _snapshots.move_to_end(agent.agent_id)
    if len(_snapshots) > MAX_SNAPSHOTS:
        _snapshots.popitem(last=False)
    return snapshot
