"""A program's results in the words of MCP, and whether they fit what its tool promised."""

from typing import Any

import pytest

from connectors.runtime.output_check import output_fault
from connectors.runtime.program_mcp import to_mcp_result, to_mcp_tool
from connectors.runtime.program_results import DiscoveredTool, ToolResult
from tests.builders.programs import TOOL

OBJECT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


@pytest.mark.parametrize(
    ("ours", "mcp"),
    [
        ({"type": "text", "text": "a"}, {"type": "text", "text": "a"}),
        (
            {"type": "image", "data": "aGk=", "mime_type": "image/png"},
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        ),
        (
            {"type": "resource_link", "uri": "https://example.com/a/b.pdf", "mime_type": "application/pdf"},
            {
                "type": "resource_link",
                "uri": "https://example.com/a/b.pdf",
                "name": "b.pdf",
                "mimeType": "application/pdf",
            },
        ),
        (
            {"type": "resource_link", "uri": "note:1", "name": "One", "size": 3},
            {"type": "resource_link", "uri": "note:1", "name": "One", "size": 3},
        ),
        (
            {"type": "resource", "uri": "x:1", "mime_type": "image/png", "data": "aGk="},
            {"type": "resource", "resource": {"uri": "x:1", "mimeType": "image/png", "blob": "aGk="}},
        ),
        (
            {"type": "resource", "uri": "x:1", "text": ""},
            {"type": "resource", "resource": {"uri": "x:1", "text": ""}},
        ),
    ],
)
def test_each_kind_of_content_keeps_what_it_holds(ours: dict[str, Any], mcp: dict[str, Any]):
    assert to_mcp_result(ToolResult.model_validate({"content": [ours]})) == {"content": [mcp], "isError": False}


def test_structured_content_is_passed_on_when_there_is_any():
    assert to_mcp_result(ToolResult(structured_content={"n": 1}))["structuredContent"] == {"n": 1}


def test_an_error_without_content_says_its_message():
    error = {"code": "rate_limited", "message": "later", "retryable": True}
    raw = to_mcp_result(ToolResult.model_validate({"is_error": True, "error": error}))
    assert raw == {"content": [{"type": "text", "text": "rate_limited: later"}], "isError": True}


def test_a_tool_goes_by_its_key_and_keeps_what_the_program_calls_it():
    tool = to_mcp_tool(DiscoveredTool.model_validate({**TOOL, "output_schema": OBJECT}))
    assert (tool["name"], tool["upstreamName"], tool["outputSchema"]) == ("search", "records_search", OBJECT)
    assert "outputSchema" not in to_mcp_tool(DiscoveredTool.model_validate(TOOL))


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"n": 1}, ""),
        ({"n": "1"}, "/n type"),
        ({}, "/ required"),
        ({"n": 1, "m": 2}, "/ additionalProperties"),
        (None, "/ type"),
    ],
)
def test_a_value_that_does_not_fit_is_told_by_place_and_keyword(value: Any, fault: str):
    assert output_fault(OBJECT, value) == fault


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:1/schema.json"},
        {"$ref": "#/$defs/missing"},
        {"type": 5},
        {"$ref": "#"},
    ],
)
def test_a_schema_that_cannot_be_used_is_no_way_to_the_network_or_into_a_loop(schema: dict[str, Any]):
    assert output_fault(schema, {"n": 1}) == "schema_unusable"


def test_a_pattern_that_would_take_for_ever_is_not_tried():
    schema = {"type": "string", "pattern": "^(a+)+$"}
    assert output_fault(schema, "a" * 64 + "!") == ""
