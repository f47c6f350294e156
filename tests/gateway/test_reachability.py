"""Calls tell whether a service answers: three failures in a row are noted, the next good call takes the note away."""

import pytest
from django.urls import reverse

from connectors.audit.models import CallRecord, DecisionRecord
from connectors.authorization.models import Connection
from connectors.gateway import discovery
from tests.builders.connectors import make_connector
from tests.fakes.mcp_server import McpServer, tool
from tests.fakes.world import RULES, TOOLS


def account(world):
    return Connection.objects.get(pk=world.connection.pk)


def listed(world):
    """List the tools, so that calls know them, then let the service be gone."""
    assert "notes__search_notes" in world.gateway.tool_names()


def call(world, times=1):
    return [world.gateway.call("notes__search_notes").result for _ in range(times)][-1]


@pytest.fixture
def gone(world):
    """The world's service as one that is gone, and a way to bring it back at the same address."""
    listed(world)
    port = world.upstream.port
    world.upstream.__exit__()

    def back():
        return McpServer([tool(name) for name in TOOLS], port=port)

    return back


def test_two_failures_may_be_chance_and_three_in_a_row_are_noted(world, gone):
    call(world, 2)
    assert account(world).state == "active"

    call(world)

    after = account(world)
    assert (after.state, after.unreachable_stage) == ("unreachable", "tcp")
    assert after.unreachable_since is not None


def test_calls_are_still_tried_and_say_the_same(world, gone):
    call(world, 3)
    calls = CallRecord.objects.count()

    answer = call(world)

    assert answer["_meta"]["poco.connectors/error"]["code"] == "unavailable"
    assert CallRecord.objects.count() == calls + 1
    assert not DecisionRecord.objects.filter(allowed=False).exists()


def test_the_next_good_call_takes_the_note_away(world, gone):
    call(world, 3)
    with gone():
        assert not call(world).get("isError")
    after = account(world)
    assert (after.state, after.unreachable_since, after.unreachable_stage) == ("active", None, "")


def test_a_failure_between_good_calls_does_not_add_up(world, gone):
    call(world, 2)
    with gone() as upstream:
        call(world)
        upstream.__exit__()
    call(world, 2)
    assert account(world).state == "active"


def test_a_service_that_refuses_is_one_that_answers(world):
    listed(world)
    world.upstream.knobs.forbid = True
    world.upstream.knobs.challenge = 'Bearer error="insufficient_scope", scope="notes.admin"'

    answer = call(world)
    call(world, 3)

    assert "notes.admin" in answer["content"][0]["text"]
    after = account(world)
    assert (after.state, after.needed_scopes) == ("insufficient_scope", ["notes.admin"])


def test_a_tool_that_was_refused_takes_the_others_from_nobody(world):
    listed(world)
    world.upstream.knobs.forbid = True
    world.upstream.knobs.challenge = 'Bearer error="insufficient_scope", scope="notes.admin"'
    call(world)
    world.upstream.knobs.forbid = False

    assert "notes__search_notes" in world.gateway.tool_names()
    assert not call(world).get("isError")
    assert account(world).state == "insufficient_scope"


def test_checking_again_forgets_the_refusal_until_there_is_another(world, client):
    listed(world)
    world.upstream.knobs.forbid = True
    world.upstream.knobs.challenge = 'Bearer error="insufficient_scope", scope="notes.admin"'
    call(world)
    world.upstream.knobs.forbid = False
    client.force_login(world.owner)

    client.post(reverse("console:connection_check", args=[world.connection.pk]))
    assert (account(world).state, account(world).needed_scopes) == ("active", [])

    world.upstream.knobs.forbid = True
    call(world)
    assert account(world).needed_scopes == ["notes.admin"]


def test_checking_again_says_so_at_once_and_a_good_check_mends_it(world, client, gone):
    client.force_login(world.owner)
    page, check = (
        reverse(f"console:{name}", args=[world.connection.pk]) for name in ("connection", "connection_check")
    )

    client.post(check)
    told = client.get(page).content.decode()
    assert account(world).state == "unreachable"
    assert "Not reachable" in told
    assert "The service has not answered since" in told
    assert "TCP: The server did not take the connection." in told
    assert "Check again" in told

    with gone():
        client.post(check)
    assert account(world).state == "active"
    assert "The service has not answered since" not in client.get(page).content.decode()


def test_discoveries_that_fail_count_as_well(world, monkeypatch):
    monkeypatch.setattr(discovery, "FAILURE_SECONDS", 0.0)
    connector = make_connector("far", endpoint="http://127.0.0.1:1/mcp", rules=RULES)
    connection = world.connect(connector)

    for _ in range(3):
        assert "notes__search_notes" in world.gateway.tool_names()

    assert Connection.objects.get(pk=connection.pk).state == "unreachable"
