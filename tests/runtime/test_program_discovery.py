"""Discovery equals the policy; a difference is reported tool by tool (handbook §6, §10)."""

from typing import Any

import pytest

from connectors.errors import Fault
from connectors.manifest.tools import Rule
from connectors.runtime.discovery_check import compare_with_policy
from connectors.runtime.program_results import DiscoveredTool
from tests.builders.programs import TOOL

RULE = {"tool": "search", "effect": "read", "retry": "safe"}


def compare(tools: list[dict[str, Any]], rules: list[dict[str, Any]]) -> tuple[Fault, ...]:
    return compare_with_policy(
        [DiscoveredTool.model_validate({**TOOL, **tool}) for tool in tools],
        [Rule.model_validate({**RULE, **rule}) for rule in rules],
    )


def test_equal_sides_have_no_fault():
    assert compare([{}], [{}]) == ()


def test_an_unstated_confirmation_of_a_read_tool_means_not_required_on_both_sides():
    assert compare([{"confirmation": None}], [{"confirmation": "not_required"}]) == ()


@pytest.mark.parametrize(
    ("tool", "fault"),
    [
        ({"effect": "write"}, Fault("tool_effect_differs", "search", {"program": "write", "policy": "read"})),
        ({"retry_policy": "never"}, Fault("tool_retry_differs", "search", {"program": "never", "policy": "safe"})),
        (
            {"confirmation": "user_required"},
            Fault("tool_confirmation_differs", "search", {"program": "user_required", "policy": "not_required"}),
        ),
    ],
)
def test_a_tool_that_says_otherwise_than_its_rule_is_named(tool: dict[str, Any], fault: Fault):
    assert compare([tool], [{}]) == (fault,)


def test_tools_on_one_side_only_are_named():
    assert compare([{"key": "a"}], [{"tool": "b"}]) == (
        Fault("tool_not_in_policy", "a"),
        Fault("tool_not_discovered", "b"),
    )


def test_a_key_discovered_twice_is_named_once():
    assert compare([{}, {}, {}], [{}]) == (Fault("tool_repeated", "search", {"times": 3}),)
