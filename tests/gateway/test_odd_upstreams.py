"""Upstream servers that answer what nobody could pass on or keep: their own tool suffers, and the log has it."""

import uuid
from typing import Any

import pytest

from connectors.audit.models import CallRecord
from connectors.gateway.models import Invocation, Toolset
from tests.fakes.mcp_server import tool


def nested(depth: int) -> Any:
    value: Any = "end"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(("name", "outcome"), [("notes__search_notes", "failed"), ("notes__add_note", "unknown")])
def test_a_result_too_deep_to_pass_on_is_an_ending_and_not_a_crash(world, name, outcome):
    world.upstream.knobs.result = {"content": [], "structuredContent": {"deep": nested(500)}}

    answer = world.gateway.call(name)

    assert answer.status == 200
    assert answer.result["isError"]
    assert CallRecord.objects.get().outcome == outcome


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"inputSchema": {"type": "object", "properties": {"deep": {"enum": nested(300)}}}}, "input_schema_too_deep"),
        ({"annotations": {"deep": nested(300)}}, "text_invalid"),
        ({"description": "not for a database: \0"}, "text_invalid"),
    ],
)
def test_a_tool_that_could_not_be_kept_is_left_out_and_named_alone(world, more, reason):
    world.upstream.tools.append({**tool("odd"), **more})

    assert "notes__search_notes" in world.gateway.tool_names()
    assert Toolset.objects.get().malformed == [{"server": "", "name": "odd", "reason": reason}]


def test_the_name_of_a_tool_that_is_left_out_cannot_break_a_row_or_a_page(world):
    world.upstream.tools.append(tool("a\0b\r\n\u202ec"))

    assert "notes__search_notes" in world.gateway.tool_names()
    assert [one["name"] for one in Toolset.objects.get().malformed] == ["a\ufffdb\ufffd\ufffd\ufffdc"]


def test_a_result_no_database_takes_is_passed_on_and_not_kept(world):
    world.upstream.knobs.result = {"content": [{"type": "text", "text": "a\0b"}]}
    key = str(uuid.uuid4())

    first = world.gateway.call("notes__add_note", **{"poco.connectors/invocation-id": key})
    second = world.gateway.call("notes__add_note", **{"poco.connectors/invocation-id": key})

    assert first.result["content"][0]["text"] == "a\0b"
    assert "its result is not kept" in second.result["content"][0]["text"]
    assert "result" not in Invocation.objects.get().outcome
    assert len(world.upstream.calls) == 1
