"""The SDK's own client against the endpoint, in both eras."""

import pytest
from mcp.shared.exceptions import MCPError

from connectors.audit.models import CallRecord, DecisionRecord

MODES = ["auto", "legacy", "2026-07-28"]


@pytest.fixture(params=MODES)
def mode(request):
    return request.param


def test_it_lists_what_was_granted(world, mode):
    async def use(client):
        return await client.list_tools()

    listed = world.gateway.with_sdk(use, mode=mode)
    assert [tool.name for tool in listed.tools] == ["notes__add_note", "notes__delete_note", "notes__search_notes"]
    assert listed.tools[2].title == "search_notes"
    assert listed.tools[2].annotations.read_only_hint is True


def test_it_calls_a_tool_and_the_call_is_logged(world, mode):
    async def use(client):
        return await client.call_tool("notes__search_notes", {"text": "hello"})

    result = world.gateway.with_sdk(use, mode=mode)
    assert result.content[0].text == "hello"
    assert not result.is_error
    call, decision = CallRecord.objects.get(), DecisionRecord.objects.get()
    assert decision.allowed
    assert decision.rule == "granted"
    assert call.decision_id == decision.pk
    assert call.outcome == "succeeded"


def test_it_hears_that_there_is_no_such_tool(world, mode):
    async def use(client):
        with pytest.raises(MCPError) as refused:
            await client.call_tool("notes__nothing", {})
        return refused.value.error.message

    assert world.gateway.with_sdk(use, mode=mode) == "Unknown tool: notes__nothing"


def test_auto_finds_the_newest_era(world):
    async def use(client):
        return client.protocol_version

    assert world.gateway.with_sdk(use) == "2026-07-28"


def test_a_pinned_handshake_is_served(world):
    async def use(client):
        return client.protocol_version, client.server_info.name

    assert world.gateway.with_sdk(use, mode="legacy") == ("2025-11-25", "poco-connectors")
