"""What is outside an agent's view: refused at the call, told apart from nothing by the decision row alone."""

import pytest

from connectors.audit.models import CallRecord, DecisionRecord
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from connectors.gateway.models import Invocation
from connectors.policy.models import Grant
from tests.builders.connectors import make_connection, make_connector
from tests.builders.people import make_team
from tests.fakes.mcp_server import McpServer
from tests.fakes.world import RULES


def refused_as_unknown(world, name: str, rule: str, reason: str | None = None) -> DecisionRecord:
    """The client hears what it hears of a tool that does not exist; the row says more; upstream hears nothing."""
    answer = world.gateway.call(name)
    nothing = world.gateway.call("no_such_tool_at_all")
    told = answer.body.replace(name.encode(), b"*")
    untold = nothing.body.replace(b"no_such_tool_at_all", b"*")
    assert (answer.status, told) == (nothing.status, untold)
    assert not world.upstream.calls
    assert not CallRecord.objects.exists()
    row = DecisionRecord.objects.get(tool=name)
    assert not row.allowed
    assert row.rule == rule
    assert reason is None or row.reason == reason
    assert name not in world.gateway.tool_names()
    return row


def test_a_tool_the_package_does_not_allow(world):
    row = refused_as_unknown(world, "notes__not_in_policy", "tool_not_in_policy")
    assert row.connector_key == "notes"
    assert row.upstream_tool == "not_in_policy"
    assert row.person_id == world.owner.pk


def test_a_missing_grant(world):
    world.grant.delete()
    world.announce()
    refused_as_unknown(world, "notes__search_notes", "grant_missing")


def test_a_grant_of_nothing(world):
    world.change(world.grant, breadth=Grant.Breadth.NONE)
    refused_as_unknown(world, "notes__search_notes", "grant_missing", "none")


def test_a_grant_of_other_tools(world):
    world.change(world.grant, breadth=Grant.Breadth.SOME, tools=["add_note"])
    refused_as_unknown(world, "notes__search_notes", "grant_excludes_tool")


def test_a_grant_to_read_only(world):
    world.change(world.grant, access=Grant.Access.READ_ONLY)
    refused_as_unknown(world, "notes__add_note", "grant_read_only", "write")


@pytest.mark.parametrize("status", [Connector.Status.DISABLED, Connector.Status.DRAFT])
def test_a_withdrawn_connector(world, status):
    assert world.gateway.tool_names()
    world.change(world.connector, status=status)
    refused_as_unknown(world, "notes__search_notes", "connector_unpublished", status)


def test_a_connector_for_others(world):
    world.change(world.connector, everyone=False)
    world.connector.teams.set([make_team()])
    refused_as_unknown(world, "notes__search_notes", "connector_not_visible")


def test_a_connection_that_is_gone(world):
    world.connection.delete()
    world.announce()
    refused_as_unknown(world, "notes__search_notes", "connection_missing")


def test_a_connection_that_needs_its_owner(world):
    world.change(world.connection, state=Connection.State.REAUTHORIZATION_REQUIRED)
    refused_as_unknown(world, "notes__search_notes", "connection_state", "reauthorization_required")


def test_a_connection_granted_under_another_fingerprint(world):
    world.change(world.connection, authorization_fingerprint="f" * 64)
    refused_as_unknown(world, "notes__search_notes", "connection_state", "reauthorization_required")


def test_a_tool_the_server_does_not_list(world):
    world.upstream.tools = world.upstream.tools[1:]
    refused_as_unknown(world, "notes__search_notes", "tool_not_discovered", "")


def test_a_connector_that_does_not_exist(world):
    refused_as_unknown(world, "elsewhere__search", "connector_unknown")


def test_another_persons_tool(world):
    other = make_connector("private", endpoint=world.upstream.url, rules=RULES, everyone=False)
    make_connection(world.owner, other)
    refused_as_unknown(world, "private__search_notes", "connector_not_visible")


def test_a_revoked_grant_stops_the_very_next_call(world):
    assert world.gateway.call("notes__search_notes").status == 200
    world.grant.delete()
    world.announce()
    assert world.gateway.call("notes__search_notes").error["message"] == "Unknown tool: notes__search_notes"
    assert len(world.upstream.calls) == 1


def test_a_tool_that_needs_approval_does_nothing_and_says_so(world):
    answer = world.gateway.call("notes__delete_note", {"text": "all"})
    assert answer.status == 200
    assert answer.result["isError"]
    assert answer.result["content"][0]["text"].startswith("confirmation_required: ")
    assert answer.result["_meta"]["poco.connectors/error"] == {"code": "confirmation_required", "retryable": False}
    assert not world.upstream.calls
    assert not Invocation.objects.exists()
    row = DecisionRecord.objects.get()
    assert (row.allowed, row.rule, row.effect) == (False, "confirmation_required", "destructive")
    assert "notes__delete_note" in world.gateway.tool_names()


def test_a_call_without_saying_which_account_is_ambiguous(world):
    world.change(world.connection, alias="work")
    world.connect(world.connector, alias="private")
    names = world.gateway.tool_names()
    assert "notes__work__search_notes" in names
    assert "notes__private__search_notes" in names
    answer = world.gateway.call("notes__search_notes")
    assert answer.result["content"][0]["text"].startswith("connection_ambiguous: ")
    assert "notes__private__search_notes, notes__work__search_notes" in answer.result["content"][0]["text"]
    row = DecisionRecord.objects.get()
    assert (row.rule, row.connection_id) == ("connection_ambiguous", None)
    assert world.gateway.call("notes__work__search_notes").status == 200
    assert DecisionRecord.objects.latest("id").alias == "work"


def test_one_failing_connector_is_named_and_hurts_nobody_else(world):
    with McpServer() as gone:
        pass
    broken = make_connector("broken", endpoint=gone.url, rules=RULES)
    world.connect(broken)
    listed = world.gateway.modern("tools/list").result
    assert len(listed["tools"]) == 3
    assert listed["_meta"]["poco.connectors/unavailable"] == [
        {"connector": "broken", "account": "", "code": "unavailable"}
    ]
    answer = world.gateway.call("broken__search_notes")
    assert answer.result["content"][0]["text"].startswith("connector_unavailable: ")
    row = DecisionRecord.objects.get()
    assert (row.rule, row.reason) == ("tool_not_discovered", "unavailable")
