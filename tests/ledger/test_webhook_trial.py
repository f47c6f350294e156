"""The webhook tried at once, and its secret renewed without a message going amiss."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.audit.models import AdminEvent
from connectors.errors import NotFound
from connectors.ledger.digests import deliver_due, queue_digests
from connectors.ledger.models import DigestDelivery, DigestWebhook, Notice
from connectors.ledger.webhook import set_webhook
from connectors.ledger.webhook_trial import try_webhook
from tests.builders.people import make_administrator
from tests.fakes.webhook_receiver import Receiver, is_signed

pytestmark = pytest.mark.django_db


@pytest.fixture
def receiver():
    with Receiver() as running:
        yield running


@pytest.fixture
def ann():
    return make_administrator("ann")


def test_a_test_is_signed_tells_nothing_and_is_on_record(receiver, ann):
    secret = set_webhook(url=receiver.url, actor=ann).reveal()
    Notice.objects.create(kind="review_due", opened_at=timezone.now())
    trial = try_webhook(actor=ann)
    [(headers, body)] = receiver.received
    assert is_signed(headers, body, secret)
    message = json.loads(body)
    assert (message["type"], message["data"]["notices"]) == ("notices.test", [])
    assert (trial.status, trial.taken) == (204, True)
    event = AdminEvent.objects.latest("sequence")
    assert (event.act, event.after) == ("digest_webhook_tried", {"status": 204})
    assert not DigestDelivery.objects.exists()


@pytest.mark.parametrize("status", [302, 401, 404, 500])
def test_another_answer_is_told_and_no_redirect_is_followed(receiver, ann, status):
    set_webhook(url=receiver.url, actor=ann)
    receiver.status, receiver.headers = status, {"Location": receiver.url + "/elsewhere"}
    trial = try_webhook(actor=ann)
    assert (trial.status, trial.taken) == (status, False)
    assert len(receiver.received) == 1


def test_a_receiver_that_is_not_there_is_told_with_its_stage(ann):
    with Receiver() as ended:
        pass
    set_webhook(url=ended.url, actor=ann)
    trial = try_webhook(actor=ann)
    assert (trial.status, trial.stage) == (None, "tcp")


def test_without_a_webhook_there_is_nothing_to_try(ann):
    with pytest.raises(NotFound):
        try_webhook(actor=ann)


def test_a_new_secret_signs_beside_the_old_one_for_a_day(receiver, ann):
    old = set_webhook(url=receiver.url, actor=ann).reveal()
    new = set_webhook(url=receiver.url, actor=ann).reveal()
    try_webhook(actor=ann)
    DigestWebhook.objects.update(set_at=timezone.now() - timedelta(days=1, minutes=1))
    try_webhook(actor=ann)
    [first, second] = receiver.received
    assert is_signed(*first, old)
    assert is_signed(*first, new)
    assert is_signed(*second, new)
    assert not is_signed(*second, old)


def test_a_third_secret_ends_the_first(receiver, ann):
    first, *_ = (set_webhook(url=receiver.url, actor=ann).reveal() for _ in range(3))
    try_webhook(actor=ann)
    assert not is_signed(*receiver.received[0], first)


def test_another_address_never_sees_a_signature_by_the_old_secret(receiver, ann):
    old = set_webhook(url=f"{receiver.url}/old", actor=ann).reveal()
    set_webhook(url=receiver.url, actor=ann)
    try_webhook(actor=ann)
    assert not is_signed(*receiver.received[0], old)


def test_a_new_secret_sends_no_digest_twice(receiver, ann):
    set_webhook(url=receiver.url, actor=ann)
    Notice.objects.create(kind="review_due", opened_at=timezone.now())
    queue_digests()
    deliver_due()
    set_webhook(url=receiver.url, actor=ann)
    assert queue_digests() == 0


def test_a_digest_that_was_recorded_and_sent_again_is_old_after_five_minutes(receiver, ann):
    secret = set_webhook(url=receiver.url, actor=ann).reveal()
    try_webhook(actor=ann)
    headers, body = receiver.received[0]
    headers["webhook-timestamp"] = str(int(headers["webhook-timestamp"]) - 301)
    assert not is_signed(headers, body, secret)


@pytest.mark.django_db(transaction=True)
def test_a_test_holds_no_transaction_while_it_waits_and_is_on_record_all_the_same(receiver):
    ann = make_administrator("ann")
    set_webhook(url=receiver.url, actor=ann)
    assert try_webhook(actor=ann).taken
    assert AdminEvent.objects.filter(act="digest_webhook_tried").count() == 1
