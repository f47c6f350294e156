"""Test connection with a key for one test: it goes all the way, and is kept nowhere."""

import pytest

from connectors.audit.models import AdminEvent
from connectors.catalogue.models import ConfigurationSecret
from tests.builders.connectors import make_connector
from tests.fakes.mcp_server import McpServer, tool

pytestmark = pytest.mark.django_db

KEY = "one-off-key-1234"


@pytest.fixture
def server():
    with McpServer(tools=[tool("search")], key=("Authorization", f"Bearer {KEY}")) as running:
        yield running


def try_it(client, server, **fields) -> str:
    make_connector("notes", static=True, endpoint=server.url)
    answer = client.post(
        "/connectors/notes/test/", {"endpoint": server.url, **fields}, headers={"HX-Target": "test-report"}
    )
    return answer.content.decode()


def test_without_a_key_it_ends_at_authorization_and_says_the_server_was_reached(admin, server):
    page = try_it(admin, server)
    assert "The server was reached" in page
    assert "Authorization" in page


def test_with_the_key_it_goes_all_the_way(admin, server):
    assert "It works" in try_it(admin, server, **{"one_off-token": KEY})


def test_the_key_is_neither_shown_nor_stored(admin, server):
    page = try_it(admin, server, **{"one_off-token": KEY})
    assert KEY not in page
    assert not ConfigurationSecret.objects.exists()
    assert not any(KEY in str(event.after) for event in AdminEvent.objects.all())


def test_a_wrong_key_is_refused_at_authorization_and_not_shown(admin, server):
    page = try_it(admin, server, **{"one_off-token": "wrong-key"})
    assert "stage-failed" in page
    assert "wrong-key" not in page
