"""Records of periodic tasks: what ran, what failed, what is missed."""

from datetime import timedelta

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from connectors.audit.sweeps import list_sweeps, overdue_sweeps, sweep
from connectors.audit.usage_models import SweepRecord
from connectors.errors import Forbidden

pytestmark = pytest.mark.django_db
NAME = "gateway.close_idle_runs"  # each minute


def named(name):
    return next(one for one in list_sweeps() if one.name == name)


def succeeded(ago, name=NAME):
    now = timezone.now()
    SweepRecord.objects.create(name=name, expected_since=now - timedelta(days=1), last_succeeded_at=now - ago)


def overdue():
    return {one.name for one in overdue_sweeps()}


def test_a_run_leaves_when_it_ended_and_how_much_it_did():
    assert sweep(NAME)(lambda: 3)() == 3

    one = named(NAME)
    assert one.last_started_at <= one.last_succeeded_at
    assert (one.count, one.error, one.failing) == (3, "", False)


def test_a_failure_leaves_its_code_and_goes_on():
    def fail():
        raise Forbidden

    with pytest.raises(Forbidden):
        sweep(NAME)(fail)()

    one = named(NAME)
    assert (one.error, one.failing, one.last_succeeded_at) == ("action_forbidden", True, None)


def test_two_missed_periods_are_overdue():
    succeeded(timedelta(minutes=4))

    assert NAME in overdue()


def test_one_missed_period_is_not():
    succeeded(timedelta(seconds=100))

    assert NAME not in overdue()


def test_a_task_that_only_fails_is_overdue_although_it_runs():
    succeeded(timedelta(hours=1))
    SweepRecord.objects.update(last_started_at=timezone.now(), last_failed_at=timezone.now())

    assert NAME in overdue()


def test_where_nothing_ever_ran_everything_is_missed_from_the_set_up_on():
    MigrationRecorder.Migration.objects.update(applied=timezone.now())
    assert overdue() == set()

    MigrationRecorder.Migration.objects.update(applied=timezone.now() - timedelta(days=365))

    assert overdue() == {one.name for one in list_sweeps()}


def test_a_task_that_never_ran_is_expected_from_the_first_sweep_of_any():
    sweep(NAME)(lambda: None)()
    SweepRecord.objects.exclude(name=NAME).update(expected_since=timezone.now() - timedelta(days=2))

    assert "catalogue.sweep_orphans" in overdue()
