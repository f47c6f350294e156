"""Verify & export, and the switch that keeps what a connector's calls say."""

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from connectors.audit.checks import check_chain, run_due_check
from connectors.audit.models import AdminEvent, ChainCheck
from connectors.audit.recording import record_admin_event
from connectors.console.chain_words import FINDINGS
from tests.builders.connectors import make_connector
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_administrator, make_auditor

pytestmark = pytest.mark.django_db


def record(number):
    with transaction.atomic():
        return record_admin_event(
            actor=None, act="grant_set", target_kind="grant", target_id=number, target_name=f"Robot {number}"
        )


def read(client):
    return client.get(reverse("console:verify")).content.decode()


def test_a_whole_chain_is_told_with_its_number_of_events(client, auditor):
    for number in range(3):
        record(number)
    check_chain()

    assert "The chain is whole" in read(client)
    assert "3 events are as they were written" in read(client)


def test_what_was_altered_is_named_and_linked(client, auditor):
    events = [record(number) for number in range(3)]
    AdminEvent.objects.filter(pk=events[1].pk).update(target_name="Somebody else")
    check_chain()
    page = read(client)

    assert str(FINDINGS["altered"].what) in page
    assert reverse("console:event", args=[events[1].pk]) in page
    assert "Number 2 in the chain." in page
    assert "The chain is whole" not in page


def test_asking_for_a_verification_leaves_it_to_the_worker_and_shows_how_far_it_is(client, auditor):
    record(1)
    assert client.post(reverse("console:verify_run")).url == reverse("console:verify")
    assert client.post(reverse("console:verify_run")).status_code == 302
    waiting = read(client)
    ChainCheck.objects.update(checked=1000, total=4000)
    running = read(client)

    assert "Waiting for the worker" in waiting
    assert "1,000 of 4,000 events" in running
    assert AdminEvent.objects.filter(act="chain_check_requested").count() == 1
    ChainCheck.objects.update(checked=0, total=0)
    run_due_check()
    assert "The chain is whole" in read(client)
    assert ChainCheck.objects.count() == 1


def test_the_signed_head_is_a_file_to_keep_elsewhere(client, auditor):
    assert client.get(reverse("console:verify_head")).status_code == 404
    record(1)
    answer = client.get(reverse("console:verify_head"))

    assert answer.json()["sequence"] == 1
    assert "attachment" in answer["Content-Disposition"]


def test_every_fault_a_verification_can_find_has_its_words():
    told = {
        "altered",
        "removed",
        "reordered",
        "truncated",
        "inserted",
        "rewritten",
        "restored",
        "signature",
        "key_missing",
    }

    assert set(FINDINGS) == told


@pytest.mark.parametrize("log", ["calls", "decisions", "events"])
def test_each_log_is_offered_as_a_file_and_taking_it_is_recorded(client, auditor, log):
    make_call(auditor)
    make_decision(auditor)
    record(1)
    url = reverse("console:log_export", args=[log])
    assert f"{url}?format=csv" in read(client)
    answer = client.get(f"{url}?format=jsonl")

    assert b"".join(answer.streaming_content)
    assert AdminEvent.objects.get(act="log_exported").target_id == log


def test_an_export_holds_the_chosen_columns(client, auditor):
    make_call(auditor, trace_id="feed")
    answer = client.get(reverse("console:log_export", args=["calls"]) + "?columns=trace,took&format=csv")

    assert b"".join(answer.streaming_content).decode("utf-8-sig").splitlines()[0] == '"elapsed_us","trace_id"'


@pytest.fixture
def connector(client):
    client.force_login(make_administrator())
    return make_connector("ledger")


def test_content_is_not_kept_until_an_administrator_says_so(client, connector):
    url = reverse("console:connector_calls", args=["ledger"])
    assert connector.capture_days == 0
    assert "Off" in client.get(url).content.decode()
    client.post(reverse("console:connector_capture", args=["ledger"]), {"days": "3"})
    connector.refresh_from_db()

    assert connector.capture_days == 3
    assert AdminEvent.objects.get(act="capture_set").after["capture_days"] == 3


@pytest.mark.parametrize("days", ["", "-1", "9999", "many"])
def test_no_other_time_than_those_offered_is_taken(client, connector, days):
    assert client.post(reverse("console:connector_capture", args=["ledger"]), {"days": days}).status_code == 422
    connector.refresh_from_db()
    assert connector.capture_days == 0


def test_a_connectors_calls_are_its_own(client, connector):
    person = make_auditor()
    make_call(person, connector_key="ledger", upstream_tool="own", at=timezone.now())
    make_call(person, connector_key="other", upstream_tool="foreign")
    page = client.get(reverse("console:connector_calls", args=["ledger"])).content.decode()

    assert ">own</a>" in page
    assert "foreign" not in page
