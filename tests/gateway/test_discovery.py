"""Discovery: all servers of a connection, all or nothing, and one slow server keeps nobody waiting."""

import threading
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.errors import Refused
from connectors.gateway import snapshot
from connectors.gateway.discovery import DiscoveryFailed, refresh_toolset
from connectors.gateway.models import Toolset
from tests.builders.connectors import make_connection, make_connector
from tests.builders.people import make_user
from tests.fakes.mcp_server import McpServer, tool
from tests.fakes.world import RULES

READS = [{"server": key, "tool": "search_notes", "effect": "read", "retry": "safe"} for key in ("one", "two")]


def make_two_servers(one: str, two: str, **changes):
    servers = [{"key": key, "endpoint": {"url": url}} for key, url in (("one", one), ("two", two))]
    runtime = {
        "adapter": "remote_mcp",
        "transport": "streamable_http",
        "options": {"type": "remote_mcp", "servers": servers, "credential_binding": {"type": "none"}},
    }
    return make_connector("double", runtime=runtime, rules=READS, **changes)


def list_again(connection) -> None:
    Toolset.objects.filter(pk=connection.pk).update(discovered_at=timezone.now() - timedelta(hours=1))


def test_the_first_listing_discovers_and_the_next_does_not(world):
    world.gateway.tool_names()
    world.gateway.tool_names()
    assert world.upstream.hits["tools/list"] == 1
    kept = Toolset.objects.get()
    assert [each["name"] for each in kept.tools[""]] == ["search_notes", "add_note", "delete_note", "not_in_policy"]
    assert kept.manifest_revision == world.connector.version.manifest_revision


def test_a_call_discovers_what_it_needs(world):
    assert world.gateway.call("notes__search_notes").status == 200
    assert world.upstream.hits["tools/list"] == 1


def test_an_old_listing_is_made_again_and_a_new_tool_appears(world):
    world.gateway.tool_names()
    world.upstream.tools = world.upstream.tools[1:]
    list_again(world.connection)
    world.announce()
    assert world.gateway.tool_names() == ["notes__add_note", "notes__delete_note"]


def test_another_configuration_is_discovered_anew(world):
    world.gateway.tool_names()
    world.change(world.connector, configuration_revision=2)
    world.gateway.tool_names()
    assert world.upstream.hits["tools/list"] == 2


def test_malformed_tools_are_kept_for_the_page(world):
    world.upstream.tools.append({"name": "bare"})
    world.gateway.tool_names()
    assert Toolset.objects.get().malformed == [{"server": "", "name": "bare", "reason": "input_schema_invalid"}]


def test_every_server_of_a_connector_is_listed(world):
    with McpServer([tool("search_notes")]) as one, McpServer([tool("search_notes")]) as two:
        world.connect(make_two_servers(one.url, two.url))
        names = [name for name in world.gateway.tool_names() if name.startswith("double")]
        assert len(names) == 2
        for name in names:
            assert world.gateway.call(name).status == 200
        assert len(one.calls) == len(two.calls) == 1


def test_one_failing_server_fails_its_whole_connector(world):
    with McpServer([tool("search_notes")]) as one, McpServer(status={"tools/list": 500}) as two:
        connection = world.connect(make_two_servers(one.url, two.url))
        names = world.gateway.tool_names()
        assert not [name for name in names if name.startswith("double")]
        assert "notes__search_notes" in names
        with pytest.raises(DiscoveryFailed) as failed:
            refresh_toolset(connection=connection)
        assert failed.value.parameters["server"] == "two"
        assert failed.value.parameters["stage"] == "list_tools"
        assert not Toolset.objects.filter(pk=connection.pk).exists()


def test_a_dead_server_is_not_asked_by_every_call(world):
    with McpServer(status={"tools/list": 500}) as broken:
        world.connect(make_connector("broken", endpoint=broken.url, rules=RULES))
        for _ in range(3):
            world.gateway.tool_names()
            world.gateway.call("broken__search_notes")
        assert broken.hits["tools/list"] == 1


def test_a_server_that_recovers_is_seen_again(world, monkeypatch):
    monkeypatch.setattr("connectors.gateway.discovery.FAILURE_SECONDS", 0)
    world.upstream.knobs.status = {"tools/list": 500}
    assert world.gateway.tool_names() == []
    world.upstream.knobs.status = {}
    assert len(world.gateway.tool_names()) == 3


def test_a_slow_server_is_left_out_and_named(world, monkeypatch):
    monkeypatch.setattr(snapshot, "LIST_PATIENCE", 0.3)
    world.gateway.tool_names()
    with McpServer(hang=frozenset({"tools/list"})) as slow:
        world.connect(make_connector("slow", endpoint=slow.url, rules=RULES))
        started = time.monotonic()
        result = world.gateway.modern("tools/list").result
        assert time.monotonic() - started < 5
    assert len(result["tools"]) == 3
    assert result["_meta"]["poco.connectors/unavailable"][0] == {
        "connector": "slow",
        "account": "",
        "code": "discovering",
    }


def test_a_hanging_upstream_slows_nobody_else(world):
    with McpServer([tool("search_notes")]) as slow:
        world.connect(make_connector("slow", endpoint=slow.url, rules=RULES))
        world.gateway.tool_names()
        slow.knobs.delay = 3
        hanging = [threading.Thread(target=world.gateway.call, args=("slow__search_notes",)) for _ in range(30)]
        for thread in hanging:
            thread.start()
        assert slow.call_arrived.wait(10)
        started = time.monotonic()
        for _ in range(10):
            assert world.gateway.call("notes__search_notes").status == 200
        assert time.monotonic() - started < 3
        for thread in hanging:
            thread.join()


@pytest.mark.django_db
def test_refreshing_by_hand_returns_the_toolset():
    with McpServer([tool("a"), tool("b")]) as server:
        connection = make_connection(make_user(), make_connector("notes", endpoint=server.url))
        epoch = connection.person.epoch
        first = refresh_toolset(connection=connection)
        second = refresh_toolset(connection=connection)
    assert first.digest == second.digest
    assert len(first.tools[""]) == 2
    connection.person.refresh_from_db()
    assert connection.person.epoch == epoch + 1


@pytest.mark.django_db
def test_a_credential_for_another_place_is_not_opened():
    connection = make_connection(make_user(), make_connector("notes"), authorization_fingerprint="f" * 64)
    with pytest.raises(Refused):
        refresh_toolset(connection=connection)
