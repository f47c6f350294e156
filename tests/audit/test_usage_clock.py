"""Use counts right under a clock that jumps back and forth by days: calls are made, sealed and counted at any moment."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.audit.buckets import bucket_edges
from connectors.audit.charts import usage_series, usage_tops
from connectors.audit.filters import CallFilters
from connectors.audit.late_calls import seal
from connectors.audit.models import CallRecord
from connectors.audit.rollups import read_batch, write_batch
from connectors.audit.usage import usage_by_connector
from connectors.audit.usage_models import LateCall, RollupMark, UsageDay, UsageHour, UsageSubject
from tests.builders.logs import make_call
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)  # Berlin puts its clocks forward that night
FIRST, LAST = NOON - timedelta(days=40), NOON + timedelta(days=40)

# What happens, and what the clock says then: seconds to days away from the step before.
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["call", "call", "call", "seal", "count", "retain"]),
        st.sampled_from(["alpha", "beta"]),
        st.sampled_from([0, 1, 9, 10, 11, -11, 3_600, -3_600, 90_000, -90_000, 2_000_000, -2_000_000]),
    ),
    max_size=12,
)


@pytest.fixture
def ann():
    return make_user("ann")


def count(now):
    """Roll up as the worker does when its clock says so."""
    seal(now)
    while (batch := read_batch()) is not None:
        assert write_batch(batch)


def retain():
    """Remove what is counted."""
    if mark := RollupMark.objects.first():
        late = LateCall.objects.values("call_id")
        CallRecord.objects.filter(pk__lt=mark.counted_to).exclude(pk__in=late).delete()


def assert_use_is(made):
    calls = Counter(one.connector_key for one in made)
    use = usage_by_connector(["alpha", "beta"], since=FIRST)
    assert {key: one.calls for key, one in use.items() if one.calls} == calls
    edges = bucket_edges(FIRST, LAST, zone=ZoneInfo("Europe/Berlin"), most=100)
    for point, end in zip(usage_series(CallFilters(), edges=edges), edges[1:], strict=True):
        assert point.calls == sum(point.start <= one.started_at < end for one in made)
    top = usage_tops(("connector",), CallFilters(), since=FIRST, until=LAST)["connector"]
    assert {one.key[0]: one.usage.calls for one in top} == calls


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_a_clock_that_jumps_loses_no_call_and_counts_none_twice(ann, steps):
    for table in (CallRecord, LateCall, UsageDay, UsageHour, UsageSubject, RollupMark):
        table.objects.all().delete()
    now, made = NOON, []
    for act, connector, jump in steps:
        now = min(max(now + timedelta(seconds=jump), FIRST), LAST - timedelta(hours=1))
        match act:
            case "call":
                made.append(make_call(ann, at=now, connector_key=connector))
            case "seal":
                seal(now)
            case "count":
                count(now)
            case "retain":
                retain()
    assert_use_is(made)
    count(LAST)
    assert_use_is(made)
    retain()
    assert not CallRecord.objects.exists()
    assert_use_is(made)


def test_a_call_of_a_clock_that_was_put_back_is_late_and_one_of_a_clock_ahead_waits(ann):
    count(NOON)
    make_call(ann, at=NOON - timedelta(days=2), connector_key="alpha")
    ahead = make_call(ann, at=NOON + timedelta(days=2), connector_key="alpha")
    count(NOON - timedelta(days=1))

    assert not LateCall.objects.exists()
    assert RollupMark.objects.get().counted_to < ahead.pk
    assert usage_by_connector(["alpha"], since=FIRST)["alpha"].calls == 2
