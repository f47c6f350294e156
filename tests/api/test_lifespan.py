"""Starting, stopping, and a database that is away."""

import asyncio
import threading
from collections import deque
from contextlib import contextmanager, nullcontext

import pytest
from django.db import connection
from django.test import Client

from connectors.api.cancelling import finish_calls, wait_for
from connectors.api.lifespan import lifespan
from connectors.audit.database_lanes import close_lane_connections
from connectors.audit.models import CallRecord
from connectors.gateway.models import Invocation
from connectors.vault.startup import ensure_canaries
from tests.fakes.gateway_server import running_gateway
from tests.fakes.world import World
from tests.vault.conftest import make_entry


def test_stopping_ends_calls_in_flight_and_logs_them(transactional_db):
    with running_gateway() as gateway, World(gateway, delay=60) as world:
        answers = deque()
        asking = threading.Thread(target=lambda: answers.append(_try(world.gateway.call, "notes__add_note")))
        asking.start()
        assert world.upstream.call_arrived.wait(10)
        legacy = threading.Thread(
            target=lambda: _try(world.gateway.legacy, "tools/call", {"name": "notes__search_notes"})
        )
        world.upstream.call_arrived.clear()
        legacy.start()
        assert world.upstream.call_arrived.wait(10)
        gateway.stop()
        asking.join(10)
        legacy.join(10)
    assert {(call.outcome, call.error_code) for call in CallRecord.objects.all()} == {
        ("unknown", "connector_action_outcome_unknown"),
        ("failed", "cancelled"),
    }
    assert Invocation.objects.get().state == "unknown"


async def test_stopping_waits_for_a_call_that_is_still_ending():
    ended = []

    async def end_slowly():
        try:
            await asyncio.Future()
        finally:
            for _ in range(100):
                await asyncio.sleep(0)
            ended.append("logged")

    request = asyncio.ensure_future(wait_for(asyncio.ensure_future(end_slowly())))
    await asyncio.sleep(0)
    request.cancel()
    await finish_calls(10)
    assert ended == ["logged"]
    assert request.cancelled() or not request.done()


def _try(ask, *arguments):
    try:
        return ask(*arguments)
    except OSError as error:
        return error


@pytest.mark.django_db(transaction=True)
def test_without_the_right_keys_nothing_starts(settings):
    ensure_canaries()
    _take_the_keys_away(settings)
    said = []

    async def receive():
        return {"type": "lifespan.startup"}

    async def send(message):
        said.append(message)

    asyncio.run(lifespan({"type": "lifespan"}, receive, send))
    close_lane_connections()  # a process that does not start ends instead
    assert said == [{"type": "lifespan.startup.failed", "message": "vault_key_missing"}]


@pytest.mark.parametrize("table", ["connectors_decisionrecord", "connectors_invocation"])
def test_a_call_that_cannot_be_logged_is_not_answered(world, table):
    world.gateway.tool_names()
    with _without(table):
        answer = world.gateway.call("notes__add_note")
    assert answer.status == 503
    assert answer.error["code"] == -32603
    assert not world.upstream.calls


def test_a_claim_that_the_database_refuses_is_no_claim(world):
    """A constraint other than that an invocation id is used once: nobody may take it for that."""
    world.gateway.tool_names()
    with _refusing_rows("connectors_decisionrecord"):
        answer = world.gateway.call("notes__add_note")
    assert answer.status == 503
    assert not world.upstream.calls


@contextmanager
def _without(table):
    """The table is gone while the block runs, as after half a restore."""
    _execute(f"ALTER TABLE {table} RENAME TO {table}_gone")
    try:
        yield
    finally:
        _execute(f"ALTER TABLE {table}_gone RENAME TO {table}")


@contextmanager
def _refusing_rows(table):
    if connection.vendor != "sqlite":
        pytest.skip("SQLite's triggers say it in a line")
    _execute(f"CREATE TRIGGER refusing BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'no'); END")
    try:
        yield
    finally:
        _execute("DROP TRIGGER refusing")


def _execute(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _take_the_keys_away(settings):
    """Another ring, without the key that values here were sealed with."""
    settings.VAULT_KEY_DIR = None
    settings.VAULT_KEYS = make_entry("another")


@pytest.mark.parametrize("part", ["database", "broker", "vault"])
@pytest.mark.django_db(transaction=True)
def test_ready_says_which_part_is_missing(settings, part, tmp_path):
    ensure_canaries()
    if part == "broker":
        (tmp_path / "file").write_text("")
        settings.BROKER_DIR = tmp_path / "file"
    elif part == "vault":
        _take_the_keys_away(settings)
    with _no_database() if part == "database" else nullcontext():
        answer = Client().get("/readyz")
    assert answer.status_code == 503
    missing = [name for name, good in answer.json()["parts"].items() if not good]
    assert missing == (["database", "vault"] if part == "database" else [part])  # the keys' canaries lie in it


@contextmanager
def _no_database():
    """Its address leads nowhere while the block runs."""
    here = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict |= {"NAME": "/nowhere/poco", "HOST": "127.0.0.1", "PORT": "1"}
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict |= here
