"""Discovery: what a connection's servers list, all of them in parallel, kept as its toolset.

Any server that fails fails its connector (handbook §5): half a list is not kept. A failure is remembered for a few
seconds, so that a dead server is not asked again by every call, and hurts its own connector only.
"""

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson
from asgiref.sync import async_to_sync
from django.db import transaction
from django.utils import timezone

from connectors.access.epoch import bump_person
from connectors.audit.database_lanes import in_database
from connectors.authorization.models import Connection
from connectors.authorization.reachability import forget_scopes_needed, note_reachable, note_unreachable
from connectors.errors import ConnectorError
from connectors.gateway.binding import Binding, open_binding
from connectors.gateway.models import Toolset
from connectors.gateway.programs import discover_program
from connectors.gateway.reachability import could_not_be_reached, count_failure, learn_from_answer
from connectors.gateway.renewal import REFUSED, renew_after_refusal, renew_if_expired
from connectors.runtime.mcp_client import Deadline, ToolList, list_tools
from connectors.runtime.mcp_tools import Listed

DISCOVERY_SECONDS = 30.0
FAILURE_SECONDS = 15.0
MAX_REMEMBERED = 10_000


class DiscoveryFailed(ConnectorError):
    """One server of a connector did not list its tools; parameters: server, stage and the rest of its cause."""


@dataclass(frozen=True, slots=True)
class Failure:
    code: str
    until: float  # on the monotonic clock


_failures: OrderedDict[UUID, Failure] = OrderedDict()
_generations: dict[int, int] = {}
_running: dict[UUID, "asyncio.Task[None]"] = {}


def failure_of(connection_id: UUID) -> Failure | None:
    """Return why the connection's last discovery in this process failed, while that is fresh."""
    failure = _failures.get(connection_id)
    return failure if failure is not None and failure.until > time.monotonic() else None


def generation_of(person_id: int) -> int:
    """Return a number that changes whenever a discovery of this person's connections failed or recovered here."""
    return _generations.get(person_id, 0)


async def discover_all(connection_ids: Iterable[UUID], *, person_id: int, patience: float) -> None:
    """Discover several of a person's connections at once and return after `patience` seconds at the latest.

    What is not through by then goes on in the background: one slow server keeps nobody waiting for the others.
    """
    tasks = [_start(connection_id, person_id) for connection_id in connection_ids]
    if tasks:
        await asyncio.wait(tasks, timeout=patience)


def _start(connection_id: UUID, person_id: int) -> "asyncio.Task[None]":
    task = _running.get(connection_id)
    if task is None or task.done() or task.get_loop() is not asyncio.get_running_loop():
        task = asyncio.create_task(_discover(connection_id, person_id))
        _running[connection_id] = task
        task.add_done_callback(lambda done: _forget_running(connection_id, done))
    return task


def _forget_running(connection_id: UUID, done: "asyncio.Task[None]") -> None:
    if _running.get(connection_id) is done:
        del _running[connection_id]


async def _discover(connection_id: UUID, person_id: int) -> None:
    try:
        binding = await _reopen(connection_id)
        await in_database(_keep, *await _list_renewing(binding))
    except (ConnectorError, Connection.DoesNotExist) as error:
        code = error.code if isinstance(error, ConnectorError) else "connection_not_found"
        _remember_failure(connection_id, Failure(code, time.monotonic() + FAILURE_SECONDS))
        if isinstance(error, ConnectorError) and could_not_be_reached(error):
            await count_failure(connection_id, str(error.parameters.get("stage", "")))
    else:
        _failures.pop(connection_id, None)
        await learn_from_answer(connection_id, noted=False)
    _generations[person_id] = _generations.get(person_id, 0) + 1


def _remember_failure(connection_id: UUID, failure: Failure) -> None:
    _failures[connection_id] = failure
    _failures.move_to_end(connection_id)
    if len(_failures) > MAX_REMEMBERED:
        _failures.popitem(last=False)


def refresh_toolset(*, connection: Connection) -> Toolset:
    """List every server of the connection's connector again and keep the answer; for synchronous callers.

    Raises DiscoveryFailed with the server and the stage, or what `open_binding` raises.
    """
    binding = open_binding(connection.pk)
    try:
        toolset = _keep(*async_to_sync(_list_renewing)(binding))
    except ConnectorError as error:
        if could_not_be_reached(error):  # somebody asked just now, and this is the answer
            note_unreachable(connection_id=connection.pk, stage=str(error.parameters.get("stage", "")))
        raise
    forget_scopes_needed(connection_id=connection.pk)
    _failures.pop(connection.pk, None)
    return toolset


async def _reopen(connection_id: UUID) -> Binding:
    return await in_database(open_binding, connection_id)


async def _list_renewing(binding: Binding) -> tuple[Binding, dict[str, ToolList | Listed]]:
    """List every server, with a renewed credential where the first had run out or was refused."""
    deadline = Deadline.after(DISCOVERY_SECONDS)
    binding = await renew_if_expired(binding, _reopen, deadline=deadline)
    try:
        return binding, await _list_servers(binding)
    except DiscoveryFailed as refused:
        if refused.code != REFUSED:
            raise
        renewed = await renew_after_refusal(binding, _reopen, deadline=deadline)
        if renewed is None:
            raise
        return renewed, await _list_servers(renewed)


async def _list_servers(binding: Binding) -> dict[str, ToolList | Listed]:
    deadline = Deadline.after(DISCOVERY_SECONDS)
    if binding.program is not None:
        try:
            return {"": await discover_program(binding.program, deadline=deadline)}
        except ConnectorError as error:
            raise DiscoveryFailed(error.code, **{**error.parameters, "server": ""}) from error
    keys = list(binding.servers)
    lists = await asyncio.gather(
        *(list_tools(binding.servers[key], deadline=deadline, session_key=binding.session_key(key)) for key in keys),
        return_exceptions=True,
    )
    found: dict[str, ToolList | Listed] = {}
    for key, listed in zip(keys, lists, strict=True):
        if isinstance(listed, ConnectorError):
            raise DiscoveryFailed(listed.code, **{**listed.parameters, "server": key}) from listed
        if isinstance(listed, BaseException):
            raise listed
        found[key] = listed
    return found


def _keep(binding: Binding, lists: dict[str, ToolList | Listed]) -> Toolset:
    """Keep what was listed; when it differs from before, the person's snapshots end."""
    tools = {key: listed.tools for key, listed in lists.items()}
    malformed = [
        {"server": key, "name": tool.name, "reason": tool.reason}
        for key, listed in lists.items()
        for tool in listed.malformed
    ]
    fresh: dict[str, Any] = {
        "tools": tools,
        "malformed": malformed,
        "digest": hashlib.sha256(orjson.dumps(tools, option=orjson.OPT_SORT_KEYS)).hexdigest(),
        "manifest_revision": binding.manifest_revision,
        "configuration_revision": binding.configuration_revision,
        "grant_revision": binding.grant_revision,
    }
    with transaction.atomic():
        before = Toolset.objects.filter(pk=binding.connection_id).values(*fresh).first()
        toolset, _ = Toolset.objects.update_or_create(
            connection_id=binding.connection_id, defaults={**fresh, "discovered_at": timezone.now()}
        )
        if before != fresh:
            bump_person(binding.person_id)
        note_reachable(connection_id=binding.connection_id)
    return toolset
