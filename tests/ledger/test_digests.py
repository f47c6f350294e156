"""A digest a day: signed, retried, telling only what still holds."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.audit.models import AdminEvent
from connectors.errors import Invalid
from connectors.ledger.digests import MOST_ATTEMPTS, deliver_due, next_try, queue_digests
from connectors.ledger.models import DigestDelivery, DigestWebhook, Notice
from connectors.ledger.webhook import remove_webhook, set_webhook, sign_message
from connectors.vault.secret import Secret
from tests.builders.people import make_administrator
from tests.fakes.webhook_receiver import Receiver, is_signed

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def receiver():
    with Receiver() as running:
        yield running


def tell(kind="review_due", subject="", **parameters):
    return Notice.objects.create(kind=kind, subject=subject, parameters=parameters, opened_at=timezone.now())


def tomorrow():
    for delivery in DigestDelivery.objects.order_by("day"):
        DigestDelivery.objects.filter(pk=delivery.pk).update(day=delivery.day - DAY)


def hurry():
    DigestDelivery.objects.filter(due_at__isnull=False).update(due_at=timezone.now())


def test_a_webhook_gets_what_is_open_signed_as_standard_webhooks_says(receiver):
    secret = set_webhook(url=receiver.url, actor=make_administrator())
    notice = tell(count=3)
    assert queue_digests() == 1
    assert deliver_due() == 1
    [(headers, body)] = receiver.received
    assert is_signed(headers, body, secret.reveal())
    message = json.loads(body)
    assert message["type"] == "notices.digest"
    [line] = message["data"]["notices"]
    assert (line["id"], line["kind"]) == (str(notice.pk), "review_due")
    assert line["url"].endswith("/reviews/")


def test_the_signature_is_that_of_the_specifications_example():
    secret = Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    body = b'{"test": 2432232314}'
    signature = sign_message(secret, message_id="msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp=1614265330, body=body)
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_there_is_one_a_day_and_none_without_news(receiver):
    set_webhook(url=receiver.url, actor=make_administrator())
    tell()
    queue_digests()
    tell("sweep_overdue", "some.task")
    assert queue_digests() == 0
    deliver_due()
    tomorrow()
    assert queue_digests() == 1
    deliver_due()
    tomorrow()
    assert queue_digests() == 0
    assert len(receiver.received) == 2


def test_a_refused_one_is_tried_again_under_the_same_id(receiver):
    receiver.status = 500
    set_webhook(url=receiver.url, actor=make_administrator())
    tell()
    queue_digests()
    assert deliver_due() == 0
    delivery = DigestDelivery.objects.get()
    assert (delivery.attempts, delivery.failure) == (1, "http_status 500")
    assert deliver_due() == 0
    receiver.status = 200
    hurry()
    assert deliver_due() == 1
    first, second = receiver.received
    assert first[0]["webhook-id"] == second[0]["webhook-id"]
    assert DigestDelivery.objects.get().due_at is None


def test_what_is_mended_meanwhile_is_not_told(receiver):
    set_webhook(url=receiver.url, actor=make_administrator())
    tell()
    queue_digests()
    Notice.objects.update(closed_at=timezone.now())
    assert deliver_due() == 1
    assert receiver.received == []


def test_tries_grow_apart_and_end():
    now = timezone.now()
    waits = [next_try(attempt, now) - now for attempt in range(1, MOST_ATTEMPTS)]
    assert waits[:3] == [timedelta(minutes=1), timedelta(minutes=2), timedelta(minutes=4)]
    assert max(waits) == timedelta(hours=6)
    assert timedelta(days=1) < sum(waits, timedelta()) < timedelta(days=3)
    assert next_try(MOST_ATTEMPTS, now) is None


def test_what_was_given_up_is_told_the_next_day(receiver):
    set_webhook(url=receiver.url, actor=make_administrator())
    tell()
    queue_digests()
    DigestDelivery.objects.update(due_at=None, day=timezone.localdate() - DAY)
    assert queue_digests() == 1


def test_the_secret_is_sealed_and_another_address_gets_another_one(receiver):
    admin = make_administrator()
    first = set_webhook(url=receiver.url, actor=admin).reveal()
    assert first.encode() not in bytes(DigestWebhook.objects.get().sealed)
    assert set_webhook(url=f"{receiver.url}2", actor=admin).reveal() != first
    assert DigestWebhook.objects.count() == 1
    remove_webhook(actor=admin)
    assert not DigestWebhook.objects.exists()


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "http://169.254.169.254/", "not an address", "https://" + "x" * 3000]
)
def test_an_address_this_console_may_not_call_is_refused(url):
    with pytest.raises(Invalid):
        set_webhook(url=url, actor=make_administrator())
    assert not DigestWebhook.objects.exists()


def test_the_log_tells_where_to_and_not_the_secret_an_address_may_hold():
    set_webhook(url="https://hooks.example.com:8443/services/T0/wonderful?key=pass", actor=make_administrator())
    remove_webhook(actor=make_administrator("second"))

    told = [(event.target_name, event.before, event.after) for event in AdminEvent.objects.order_by("sequence")]

    origin = "https://hooks.example.com:8443"
    assert told == [(origin, {}, {"url": origin}), (origin, {"url": origin}, {})]
