"""What is wrong is told to whom it concerns, once, until it is mended."""

from datetime import timedelta

import pytest
from django.urls import resolve
from django.utils import timezone, translation

from connectors.audit.checks import check_chain
from connectors.audit.models import AdminEvent
from connectors.audit.sweeps import list_sweeps
from connectors.audit.usage_models import SweepRecord
from connectors.authorization.models import RefreshLease
from connectors.ledger.disposition import Suggestion, decide_disposition
from connectors.ledger.entry import Writing, write_entry
from connectors.ledger.models import Disposition, Notice, Probe
from connectors.ledger.notice_words import describe_notice
from connectors.ledger.notices import OWN_SWEEP, count_new, find_wrong, mark_seen, open_notices, refresh_notices
from tests.builders.connectors import make_connection, make_connector
from tests.builders.people import make_administrator, make_auditor, make_user

pytestmark = pytest.mark.django_db
KIND = Notice.Kind


@pytest.fixture
def connector():
    return make_connector("notes")


def kill(connector, days=30):
    since = timezone.now() - timedelta(days=days)
    fields = {
        "outcome": "failed",
        "failing_since": since,
        "probed_at": timezone.now(),
        "code": "unavailable",
        "stage": "tcp",
    }
    Probe.objects.update_or_create(connector=connector, defaults=fields)


def kinds_of(person):
    return {notice.kind for notice in open_notices(person)} - {KIND.SWEEP_OVERDUE}


def wrong():
    return {found.kind for found in find_wrong(timezone.now())} - {KIND.SWEEP_OVERDUE}


def test_a_dead_connector_is_told_once_and_closed_when_it_answers(connector):
    kill(connector)
    refresh_notices()
    refresh_notices()
    notice = Notice.objects.get(kind=KIND.CONNECTOR_DEAD)
    Probe.objects.update(outcome="listed", failing_since=None)
    refresh_notices()
    notice.refresh_from_db()
    assert notice.closed_at is not None


def test_one_that_dies_again_is_told_again(connector):
    kill(connector)
    refresh_notices()
    Notice.objects.update(closed_at=timezone.now())
    refresh_notices()
    assert Notice.objects.filter(kind=KIND.CONNECTOR_DEAD).count() == 2


def test_a_dead_connector_concerns_its_administrators_owner_and_users_and_nobody_else(connector):
    admin, user, owner, stranger = make_administrator(), make_user(), make_user(), make_user()
    make_connection(user, connector)
    writing = Writing(purpose="", owner=owner, source="")
    write_entry(connector=connector, writing=writing, expected_revision=0, actor=admin)
    kill(connector)
    refresh_notices()
    for person in (admin, user, owner):
        assert kinds_of(person) == {KIND.CONNECTOR_DEAD}
    assert kinds_of(stranger) == set()


def test_two_accounts_at_it_are_one_notice(connector):
    user = make_user()
    make_connection(user, connector, alias="one")
    make_connection(user, connector, alias="two")
    kill(connector)
    refresh_notices()
    assert open_notices(user).count() == 1


@pytest.mark.parametrize(("days", "told"), [(15, False), (13, True), (-1, True)])
def test_a_certificate_is_told_of_two_weeks_before_its_end(connector, days, told):
    ends = timezone.now() + timedelta(days=days)
    Probe.objects.create(connector=connector, outcome="listed", certificate_expires_at=ends)
    assert (KIND.CERTIFICATE_ENDING in wrong()) == told


def test_endpoints_that_are_not_asked_are_not_told_of(connector):
    kill(connector)
    Probe.objects.update(enabled=False)
    assert wrong() == set()


def test_credentials_that_are_not_renewed_are_told_of_after_an_hour(connector):
    lease = RefreshLease.objects.create(connection=make_connection(make_user(), connector))
    lease.failing_since = timezone.now() - timedelta(minutes=50)
    lease.save()
    assert wrong() == set()
    lease.failing_since = timezone.now() - timedelta(minutes=70)
    lease.save()
    assert wrong() == {KIND.REFRESH_FAILING}


def test_a_broken_chain_concerns_auditors_too(connector):
    writing = Writing(purpose="notes", owner=None, source="")
    write_entry(connector=connector, writing=writing, expected_revision=0, actor=make_administrator())
    check_chain()
    refresh_notices()
    assert kinds_of(make_auditor()) == set()
    AdminEvent.objects.update(act="something_else")
    check_chain()
    refresh_notices()
    assert kinds_of(make_auditor()) == {KIND.CHAIN_BROKEN}
    assert kinds_of(make_administrator()) == {KIND.CHAIN_BROKEN}
    assert kinds_of(make_user()) == set()


def test_a_review_is_due_when_a_decisions_quarter_is_over(connector):
    decide_disposition(
        connector=connector,
        verdict="keep",
        reason="",
        suggestion=Suggestion("keep", "x", 0),
        actor=make_administrator(),
    )
    assert KIND.REVIEW_DUE not in wrong()
    Disposition.objects.update(next_review_on=timezone.localdate())
    assert KIND.REVIEW_DUE in wrong()


def test_one_is_new_until_its_reader_has_looked(connector):
    admin = make_administrator()
    refresh_notices()
    mark_seen(admin)
    assert count_new(admin) == 0
    kill(connector)
    refresh_notices()
    assert count_new(admin) == 1
    mark_seen(admin)
    assert count_new(admin) == 0


@pytest.mark.parametrize("kind", KIND)
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_kind_has_words_even_with_nothing_to_fill_them(connector, kind, language):
    notice = Notice(kind=kind, subject="notes", connector=connector, opened_at=timezone.now())
    with translation.override(language):
        text = describe_notice(notice)
    assert text.title
    assert text.sentence
    assert resolve(text.path)


def run_sweeps(ago, *, own_ago):
    """Every sweep succeeded so long ago, the one that looks for notices at its own time."""
    now = timezone.now()
    for sweep in list_sweeps():
        at = now - (own_ago if sweep.name == OWN_SWEEP else ago)
        SweepRecord.objects.create(name=sweep.name, expected_since=at, last_succeeded_at=at)


def overdue_told():
    refresh_notices()
    return Notice.objects.filter(kind=KIND.SWEEP_OVERDUE, closed_at=None).exists()


def test_background_work_that_stopped_is_told_of():
    run_sweeps(timedelta(days=9), own_ago=timedelta(minutes=5))
    assert overdue_told()


def test_a_worker_that_was_off_and_has_come_back_raises_no_alarm():
    run_sweeps(timedelta(days=9), own_ago=timedelta(days=9))
    assert not overdue_told()


def test_what_was_overdue_before_the_worker_was_off_still_is():
    run_sweeps(timedelta(days=9), own_ago=timedelta(minutes=5))
    assert overdue_told()
    SweepRecord.objects.filter(name=OWN_SWEEP).update(last_succeeded_at=timezone.now() - timedelta(days=9))
    assert overdue_told()
