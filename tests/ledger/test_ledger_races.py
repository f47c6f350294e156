"""Two at once: two reviewers, two starts, two workers. On SQLite transactions queue; on PostgreSQL they meet."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connections
from django.utils import timezone

from connectors.catalogue.models import Connector
from connectors.errors import Conflict
from connectors.ledger.digests import deliver_due, queue_digests
from connectors.ledger.models import DigestDelivery, DigestWebhook, Disposition, Notice, Probe, Review
from connectors.ledger.notices import refresh_notices
from connectors.ledger.probing import probe_due
from connectors.ledger.queries import lines_of
from connectors.ledger.review import answer_line, start_review
from connectors.ledger.rows import ledger_row
from connectors.ledger.webhook import set_webhook
from tests.builders.connectors import make_connector
from tests.builders.people import make_administrator
from tests.fakes.mcp_server import McpServer
from tests.fakes.webhook_receiver import Receiver

pytestmark = pytest.mark.django_db(transaction=True)
TOGETHER = 4


def at_once(act: Callable[[int], object]) -> list[object]:
    """What each of some threads got, or the refusal it met."""
    together = Barrier(TOGETHER)

    def run(number: int) -> object:
        try:
            together.wait(10)
            return act(number)
        except Conflict as refused:
            return refused.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(TOGETHER) as threads:
        return list(threads.map(run, range(TOGETHER)))


@pytest.fixture
def people():
    return [make_administrator(f"admin-{number}") for number in range(TOGETHER)]


def test_of_reviewers_who_answer_one_line_at_once_one_decides_and_the_others_are_told(people):
    connector = Connector.objects.select_related("version").get(pk=make_connector().pk)
    review = start_review(connectors=[connector], names={}, actor=people[0])
    line, row = lines_of(review).get(), ledger_row(connector)

    def answer(number: int) -> object:
        told = {"line": line, "answer": "keep", "reason": "", "expected_revision": 0, "row": row}
        return answer_line(**told, actor=people[number]).answer

    assert sorted(at_once(answer)) == ["keep", *["review_line_decided"] * (TOGETHER - 1)]
    assert Disposition.objects.count() == 1


def test_of_reviews_started_at_once_one_begins(people):
    connectors = list(Connector.objects.select_related("version").filter(pk=make_connector().pk))

    def start(number: int) -> object:
        start_review(connectors=connectors, names={}, actor=people[number])
        return "started"

    assert sorted(at_once(start)) == [*["review_open"] * (TOGETHER - 1), "started"]
    assert Review.objects.count() == 1


def test_workers_that_sweep_at_once_ask_an_endpoint_once():
    with McpServer() as server:
        connector = make_connector(endpoint=server.url)
        Probe.objects.create(connector=connector, due_at=timezone.now())
        assert sorted(at_once(lambda _number: probe_due())) == [0] * (TOGETHER - 1) + [1]
        assert server.hits["tools/list"] == 1


def test_workers_that_look_at_once_open_a_notice_once_and_queue_a_digest_once(people):
    since = timezone.now() - timedelta(days=30)
    Probe.objects.create(connector=make_connector(), outcome="failed", failing_since=since, probed_at=timezone.now())
    set_webhook(url="http://127.0.0.1:8080/", actor=people[0])
    at_once(lambda _number: refresh_notices())
    assert Notice.objects.filter(kind=Notice.Kind.CONNECTOR_DEAD).count() == 1
    assert sorted(at_once(lambda _number: queue_digests())) == [0] * (TOGETHER - 1) + [1]
    assert DigestDelivery.objects.count() == 1


def test_workers_that_deliver_at_once_send_a_digest_once(people):
    with Receiver() as receiver:
        set_webhook(url=receiver.url, actor=people[0])
        Notice.objects.create(kind="review_due", opened_at=timezone.now())
        queue_digests()
        assert sorted(at_once(lambda _number: deliver_due())) == [0] * (TOGETHER - 1) + [1]
        assert len(receiver.received) == 1


def test_of_webhooks_set_at_once_the_last_stands_alone(people):
    def replace(number: int) -> object:
        set_webhook(url=f"https://hooks.example.com/{number}", actor=people[number])
        return "set"

    assert at_once(replace) == ["set"] * TOGETHER
    assert DigestWebhook.objects.count() == 1
