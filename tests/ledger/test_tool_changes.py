"""Changes in what endpoints list are noticed from the accounts' lists, and what it costs of the context."""

import hashlib
import json

import pytest
from django.utils import timezone

from connectors.authorization.models import Connection
from connectors.gateway.models import Toolset
from connectors.ledger.context_cost import estimate_tokens, estimate_tools
from connectors.ledger.models import Probe, ToolChange
from connectors.ledger.tool_changes import note_tool_changes
from tests.builders.connectors import make_connection, make_connector
from tests.builders.people import make_user
from tests.fakes.mcp_server import tool

pytestmark = pytest.mark.django_db


def discover(connection: Connection, *tools: dict) -> None:
    listed = {"": list(tools)}
    Toolset.objects.update_or_create(
        connection=connection,
        defaults={
            "tools": listed,
            "digest": hashlib.sha256(json.dumps(listed).encode()).hexdigest(),
            "manifest_revision": "r",
            "configuration_revision": 1,
            "discovered_at": timezone.now(),
        },
    )
    note_tool_changes()


@pytest.fixture
def connector():
    return make_connector()


@pytest.fixture
def account(connector):
    return make_connection(make_user(), connector)


def test_the_first_list_is_no_change(account):
    discover(account, tool("search_notes"))
    assert not ToolChange.objects.exists()
    assert set(Probe.objects.get().tools) == {"search_notes"}


def test_added_removed_and_redefined_tools_are_named(account):
    discover(account, tool("stays"), tool("goes"), tool("changes"))
    discover(account, tool("stays"), tool("comes"), tool("changes", "Says something else."))
    change = ToolChange.objects.get()
    assert (change.added, change.removed, change.redefined) == (["comes"], ["goes"], ["changes"])


def test_the_same_list_again_is_no_change(account):
    discover(account, tool("stays"))
    discover(account, tool("stays"))
    assert note_tool_changes() == 0
    assert not ToolChange.objects.exists()


def test_an_account_that_goes_away_takes_nothing_from_the_endpoint(connector, account):
    other = make_connection(make_user(), connector)
    discover(account, tool("common"))
    discover(other, tool("common"), tool("more"))
    ToolChange.objects.all().delete()
    other.delete()
    note_tool_changes()
    assert not ToolChange.objects.exists()
    assert set(Probe.objects.get().tools) == {"common"}


def test_accounts_that_are_shown_different_definitions_do_not_flap(connector, account):
    other = make_connection(make_user(), connector)
    discover(account, tool("one", "For some."))
    discover(other, tool("one", "For others."))
    assert ToolChange.objects.get().redefined == ["one"]
    third = make_connection(make_user(), connector)
    discover(third, tool("one", "For some."))
    assert ToolChange.objects.count() == 1


def test_many_different_lists_are_noticed_once(connector):
    for number in range(60):
        discover(make_connection(make_user(), connector), tool("one", f"For {number}."))
    assert note_tool_changes() == 0


def test_the_context_cost_is_that_of_the_allowed_tools_alone(account):
    discover(account, tool("search_notes"), tool("not_in_policy", "x" * 4000))
    assert Probe.objects.get().context_tokens == estimate_tools(
        {"search_notes": tool("search_notes")}, ["search_notes"]
    )
    assert 15 < Probe.objects.get().context_tokens < 60


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("天气", 2), ("ab天", 2)])
def test_a_token_is_four_ascii_characters_or_one_other(text, tokens):
    assert estimate_tokens(text) == tokens
