"""Starting, stopping, and a database that is away."""

import asyncio
import threading
from collections import deque

import pytest
from django.db import DatabaseError
from django.test import Client

from connectors.api import health
from connectors.api.cancelling import finish_calls, wait_for
from connectors.api.lifespan import lifespan
from connectors.audit.models import CallRecord
from connectors.gateway.models import Invocation
from connectors.vault.errors import VaultKeyMissing
from tests.fakes.gateway_server import running_gateway
from tests.fakes.world import World


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


def test_without_the_right_keys_nothing_starts(monkeypatch):
    def refuse():
        raise VaultKeyMissing(key="old")

    monkeypatch.setattr("connectors.api.lifespan.ensure_canaries", refuse)
    said = []

    async def receive():
        return {"type": "lifespan.startup"}

    async def send(message):
        said.append(message)

    asyncio.run(lifespan({"type": "lifespan"}, receive, send))
    assert said == [{"type": "lifespan.startup.failed", "message": "vault_key_missing"}]


def test_a_call_that_cannot_be_logged_is_not_answered(world, monkeypatch):
    world.gateway.tool_names()

    async def away(*_arguments, **_options):
        raise DatabaseError

    monkeypatch.setattr("connectors.gateway.invocation.record_call", away)
    answer = world.gateway.call("notes__add_note")
    assert answer.status == 503
    assert answer.error["code"] == -32603
    assert not world.upstream.calls


@pytest.mark.parametrize("part", ["database", "broker", "vault"])
@pytest.mark.django_db
def test_ready_says_which_part_is_missing(monkeypatch, settings, part, tmp_path):
    if part == "database":
        monkeypatch.setitem(health._CHECKS, "database", _fail)
    elif part == "vault":
        monkeypatch.setitem(health._CHECKS, "vault", _fail_by_key)
    else:
        (tmp_path / "file").write_text("")
        settings.BROKER_DIR = tmp_path / "file"
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert [name for name, good in answer.json()["parts"].items() if not good] == [part]


def _fail():
    raise DatabaseError


def _fail_by_key():
    raise VaultKeyMissing
