"""The logs: filters live in the URL, pages go by key, rows link to what they led to, denials say what to do."""

import re
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from connectors.audit.recording import record_admin_event
from connectors.console.denials import RULES
from connectors.gateway.models import Invocation, Run
from connectors.policy.decision import RULES as DECIDED
from tests.builders.connectors import make_agent, make_connection, make_connector
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann(client):
    person = make_user("ann", display_name="Ann Miller")
    client.force_login(person)
    return person


def tools(client, route, **query):
    """The tools of the rows on a page, in order."""
    page = client.get(reverse(f"console:{route}"), query).content.decode()
    return re.findall(r'<a class="mono"[^>]*>([^<]+)</a>', page)


def test_every_rule_of_the_decision_has_its_words():
    assert set(RULES) == set(DECIDED)


def test_every_denial_says_how_to_get_allowed():
    for rule, allows in DECIDED.items():
        assert bool(RULES[rule].mend) is not allows, rule


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"outcome": "failed"}, ["b"]),
        ({"tool": "B"}, ["b"]),
        ({"connector": "ledger"}, ["b"]),
        ({"agent": "robot"}, ["b"]),
        ({"person": "ann miller"}, ["b"]),
        ({"person": "ann"}, ["b"]),
        ({"person": "nobody"}, []),
        ({"outcome": "failed", "connector": "other"}, []),
        ({"outcome": "nonsense"}, ["b", "a"]),
    ],
)
def test_a_filter_in_the_url_narrows_the_calls(client, auditor, query, expected):
    ann = make_user("ann", display_name="Ann Miller")
    connection = make_connection(ann, make_connector("ledger"))
    agent, _token = make_agent(ann, "Robot")
    make_call(make_user(), tool="a", at=timezone.now() - timedelta(seconds=1))
    make_call(ann, tool="b", outcome="failed", agent=agent, connection=connection)

    assert tools(client, "audit_calls", **query) == expected


@pytest.mark.parametrize(
    ("query", "expected"), [({"allowed": "no"}, ["b"]), ({"rule": "granted"}, ["a"]), ({}, ["b", "a"])]
)
def test_decisions_are_narrowed_by_answer_and_rule(client, ann, query, expected):
    make_decision(ann, tool="a", at=timezone.now() - timedelta(seconds=1))
    make_decision(ann, tool="b", allowed=False)

    assert tools(client, "my_decisions", **query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"range": "1h"}, ["now"]),
        ({"range": "7d"}, ["now", "yesterday"]),
        ({"range": "custom", "since": "2026-03-01T00:00", "until": "2026-03-02T00:00"}, ["march"]),
    ],
)
def test_a_time_range_narrows_the_calls(client, ann, query, expected):
    now = timezone.now()
    march = datetime(2026, 3, 1, 12, tzinfo=UTC)
    for name, at in (("march", march), ("yesterday", now - timedelta(days=1)), ("now", now)):
        make_call(ann, tool=name, at=at)

    assert tools(client, "my_calls", **query) == expected


def test_a_range_is_read_in_the_persons_own_zone(client, ann):
    ann.time_zone = "Asia/Shanghai"
    ann.save()
    make_call(ann, tool="early", at=datetime(2026, 3, 1, 16, 30, tzinfo=UTC))

    assert tools(client, "my_calls", range="custom", since="2026-03-02T00:00", until="2026-03-02T01:00") == ["early"]


def test_pages_go_by_key_there_and_back(client, ann):
    start = timezone.now() - timedelta(hours=1)
    for number in range(120):
        make_call(ann, tool=f"t{number:03}", at=start + timedelta(seconds=number))

    first = client.get(reverse("console:my_calls"))
    older = re.search(r'rel="next"\s+href="([^"]+)"', first.content.decode())[1].replace("&amp;", "&")
    second = client.get(reverse("console:my_calls") + older)
    newer = re.search(r'rel="prev"\s+href="([^"]+)"', second.content.decode())[1].replace("&amp;", "&")
    again = client.get(reverse("console:my_calls") + newer)

    shown = [re.findall(r">(t\d{3})<", page.content.decode()) for page in (first, second, again)]
    assert shown[0] == [f"t{number:03}" for number in range(119, 69, -1)]
    assert shown[1] == [f"t{number:03}" for number in range(69, 19, -1)]
    assert shown[2] == shown[0]


def test_paging_keeps_the_filters(client, ann):
    for _ in range(51):
        make_call(ann, tool="t")

    page = client.get(reverse("console:my_calls"), {"outcome": "succeeded"}).content.decode()

    assert re.search(r'rel="next"\s+href="\?outcome=succeeded&amp;after=', page)


def test_a_page_key_that_is_none_shows_the_newest(client, ann):
    make_call(ann, tool="t")

    assert tools(client, "my_calls", after="' OR 1=1") == ["t"]


def test_no_match_offers_to_clear_and_first_use_says_what_comes(client, ann):
    url = reverse("console:my_calls")

    assert "Clear filters" in client.get(url, {"outcome": "failed"}).content.decode()
    assert "No calls yet" in client.get(url).content.decode()


def test_a_call_shows_its_timeline_and_links_on(client, ann):
    connection = make_connection(ann, make_connector("ledger"))
    agent, _token = make_agent(ann)
    run = Run.objects.create(agent=agent, person=ann, idle_ends_at=timezone.now())
    at = timezone.now()
    decision = make_decision(ann, agent=agent, connection=connection, at=at + timedelta(milliseconds=1))
    call = make_call(
        ann, agent=agent, connection=connection, decision=decision, at=at, run_id=run.pk, server_address="192.0.2.9:443"
    )

    page = client.get(reverse("console:call", args=[call.pk])).content.decode()

    order = [
        page.index(f"<strong>{step}</strong>") for step in ("Received", "Decided", "Sent to the service", "Answered")
    ]
    assert order == sorted(order)
    for shown in ("192.0.2.7", "192.0.2.9:443", "128 B", "2 KiB", "42 ms"):
        assert shown in page
    for url in (
        reverse("console:decision", args=[decision.pk]),
        reverse("console:connection", args=[connection.pk]),
        reverse("console:agent", args=[agent.pk]),
        reverse("console:run", args=[run.pk]),
    ):
        assert url in page


def test_a_write_was_sent_when_its_invocation_says(client, ann):
    agent, _token = make_agent(ann)
    at = timezone.now()
    invocation = Invocation.objects.create(
        agent=agent,
        invocation_id=uuid.uuid4(),
        connection_id=uuid.uuid4(),
        tool="t",
        arguments_digest="",
        sent_at=at + timedelta(milliseconds=3),
    )
    call = make_call(ann, agent=agent, at=at, invocation_id=invocation.invocation_id)

    assert "+3 ms" in client.get(reverse("console:call", args=[call.pk])).content.decode()


def test_an_unknown_outcome_says_to_look_before_repeating(client, ann):
    call = make_call(ann, outcome="unknown")

    assert "before you repeat it" in client.get(reverse("console:call", args=[call.pk])).content.decode()


def test_a_decision_links_to_its_call(client, ann):
    decision = make_decision(ann)
    call = make_call(ann, decision=decision)

    page = client.get(reverse("console:decision", args=[decision.pk])).content.decode()

    assert reverse("console:call", args=[call.pk]) in page


def test_a_missing_grant_leads_its_owner_to_the_grant(client, ann):
    connection = make_connection(ann, make_connector())
    agent, _token = make_agent(ann)
    decision = make_decision(ann, agent=agent, connection=connection, allowed=False)

    page = client.get(reverse("console:decision", args=[decision.pk])).content.decode()

    assert "grant_missing" in page
    assert reverse("console:grant", args=[agent.pk, connection.pk]) in page


def test_an_auditor_reads_how_to_get_allowed_without_a_link_that_is_not_theirs(client, auditor):
    ann = make_user()
    connection = make_connection(ann, make_connector())
    agent, _token = make_agent(ann)
    decision = make_decision(ann, agent=agent, connection=connection, allowed=False)

    page = client.get(reverse("console:decision", args=[decision.pk])).content.decode()

    assert "Grant the agent this connection." in page
    assert reverse("console:grant", args=[agent.pk, connection.pk]) not in page


def test_a_rule_nobody_knows_is_shown_by_its_name(client, ann):
    decision = make_decision(ann, allowed=False, rule="from_the_future")

    assert "from_the_future" in client.get(reverse("console:decision", args=[decision.pk])).content.decode()


def test_admin_events_say_what_changed(client, auditor):
    with transaction.atomic():
        record_admin_event(
            actor=auditor,
            act="grant_set",
            target_kind="grant",
            target_id="1",
            target_name="Robot · ledger",
            before={"access": "read_only", "breadth": "all"},
            after={"access": "read_write", "breadth": "all"},
        )

    page = client.get(reverse("console:admin_events"), {"act": "grant_set"}).content.decode()

    assert "Grant set" in page
    assert "<del>read_only</del>" in page
    assert "Breadth" not in page


def test_times_carry_their_absolute_form_and_zone(client, ann):
    ann.time_zone = "Europe/Berlin"
    ann.save()
    at = datetime(2026, 3, 29, 1, 15, tzinfo=UTC)
    make_call(ann, at=at)

    assert "2026-03-29 03:15:00 CEST (UTC+02:00)" in client.get(reverse("console:my_calls")).content.decode()


def test_a_call_was_received_before_it_was_decided_whatever_the_clocks_say(client, ann):
    at = timezone.now()
    decision = make_decision(ann, at=at)
    call = make_call(ann, decision=decision, at=at + timedelta(milliseconds=1))

    page = client.get(reverse("console:call", args=[call.pk])).content.decode()

    assert page.index("<strong>Received</strong>") < page.index("<strong>Decided</strong>")
