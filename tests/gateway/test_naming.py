"""Public names: readable where they can be, unambiguous always."""

import re
import uuid

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.gateway.naming import Address, find_ambiguous, name_tools, possible_names

ONE, TWO = uuid.UUID(int=1), uuid.UUID(int=2)


def names(*addresses: Address) -> list[str]:
    return sorted(name_tools(addresses))


def test_a_unique_tool_is_named_by_connector_and_tool():
    assert names(Address("notes", "", "search", ONE)) == ["notes__search"]


def test_several_accounts_are_told_by_alias():
    found = names(Address("notes", "", "search", ONE, "work"), Address("notes", "", "search", TWO, "home"))
    assert found == ["notes__home__search", "notes__work__search"]


def test_one_account_of_several_needs_no_alias_when_it_alone_is_seen():
    assert names(Address("notes", "", "search", ONE, "work")) == ["notes__search"]


def test_an_account_without_alias_beside_another_is_told_by_a_hash():
    plain, other = names(Address("notes", "", "search", ONE), Address("notes", "", "search", TWO, "home"))
    assert plain == "notes__home__search" or re.fullmatch(r"notes__search_[0-9a-f]{10}", other)


def test_what_cannot_be_said_gets_a_stem_and_a_hash():
    (chinese,) = names(Address("notes", "", "搜索笔记", ONE))
    assert re.fullmatch(r"notes_[0-9a-f]{10}", chinese)
    (long,) = names(Address("notes", "", "x" * 80, ONE))
    assert re.fullmatch(r"notes__x+_[0-9a-f]{10}", long)
    assert len(long) == 64
    (spaced,) = names(Address("notes", "", "find a note", ONE))
    assert re.fullmatch(r"notes__find_a_note_[0-9a-f]{10}", spaced)


def test_a_clash_gives_both_a_hash():
    found = names(Address("a", "one", "search", ONE), Address("a", "two", "search", ONE))
    assert all(re.fullmatch(r"a__search_[0-9a-f]{10}", name) for name in found)
    assert len(set(found)) == 2


def test_connectors_whose_keys_run_into_tool_names_stay_apart():
    found = name_tools([Address("a", "", "b__c", ONE), Address("a__b", "", "c", TWO)])
    assert len(found) == 2
    assert "a__b__c" not in found


def test_ambiguous_names_lead_to_those_that_tell():
    found = name_tools([Address("n", "", "s", ONE, "x"), Address("n", "", "s", TWO, "y"), Address("m", "", "s", ONE)])
    assert find_ambiguous(found) == {"n__s": ["n__x__s", "n__y__s"]}


addresses = st.builds(
    Address,
    st.sampled_from(["a", "a__b", "notes", "x" * 64]),
    st.sampled_from(["", "one", "two"]),
    st.one_of(st.text(min_size=1, max_size=90), st.sampled_from(["b__c", "c", "search"])),
    st.sampled_from([ONE, TWO]),
    st.just(""),
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)  # a busy machine draws slowly
@given(st.sets(addresses, max_size=12))
def test_names_are_safe_unique_reversible_and_the_same_again(found):
    named = name_tools(found)
    assert set(named.values()) == found
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in named)
    assert named == name_tools(sorted(found, key=repr, reverse=True))
    assert all(name in possible_names(address) for name, address in named.items())
