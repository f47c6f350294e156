"""Verifications of the chain: asked for once, made by the worker, taken up again when it died."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from connectors.audit import chain, tasks
from connectors.audit.checks import EVERY, LOST_AFTER, Ongoing, last_check, ongoing_check, request_check, run_due_check
from connectors.audit.models import AdminEvent, ChainCheck, ChainHead
from connectors.audit.recording import record_admin_event
from tests.builders.people import make_administrator

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    return make_administrator()


def write(count: int) -> None:
    with transaction.atomic():
        for number in range(count):
            record_admin_event(actor=None, act="tried", target_kind="test", target_id=number, target_name="it")


def test_the_first_is_due_at_once_and_the_next_a_day_later():
    write(1)
    assert [run_due_check(), run_due_check()] == [1, 0]
    ChainCheck.objects.update(at=timezone.now() - EVERY)
    assert run_due_check() == 1
    assert ChainCheck.objects.count() == 2


def test_asking_twice_is_one_verification_and_one_event(admin):
    request_check(actor=admin)
    request_check(actor=admin)
    assert ongoing_check() == Ongoing(ChainCheck.objects.get().requested_at, 0, 0)
    assert AdminEvent.objects.filter(act="chain_check_requested").count() == 1
    assert run_due_check() == 1
    assert ongoing_check() is None
    assert (last_check().ok, last_check().checked, last_check().total) == (True, 1, 1)


def test_one_that_is_under_way_is_left_alone_until_it_gives_no_sign_of_life(admin):
    write(1)
    request_check(actor=admin)
    ChainCheck.objects.update(touched_at=timezone.now())
    assert run_due_check() == 0
    ChainCheck.objects.update(touched_at=timezone.now() - LOST_AFTER)
    assert run_due_check() == 1
    assert last_check().ok


def test_progress_can_be_watched(admin, monkeypatch):
    monkeypatch.setattr(chain, "CHUNK", 2)
    write(5)
    request_check(actor=admin)
    seen = []

    def watch(execute, sql, parameters, many, context):
        done = execute(sql, parameters, many, context)
        if sql.startswith("UPDATE") and ChainCheck._meta.db_table in sql and (ongoing := ongoing_check()):
            seen.append(ongoing.checked)
        return done

    with connection.execute_wrapper(watch):
        run_due_check()
    assert sorted(set(seen) - {0}) == [2, 4, 6]
    assert last_check().total == 6


def test_old_ones_are_forgotten(monkeypatch):
    monkeypatch.setattr("connectors.audit.checks.KEPT", 2)
    for _ in range(4):
        run_due_check()
        ChainCheck.objects.update(at=timezone.now() - EVERY - timedelta(seconds=1))
    assert ChainCheck.objects.count() == 2


def test_the_workers_tasks_sign_and_verify():
    write(2)
    tasks.set_down_head()
    assert ChainHead.objects.get().sequence == 2
    assert tasks.check_chain() == 1
    assert tasks.sweep_captured() == 0
