"""Filters of the logs: each leaves the rows it names, a page costs the same however few they are, and says so."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection as database
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.audit import scanning
from connectors.audit.filters import CallFilters, DecisionFilters, EventFilters, filtered_calls
from connectors.audit.models import CallRecord
from connectors.audit.queries import (
    calls,
    count_calls,
    count_decisions,
    decisions,
    events,
    newest_calls,
    newest_decisions,
)
from connectors.audit.recording import record_admin_event
from connectors.audit.rollups import roll_up
from connectors.audit.time_keys import lowest_id
from connectors.audit.ways import ways_of_calls, ways_of_decisions
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db
RUN, APPROVAL, CONNECTION, AGENT = (UUID(int=number + 1) for number in range(4))


@pytest.fixture
def ann():
    return make_user("ann")


@pytest.fixture
def hasty(monkeypatch):
    """The search ends after three rows of an index, as it does after many on a large log."""
    monkeypatch.setattr(scanning, "SECONDS", -1.0)
    monkeypatch.setattr(scanning, "_STRETCHES", (3,))


SPECIAL = {
    "run_id": RUN,
    "approval_id": APPROVAL,
    "connection_id": CONNECTION,
    "agent_id": AGENT,
    "agent_name": "Nightly",
    "connector_key": "calendar",
    "package_version": "2.0.0",
    "alias": "work",
    "server": "eu",
    "effect": "destructive",
    "origin": "scheduled",
    "remote_address": "203.0.113.9",
    "trace_id": "abc",
}
OF_CALLS = {
    "outcome": "failed",
    "error_code": "rate_limited",
    "server_address": "tools.example.com:443",
    "retries": 2,
    "credential_fingerprint": "47cee9",
    "arguments_digest": "c" * 64,
    "result_digest": "d" * 64,
    "captured": True,
}
OF_DECISIONS = {"rule": "grant_missing", "reason": "hidden", "manifest_revision": "f" * 64, "tool_digest": "e" * 64}


@pytest.mark.parametrize("rolled", [False, True])
@pytest.mark.parametrize("field", [*SPECIAL, *OF_CALLS])
def test_calls_are_narrowed_by_every_field(ann, field, rolled):
    value = (SPECIAL | OF_CALLS)[field]
    make_call(ann, at=timezone.now() - timedelta(hours=1))
    wanted = make_call(ann, at=timezone.now() - timedelta(hours=2), **{field: value})
    if rolled:
        roll_up()

    assert calls(CallFilters(**{field: value})).rows == (wanted,)


@pytest.mark.parametrize("field", [*SPECIAL, *OF_DECISIONS])
def test_decisions_are_narrowed_by_every_field(ann, field):
    value = (SPECIAL | OF_DECISIONS)[field]
    make_decision(ann)
    wanted = make_decision(ann, **{field: value})

    assert decisions(DecisionFilters(**{field: value})).rows == (wanted,)


@pytest.mark.parametrize("field", ["connection_id", "agent_id"])
def test_the_rows_of_a_connection_or_an_agent_are_looked_for_among_its_persons_only(ann, field):
    """Else a database may walk everybody's rows between the ends of the person's."""
    make_call(ann, at=timezone.now() - timedelta(hours=2), **{field: SPECIAL[field]})
    roll_up()

    [way] = ways_of_calls(CallFilters(**{field: SPECIAL[field]}))

    assert '"person_id" = ' in str(way.rows.query)


def test_calls_are_narrowed_by_who_how_long_and_which_decision(ann):
    bob = make_user("bob")
    decision = make_decision(bob)
    make_call(ann)
    wanted = make_call(bob, decision=decision, elapsed_us=3_000_000)

    for filters in (
        {"person_ids": (bob.pk,)},
        {"owner_id": bob.pk},
        {"slower_than_us": 2_999_999},
        {"decision_id": decision.pk},
    ):
        assert calls(CallFilters(**filters)).rows == (wanted,)
    assert calls(CallFilters(person_ids=())).rows == ()
    assert calls(CallFilters(person_ids=(ann.pk, bob.pk), owner_id=bob.pk)).rows == (wanted,)


@pytest.mark.parametrize("rolled", [False, True])
@pytest.mark.parametrize("text", ["CALEND", "archive", "bob", "limited"])
def test_text_finds_calls_by_connector_tool_person_and_code(ann, text, rolled):
    make_call(ann, connector_key="notebook")
    wanted = make_call(
        make_user("bob"),
        at=timezone.now() - timedelta(hours=2),
        connector_key="calendar",
        upstream_tool="archive_event",
        outcome="failed",
        error_code="rate_limited",
    )
    if rolled:
        roll_up()

    page = calls(CallFilters(text=text))

    assert (page.rows, page.searched_to) == ((wanted,), None)


@pytest.mark.parametrize("rolled", [False, True])
@pytest.mark.parametrize("text", ["ünal", "ÜNAL", "Ünal", "éva ü"])
def test_letters_beyond_ascii_are_found_whatever_their_case(ann, text, rolled):
    make_call(ann)
    wanted = make_call(make_user("eva", display_name="Éva Ünal"), agent_name="Éva Ünal")
    if rolled:
        roll_up()
    assert calls(CallFilters(text=text)).rows == (wanted,)
    assert calls(CallFilters(agent_name="éva ünal")).rows == (wanted,)


def test_text_that_is_nowhere_was_looked_for_everywhere_at_once(ann, hasty):
    for minutes in range(10):
        make_call(ann, at=timezone.now() - timedelta(hours=1, minutes=minutes))
    roll_up()

    page = calls(CallFilters(text="nothing is called so"))

    assert (page.rows, page.older, page.searched_to) == ((), None, None)


def test_text_finds_what_came_after_the_last_count(ann):
    make_call(ann, at=timezone.now() - timedelta(hours=1))
    roll_up()
    new = make_call(ann, connector_key="brand-new")

    assert calls(CallFilters(text="brand-n")).rows == (new,)


def test_a_page_that_was_not_filled_in_time_says_how_far_it_looked_and_goes_on(ann, hasty):
    start = timezone.now() - timedelta(hours=1)
    rare = make_call(ann, at=start, effect="destructive")
    for minutes in range(1, 8):
        make_call(ann, at=start + timedelta(minutes=minutes), effect="read")
    filters, after, looked = CallFilters(effect="destructive"), None, []

    while True:
        page = calls(filters, after=after)
        if page.rows:
            break
        looked.append(page.searched_to)
        after = page.older

    assert page.rows == (rare,)
    assert looked == sorted(looked, reverse=True)
    assert len(looked) >= 2


def test_a_late_call_with_a_name_nobody_knows_yet_is_found(ann):
    make_call(ann, tool="calendar__search", at=timezone.now() - timedelta(hours=1))
    roll_up()
    late = make_call(ann, connector_key="diary", tool="diary__write", at=timezone.now() - timedelta(minutes=30))

    assert calls(CallFilters(text="diary")).rows == (late,)
    assert calls(CallFilters(tool="diary")).rows == (late,)


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["calendar", "notebook"]),
        st.sampled_from(["read", "write"]),
        st.sampled_from(["succeeded", "failed"]),
        st.booleans(),  # ann's, or bob's
    ),
    max_size=14,
)
FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "connector_key": st.just("calendar"),
        "effect": st.sampled_from(["read", "write"]),
        "outcome": st.sampled_from(["succeeded", "failed"]),
        "text": st.sampled_from(["cal", "ann", "o", "xyz"]),
        "tool": st.sampled_from(["calendar__", "search", "xyz"]),
    },
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS, filters=FILTERS, rolled=st.booleans())
def test_all_pages_together_are_the_filtered_rows_each_once(ann, hasty, rows, filters, rolled):
    CallRecord.objects.all().delete()
    bob = make_user()
    start = timezone.now() - timedelta(hours=1)
    for number, (connector, effect, outcome, mine) in enumerate(rows):
        names = {"connector_key": connector, "tool": f"{connector}__search"}
        make_call(ann if mine else bob, at=start + timedelta(seconds=number), effect=effect, outcome=outcome, **names)
    if rolled:
        roll_up()
    wanted = CallFilters(**filters)
    found, page = [], calls(wanted, size=3)
    found += page.rows
    while page.older:
        page = calls(wanted, size=3, after=page.older)
        found += page.rows

    assert found == list(filtered_calls(wanted).order_by("-pk"))


def test_counts_are_exact_up_to_a_bound_and_beyond_it_say_so(ann):
    for _ in range(5):
        make_call(ann, effect="read")

    assert [(one.number, one.more) for one in (count_calls(CallFilters(), up_to=limit) for limit in (4, 5))] == [
        (4, True),
        (5, False),
    ]
    assert (count_calls(CallFilters(effect="read")).number, count_decisions(DecisionFilters()).number) == (5, 0)


def test_a_count_that_takes_too_long_says_there_may_be_more(ann, hasty):
    for _ in range(9):
        make_call(ann, effect="read")

    counted = count_calls(CallFilters(effect="read"))

    assert counted.more
    assert counted.number < 9


def test_the_tail_is_the_newest_above_a_key(ann):
    start = timezone.now() - timedelta(minutes=5)
    made = [make_call(ann, at=start + timedelta(seconds=number), effect="read") for number in range(5)]
    make_decision(ann)

    tail = newest_calls(CallFilters(effect="read"), since=made[0].pk, limit=3)

    assert (tail.rows, tail.more) == ((made[4], made[3], made[2]), True)
    assert newest_calls(CallFilters(effect="write"), since=made[0].pk).rows == ()
    assert not newest_decisions(DecisionFilters(), since=lowest_id(timezone.now() - timedelta(hours=1))).more


def test_events_are_narrowed_by_actor_act_target_and_text(ann):
    for act, name in (("team_created", "Sales"), ("team_deleted", "Support")):
        record_admin_event(actor=ann, act=act, target_kind="team", target_id=name.lower(), target_name=name)

    for filters in (
        {"act": "team_deleted"},
        {"target": "uppor"},
        {"target": "support"},
        {"text": "deleted"},
        {"target_id": "support", "target_kind": "team", "actor_name": "ANN"},
    ):
        assert [event.target_name for event in events(EventFilters(**filters)).rows] == ["Support"]


@pytest.mark.parametrize(
    ("part", "found"), [("old.exa", 1), ("ENDPOINT", 1), ("杭州", 1), ('a "b"', 1), ("100%", 1), ("1_0", 0), ("q", 0)]
)
def test_events_are_found_by_what_they_changed(ann, part, found):
    record_admin_event(
        actor=ann,
        act="configuration_saved",
        target_kind="connector",
        target_id=1,
        target_name="it",
        before={"configuration": {"endpoint": "https://old.example"}},
        after={"city": "杭州", "said": 'a "b" 100% sure'},
    )
    assert len(events(EventFilters(changed=part)).rows) == found


@pytest.mark.skipif(database.vendor != "sqlite", reason="PostgreSQL chooses by sizes, which a test's tables lack")
@pytest.mark.parametrize(
    ("ways", "index"),
    [
        (ways_of_calls(CallFilters(trace_id="a")), "call_by_trace"),
        (ways_of_calls(CallFilters(run_id=uuid4())), "call_by_run"),
        (ways_of_calls(CallFilters(approval_id=uuid4())), "call_by_approval"),
        (ways_of_calls(CallFilters(outcome="failed")), "call_failed"),
        (ways_of_calls(CallFilters(error_code="a")), "call_by_code"),
        (ways_of_calls(CallFilters(connector_key="a", effect="read")), "call_by_connector"),
        (ways_of_calls(CallFilters(owner_id=1)), "call_by_person"),
        (ways_of_decisions(DecisionFilters(allowed=False)), "decision_denied"),
        (ways_of_decisions(DecisionFilters(run_id=uuid4())), "decision_by_run"),
    ],
)
def test_each_index_is_found(ways, index):
    for rows in (ways[0].walked, ways[0].rows):
        assert index in rows.order_by("-pk")[:51].explain()
