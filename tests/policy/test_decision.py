"""Every rule of the decision, and that nothing is allowed unless everything is."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.policy.decision import RULES, Decision, Facts, GrantFacts, ToolRule, decide, is_in_view

READ = ToolRule("read", "safe")
WRITE = ToolRule("write", "never", "not_required")
ASKING = ToolRule("destructive", "never", "user_required")
FULL = GrantFacts("all", "read_write")
GOOD = Facts(
    tool_key="search",
    connector_status="published",
    visible=True,
    connection_state="active",
    rule=READ,
    grant=FULL,
    discovered=True,
)


def test_everything_in_place_is_granted():
    assert decide(GOOD) == Decision(allowed=True, rule="granted")
    assert is_in_view(GOOD)


def test_nothing_known_is_refused():
    assert not decide(Facts()).allowed


@pytest.mark.parametrize(
    ("change", "rule", "reason"),
    [
        ({"connector_status": None}, "connector_unknown", ""),
        ({"connector_status": "disabled"}, "connector_unpublished", "disabled"),
        ({"visible": False}, "connector_not_visible", ""),
        ({"connection_state": None}, "connection_missing", ""),
        ({"connection_state": "reauthorization_required"}, "connection_state", "reauthorization_required"),
        ({"connection_state": "disconnecting"}, "connection_state", "disconnecting"),
        ({"usable_accounts": 2}, "connection_ambiguous", "2"),
        ({"rule": None}, "tool_not_in_policy", ""),
        ({"grant": None}, "grant_missing", ""),
        ({"grant": GrantFacts("none", "read_write")}, "grant_missing", "none"),
        ({"grant": GrantFacts("some", "read_write", frozenset({"other"}))}, "grant_excludes_tool", ""),
        ({"grant": GrantFacts("all", "read_only"), "rule": WRITE}, "grant_read_only", "write"),
        ({"grant": GrantFacts("all", "read_only"), "rule": ToolRule("unknown")}, "grant_read_only", "unknown"),
        ({"discovered": False, "undiscovered_because": "unavailable"}, "tool_not_discovered", "unavailable"),
    ],
)
def test_each_missing_link_denies_and_hides(change, rule, reason):
    facts = replace(GOOD, **change)
    assert decide(facts) == Decision(allowed=False, rule=rule, reason=reason)
    assert not is_in_view(facts)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, Decision(allowed=False, rule="confirmation_required", reason="user_required")),
        ({"origin": "expert_chat"}, Decision(allowed=False, rule="confirmation_required", reason="user_required")),
        ({"approved": True}, Decision(allowed=True, rule="granted", reason="approved")),
        ({"origin": "scheduled"}, Decision(allowed=True, rule="unattended", reason="scheduled")),
        ({"origin": "openapi"}, Decision(allowed=True, rule="unattended", reason="openapi")),
        (
            {"origin": "openapi", "unattended_confirmation": "refuse"},
            Decision(allowed=False, rule="run_origin", reason="openapi"),
        ),
    ],
)
def test_a_tool_that_asks_first_depends_on_where_the_run_began(change, expected):
    facts = replace(GOOD, rule=ASKING, **change)
    assert decide(facts) == expected
    assert is_in_view(facts)


def test_a_listed_tool_of_a_grant_may_be_used():
    assert decide(replace(GOOD, grant=GrantFacts("some", "read_only", frozenset({"search"})))).allowed


facts = st.builds(
    Facts,
    tool_key=st.sampled_from(["search", "other"]),
    connector_status=st.sampled_from([None, "draft", "published", "disabled", "new word"]),
    visible=st.booleans(),
    connection_state=st.sampled_from([None, "active", "unreachable", "new word"]),
    usable_accounts=st.integers(1, 3),
    rule=st.sampled_from([None, READ, WRITE, ASKING, ToolRule("new word", "never", "new word")]),
    grant=st.sampled_from([None, FULL, GrantFacts("some", "read_only", frozenset({"search"})), GrantFacts("x", "y")]),
    discovered=st.booleans(),
    origin=st.sampled_from(["chat", "scheduled", "new word"]),
    unattended_confirmation=st.sampled_from(["execute", "refuse", "new word"]),
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)  # a busy machine draws slowly
@given(facts)
def test_allowed_means_every_link_holds_and_the_rule_is_known(given_facts):
    decision = decide(given_facts)
    assert RULES[decision.rule] is decision.allowed
    if decision.allowed:
        assert given_facts.connector_status == "published"
        assert given_facts.visible
        assert given_facts.connection_state in ("active", "insufficient_scope", "unreachable")
        assert given_facts.rule is not None
        assert given_facts.grant is not None
        assert given_facts.grant.breadth in ("all", "some")
        assert given_facts.grant.access == "read_write" or given_facts.rule.effect == "read"
        assert given_facts.discovered
        assert given_facts.rule.confirmation == "not_required" or given_facts.origin == "scheduled"


@pytest.mark.parametrize("state", ["active", "insufficient_scope", "unreachable"])
def test_an_account_whose_authorization_stands_is_used_whatever_else_is_noted_of_it(state):
    assert decide(replace(GOOD, connection_state=state)).allowed
