"""What is kept long enough goes, what is not counted yet stays, and what was counted stays known."""

from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.audit.late_calls import seal
from connectors.audit.models import CallRecord, DecisionRecord
from connectors.audit.retention import BATCH, list_kept, remove_old_rows
from connectors.audit.rollups import roll_up
from connectors.audit.usage import usage_by_connector
from connectors.audit.usage_models import LateCall, UsageDay, UsageHour
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return make_user("ann")


@pytest.fixture
def keep(settings):
    def set_days(**days):
        settings.KEEP_DAYS = {"calls": None, "decisions": None, "events": None, "usage": None} | days

    return set_days


def made(person, make, *days):
    now = timezone.now()
    return [make(person, at=now - timedelta(days=each), connector_key="alpha") for each in days]


def test_old_calls_and_decisions_go_each_by_its_own_days(ann, keep):
    made(ann, make_call, 1, 5, 20)
    made(ann, make_decision, 1, 5, 20)
    roll_up()
    keep(calls=10, decisions=3)

    assert remove_old_rows() == 3
    assert (CallRecord.objects.count(), DecisionRecord.objects.count()) == (2, 1)


def test_without_days_nothing_goes(ann, keep):
    made(ann, make_call, 5000)
    roll_up()
    keep()

    assert remove_old_rows() == 0


def test_a_call_that_is_not_counted_stays_however_old(ann, keep):
    made(ann, make_call, 20, 30)
    keep(calls=10)

    assert remove_old_rows() == 0


def test_a_late_call_that_is_not_counted_stays(ann, keep):
    made(ann, make_call, 30)
    seal(timezone.now())
    roll_up()
    [late] = made(ann, make_call, 20)
    assert LateCall.objects.filter(pk=late.pk).exists()
    keep(calls=10)

    remove_old_rows()

    assert list(CallRecord.objects.all()) == [late]


def test_more_than_a_batch_goes_and_its_numbers_stay(ann, keep):
    made(ann, make_call, *[20] * (BATCH + 3))
    roll_up()
    keep(calls=10)

    assert remove_old_rows() == BATCH + 3
    assert usage_by_connector(["alpha"], since=timezone.now() - timedelta(days=30))["alpha"].calls == BATCH + 3


def test_numbers_go_by_their_own_days_but_not_when_something_was_last_used(ann, keep):
    [old, new] = made(ann, make_call, 40, 2)
    roll_up()
    keep(usage=30)
    remove_old_rows()

    for table in (UsageHour, UsageDay):
        assert not table.objects.filter(start__lt=timezone.now() - timedelta(days=31)).exists()
    usage = usage_by_connector(["alpha"], since=timezone.now() - timedelta(days=90))["alpha"]
    assert (usage.calls, usage.last_used_at) == (1, new.started_at)


def test_health_hears_how_long_each_log_is_kept_and_how_old_it_is(ann, keep):
    made(ann, make_call, 20)
    roll_up()
    keep(calls=10, usage=30)
    now = timezone.now()

    kept = {one.log: one for one in list_kept()}

    assert kept["calls"].is_behind(now)
    assert not kept["usage"].is_behind(now)
    assert (kept["decisions"].oldest, kept["events"].days) == (None, None)
