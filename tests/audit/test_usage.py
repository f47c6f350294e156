"""Use as the rollups and the uncounted calls tell it is what counting the calls would tell."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.audit import charts
from connectors.audit.buckets import bucket_edges
from connectors.audit.charts import usage_series, usage_tops
from connectors.audit.filters import CallFilters
from connectors.audit.late_calls import seal
from connectors.audit.models import CallRecord
from connectors.audit.rollups import read_batch, roll_up, write_batch
from connectors.audit.tally import floor_hour
from connectors.audit.usage import (
    ToolKey,
    Usage,
    usage_by_connector,
    usage_by_grant,
)
from connectors.audit.usage_list import UseWanted, use_of_connections, use_of_connectors
from connectors.audit.usage_models import LateCall, RollupMark, UsageDay, UsageHour, UsageSubject
from tests.builders.logs import make_call
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db
CONNECTIONS = [UUID(int=number + 1) for number in range(3)]
AGENTS = [UUID(int=number + 100) for number in range(2)]


@pytest.fixture
def ann():
    return make_user("ann")


def usage_top(by, filters, **given):
    return usage_tops((by,), filters, **given)[by]


def call(person, ago, *, connector="alpha", tool="search", **fields):
    names = {"connector_key": connector, "upstream_tool": tool, "tool": f"{connector}__{tool}"}
    return make_call(person, at=timezone.now() - ago, **names, **fields)


def test_calls_count_the_same_before_and_after_they_are_rolled_up(ann):
    for hours in (1, 30, 24 * 20, 24 * 40):
        call(ann, timedelta(hours=hours), outcome="failed" if hours == 30 else "succeeded")
    since = timezone.now() - timedelta(days=30)
    before = usage_by_connector(["alpha", "beta"], since=since)

    assert roll_up() == 4

    assert usage_by_connector(["alpha", "beta"], since=since) == before
    assert (before["alpha"].calls, before["alpha"].errors, before["beta"]) == (3, 1, Usage())


def test_use_outlives_the_calls(ann):
    call(ann, timedelta(days=3))
    roll_up()
    since = timezone.now() - timedelta(days=7)
    before = usage_by_connector(["alpha"], since=since)
    CallRecord.objects.all().delete()

    assert usage_by_connector(["alpha"], since=since) == before
    assert (before["alpha"].calls, before["alpha"].last_used_by) == (1, "ann")


def test_last_used_is_of_all_time_and_calls_since_the_moment(ann):
    long_ago = call(ann, timedelta(days=200))
    roll_up()

    usage = usage_by_connector(["alpha"], since=timezone.now() - timedelta(days=7))["alpha"]

    assert (usage.calls, usage.last_used_at, usage.p95_us) == (0, long_ago.started_at, None)


def test_a_call_that_is_late_for_its_stretch_is_counted_once(ann):
    call(ann, timedelta(hours=2))
    roll_up()
    call(ann, timedelta(hours=1))
    since = timezone.now() - timedelta(days=1)

    assert LateCall.objects.count() == 1
    assert usage_by_connector(["alpha"], since=since)["alpha"].calls == 2
    assert (roll_up(), roll_up()) == (1, 0)
    assert usage_by_connector(["alpha"], since=since)["alpha"].calls == 2


def test_a_late_call_of_a_stretch_that_is_sealed_and_not_counted_yet_is_counted_once(ann):
    call(ann, timedelta(hours=2))
    seal(timezone.now())
    call(ann, timedelta(hours=1))

    assert LateCall.objects.count() == 1
    roll_up()
    roll_up()

    assert usage_by_connector(["alpha"], since=timezone.now() - timedelta(days=1))["alpha"].calls == 2
    assert not LateCall.objects.exists()


def test_a_batch_that_two_workers_read_is_written_once(ann):
    call(ann, timedelta(hours=2))
    seal(timezone.now())
    mine, theirs = read_batch(), read_batch()

    assert (write_batch(mine), write_batch(theirs)) == (True, False)
    assert usage_by_connector(["alpha"], since=timezone.now() - timedelta(days=1))["alpha"].calls == 1


def test_the_seal_never_goes_back(ann):
    seal(timezone.now())
    before = RollupMark.objects.get().sealed_to

    assert seal(timezone.now() - timedelta(hours=1)).sealed_to == before


def test_tools_count_by_their_own_names_whatever_agents_call_them(ann):
    call(ann, timedelta(hours=1))
    make_call(ann, connector_key="alpha", upstream_tool="search", tool="alpha__work__search", outcome="failed")
    roll_up()
    since = timezone.now() - timedelta(days=1)

    tools = usage_top("tool", CallFilters(), since=since)

    assert [(one.key, one.usage.calls, one.usage.errors) for one in tools] == [(("alpha", "", "search"), 2, 1)]


def test_grants_know_when_an_agent_last_used_a_tool_of_a_connection(ann):
    first = call(ann, timedelta(days=300), agent_id=AGENTS[0], connection_id=CONNECTIONS[0])
    roll_up()
    call(ann, timedelta(days=100), agent_id=AGENTS[1], connection_id=CONNECTIONS[0])

    assert usage_by_grant(CONNECTIONS[:1])[AGENTS[0], CONNECTIONS[0]] == {ToolKey("", "search"): first.started_at}


def test_a_top_list_names_what_has_the_most_and_counts_new_calls_in(ann):
    for number, connector in enumerate(["alpha", "beta", "gamma"]):
        for minutes in range(number + 1):
            call(ann, timedelta(hours=1, minutes=minutes), connector=connector)
    roll_up()
    for _ in range(5):
        call(ann, timedelta(0), connector="beta")
    since = timezone.now() - timedelta(days=1)

    top = usage_top("connector", CallFilters(), since=since, limit=2)

    assert [(one.name, one.usage.calls) for one in top] == [("beta", 7), ("gamma", 3)]


def test_a_top_list_of_codes_is_of_failed_calls_and_keeps_to_its_owner(ann):
    bob = make_user("bob")
    for person, code in ((ann, "unavailable"), (bob, "rate_limited"), (bob, "")):
        call(person, timedelta(hours=1), outcome="failed" if code else "succeeded", error_code=code)
    roll_up()

    top = usage_top("code", CallFilters(owner_id=ann.pk), since=timezone.now() - timedelta(days=1))

    assert [one.key for one in top] == [("alpha", "unavailable")]


def test_a_top_list_of_ones_own_counts_nobody_elses_calls(ann):
    bob = make_user("bob")
    for person in (ann, bob, bob):
        call(person, timedelta(hours=1))
    roll_up()

    for by in ("connector", "tool", "person"):
        [top] = usage_top(by, CallFilters(owner_id=ann.pk), since=timezone.now() - timedelta(days=1))
        assert top.usage.calls == 1


def test_a_series_is_narrowed_by_what_it_covers(ann):
    bob = make_user("bob")
    for person in (ann, bob, bob):
        call(person, timedelta(minutes=90), effect="write")
    roll_up()
    call(ann, timedelta(0), effect="read")
    edges = bucket_edges(timezone.now() - timedelta(hours=3), timezone.now(), zone=ZoneInfo("UTC"))

    def total(**filters):
        return sum(point.calls for point in usage_series(CallFilters(**filters), edges=edges))

    assert [total(), total(person_ids=(bob.pk,)), total(effect="read"), total(tool="SEAR"), total(text="nothing")] == [
        4,
        2,
        1,
        4,
        0,
    ]


def test_what_is_too_much_for_a_page_is_not_added_up(ann, monkeypatch):
    monkeypatch.setattr(charts, "MOST_CELLS", 1)
    monkeypatch.setattr(charts, "MOST_SUMMED", 1)
    for connector in ("alpha", "beta"):
        call(ann, timedelta(hours=2), connector=connector)
    roll_up()
    since = timezone.now() - timedelta(hours=4)
    edges = bucket_edges(since, timezone.now(), zone=ZoneInfo("UTC"))

    assert usage_series(CallFilters(effect=""), edges=edges) is not None
    assert usage_series(CallFilters(tool="search"), edges=edges) is None
    assert usage_top("tool", CallFilters(origin="chat"), since=since) == ()
    assert usage_top("tool", CallFilters(text="search"), since=since) is None


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [("Europe/Berlin", 29, 23), ("Europe/Berlin", 28, 24), ("UTC", 29, 24)],
)
def test_a_day_on_which_the_clocks_change_is_an_hour_shorter(zone, day, hours):
    zone = ZoneInfo(zone)
    edges = bucket_edges(datetime(2026, 3, 20, tzinfo=zone), datetime(2026, 3, 31, tzinfo=zone), zone=zone, most=12)
    lengths = {start.astimezone(zone).day: (end - start) / timedelta(hours=1) for start, end in pairwise(edges)}

    assert lengths[day] == hours
    assert all(edge.astimezone(zone).hour == 0 for edge in edges)


@pytest.mark.parametrize("rolled", [False, True])
def test_the_hour_that_comes_twice_is_two_hours_of_one_day(ann, rolled):
    zone = ZoneInfo("Europe/Berlin")
    for utc_hour, times in ((0, 1), (1, 2)):  # 02:30 on the clock, before and after it is put back
        for _ in range(times):
            make_call(ann, at=datetime(2026, 10, 25, utc_hour, 30, tzinfo=UTC))
    if rolled:
        roll_up()
    since = datetime(2026, 10, 25, tzinfo=zone)

    def series(until, most):
        edges = bucket_edges(since, until, zone=zone, most=most)
        return {
            point.start.astimezone(zone).isoformat(): point.calls for point in usage_series(CallFilters(), edges=edges)
        }

    hours = series(datetime(2026, 10, 25, 6, tzinfo=zone), 60)
    days = series(datetime(2026, 10, 29, tzinfo=zone), 4)

    assert (hours["2026-10-25T02:00:00+02:00"], hours["2026-10-25T02:00:00+01:00"]) == (1, 2)
    assert days["2026-10-25T00:00:00+02:00"] == 3
    assert "2026-10-26T00:00:00+01:00" in days


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata", "Pacific/Chatham", "Australia/Lord_Howe"])
@pytest.mark.parametrize("days", [1, 3, 30, 90, 800])
def test_edges_rise_hold_the_whole_stretch_and_are_whole_hours(zone, days):
    until = datetime(2026, 11, 2, 17, 20, tzinfo=UTC)
    since = until - timedelta(days=days)

    edges = bucket_edges(since, until, zone=ZoneInfo(zone))

    assert all(before < after for before, after in pairwise(edges))
    assert edges[0] <= since < edges[1]
    assert edges[-2] < until <= edges[-1]
    assert {floor_hour(edge) for edge in edges} == set(edges)
    assert len(edges) <= 61


CALLS = st.lists(
    st.tuples(
        st.sampled_from(["alpha", "beta"]),
        st.sampled_from(["search", "write"]),
        st.integers(0, 2),  # connection
        st.integers(0, 24 * 60 * 4),  # minutes ago
        st.sampled_from(["succeeded", "succeeded", "failed"]),
        st.sampled_from(["wait", "wait", "seal", "roll", "retain"]),
    ),
    max_size=8,
)


def assert_listed(listed, made, since):
    """Whether tools and days of a list are those of the calls themselves."""
    for key, use in listed.items():
        calls = sorted((one for one in made if one.connector_key == key), key=lambda one: one.started_at)
        assert {tool.tool: at for tool, at in use.tools.items()} == {one.upstream_tool: one.started_at for one in calls}
        days = Counter(one.started_at.date() for one in calls)
        assert use.daily == [days[(since + timedelta(days=day)).date()] for day in range(len(use.daily))]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=CALLS, days=st.integers(1, 5))
def test_use_equals_the_calls_counted_one_by_one_also_late_ones_and_after_retention(ann, calls, days):
    """Calls come in any order of time, so that most are late once something is sealed."""
    for table in (CallRecord, LateCall, UsageDay, UsageHour, UsageSubject, RollupMark):
        table.objects.all().delete()
    now = timezone.now()
    made = []
    for connector, tool, connection, minutes, outcome, then in calls:
        ago = timedelta(minutes=minutes)
        made.append(
            call(ann, ago, connector=connector, tool=tool, outcome=outcome, connection_id=CONNECTIONS[connection])
        )
        if then == "seal":
            seal(timezone.now())
        elif then != "wait":
            roll_up()
        if then == "retain":
            late = LateCall.objects.values("call_id")
            CallRecord.objects.filter(pk__lt=RollupMark.objects.get().counted_to).exclude(pk__in=late).delete()
    since = floor_hour(now - timedelta(days=days))
    counted = [one for one in made if one.started_at >= since]

    by_connector = usage_by_connector(["alpha", "beta"], since=since)
    wanted = UseWanted(moments=(since,), quantiles_since=since, days=(since, now), tools=True)
    listed = use_of_connectors(["alpha", "beta"], wanted)
    of_connections = use_of_connections(CONNECTIONS, UseWanted(moments=(since,), quantiles_since=since))
    points = usage_series(CallFilters(), edges=bucket_edges(since, timezone.now(), zone=ZoneInfo("Asia/Kolkata")))

    assert {key: one.calls for key, one in by_connector.items()} == {
        key: Counter(one.connector_key for one in counted)[key] for key in ("alpha", "beta")
    }
    assert {key: one.usage(since) for key, one in listed.items()} == by_connector
    assert_listed(listed, made, since)
    assert {key: (one.usage(since).calls, one.usage(since).errors) for key, one in of_connections.items()} == {
        key: (len(theirs), sum(one.outcome == "failed" for one in theirs))
        for key in CONNECTIONS
        for theirs in [[one for one in counted if one.connection_id == key]]
    }
    ends = [point.start for point in points[1:]] + [timezone.now() + timedelta(hours=2)]
    for point, end in zip(points, ends, strict=True):
        assert point.calls == sum(point.start <= one.started_at < end for one in made)
    tools = usage_top("tool", CallFilters(), since=since, limit=100)
    assert {one.key: one.usage.calls for one in tools} == Counter(
        (one.connector_key, "", one.upstream_tool) for one in counted
    )
