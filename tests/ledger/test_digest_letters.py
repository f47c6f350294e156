"""The digest by e-mail: whom it goes to, when by their clock, and what it says to each."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.utils import timezone

from connectors.ledger.digests import deliver_due, morning_of, queue_digests
from connectors.ledger.entry import Writing, write_entry
from connectors.ledger.models import DigestDelivery, Notice, NoticeReader
from tests.builders.connectors import make_connection, make_connector
from tests.builders.people import make_administrator, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _mail_server(settings):
    settings.MAIL_FROM = "poco@example.com"
    settings.MAILERS = {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}}


def wants(person):
    NoticeReader.objects.create(person=person, wants_mail=True)
    return person


def tell(kind="review_due", subject="", connector=None, **parameters):
    return Notice.objects.create(
        kind=kind, subject=subject, connector=connector, parameters=parameters, opened_at=timezone.now()
    )


def send():
    """Queue what is to be told and deliver it, whatever time it is by anybody's clock."""
    queue_digests()
    DigestDelivery.objects.filter(due_at__isnull=False).update(due_at=timezone.now())
    deliver_due()
    return mail.outbox


def test_people_who_want_it_get_theirs_in_their_language():
    ann = wants(make_administrator("ann", email="ann@example.com", language="en"))
    wants(make_user("bob", email="bob@example.com"))
    make_administrator(email="c@example.com")
    tell(count=2)
    [letter] = send()
    assert letter.to == [ann.email]
    assert "2 connectors have not been looked at for a quarter" in letter.body
    assert "/notices/" in letter.body


def test_without_a_mail_server_no_letter_is_queued(settings):
    settings.MAIL_FROM = ""
    wants(make_administrator(email="ann@example.com"))
    tell()
    assert queue_digests() == 0


def test_times_are_told_in_the_readers_zone_with_its_offset():
    wants(make_administrator(email="li@example.com", time_zone="Asia/Shanghai"))
    tell("certificate_ending", "notes", make_connector("notes"), at="2027-01-01T20:30:00+00:00")
    assert "2027-01-02 04:30 (UTC+08:00)" in send()[0].body


def test_a_certificate_that_has_ended_is_said_to_have_and_stands_before_what_can_wait():
    wants(make_administrator(email="ann@example.com"))
    tell("certificate_ending", "notes", make_connector("notes"), at="2026-01-01T20:30:00+00:00")
    tell(count=2)
    body = send()[0].body
    assert "has ended" in body
    assert body.index("has ended") < body.index("A review is due")


@pytest.mark.parametrize(
    ("day", "offset"),
    [("2026-03-28", 1), ("2026-03-29", 2), ("2026-10-24", 2), ("2026-10-25", 1)],
    ids=["before summer", "the clocks go forward", "before winter", "the clocks go back"],
)
def test_the_morning_is_eight_by_the_readers_clock(day, offset):
    person = make_user(time_zone="Europe/Berlin")
    now = datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=UTC)
    assert morning_of(person, now) == datetime.fromisoformat(f"{day}T08:00:00").replace(tzinfo=UTC) - timedelta(
        hours=offset
    )


def test_nothing_is_sent_at_night_and_the_day_is_the_readers(settings):
    """Ten zones around the world: whoever has night now waits for their morning, the others hear at once."""
    now = timezone.now()
    for offset in range(-9, 12, 2):
        name = f"Etc/GMT{offset:+d}"
        wants(make_administrator(email="somebody@example.com", time_zone=name))
    tell()
    queue_digests()
    for delivery in DigestDelivery.objects.select_related("person"):
        there = now.astimezone(ZoneInfo(delivery.person.time_zone))
        assert delivery.day == there.date()
        due = delivery.due_at.astimezone(there.tzinfo)
        assert (due.hour, due.minute) == (8, 0) if there.hour < 8 else due - there < timedelta(minutes=1)


def test_a_letter_tells_what_concerns_its_reader_when_it_is_written():
    connector, user = make_connector("notes"), wants(make_user(email="mei@example.com"))
    make_connection(user, connector)
    tell("connector_dead", "notes", connector)
    queue_digests()
    connector.everyone = False
    connector.save()
    assert send() == []


@pytest.mark.parametrize("change", ["stops", "leaves", "no longer manages", "no mail server"])
def test_nobody_gets_a_letter_they_no_longer_want_or_may_read(change, settings):
    ann = wants(make_administrator(email="ann@example.com"))
    tell()
    queue_digests()
    if change == "stops":
        NoticeReader.objects.update(wants_mail=False)
    elif change == "leaves":
        ann.is_active = False
        ann.save()
    elif change == "no mail server":
        settings.MAIL_FROM, settings.MAILERS = "", {}
    else:
        ann.groups.clear()
    assert send() == []


def test_what_is_opened_before_the_morning_comes_with_the_same_letter():
    wants(make_administrator(email="ann@example.com"))
    tell(count=2)
    queue_digests()
    tell("sweep_overdue", "some.task")
    [letter] = send()
    assert "some.task" in letter.body
    DigestDelivery.objects.update(day=timezone.localdate() - timedelta(days=3))
    assert queue_digests() == 0


def test_a_digest_names_no_connector_its_reader_cannot_see():
    hidden, mine = make_connector("hidden", everyone=False), make_connector("mine", everyone=False)
    user, owner = wants(make_user(email="mei@example.com")), wants(make_user(email="own@example.com"))
    make_connection(user, hidden)
    admin = make_administrator()
    writing = Writing(purpose="", owner=owner, source="")
    write_entry(connector=mine, writing=writing, expected_revision=0, actor=admin)
    tell("connector_dead", "hidden", hidden)
    tell("connector_dead", "mine", mine)
    assert [letter.to for letter in send()] == [["own@example.com"]]
