"""A record's own page: every field in words, the steps with their times, and links to what belongs to it."""

import re
import uuid
from datetime import timedelta

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from connectors.audit.capture import seal_content
from connectors.audit.models import AdminEvent
from connectors.audit.recording import record_admin_event
from connectors.gateway.models import Run
from connectors.vault.secret import Secret
from tests.builders.connectors import make_agent, make_connection, make_connector
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_administrator, make_auditor, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann(client):
    person = make_user("ann", display_name="Ann Miller")
    client.force_login(person)
    return person


def page_of(client, route, key):
    answer = client.get(reverse(f"console:{route}", args=[key]))
    assert answer.status_code == 200
    return answer.content.decode()


def current(page):
    """The entry of the sidebar that is marked."""
    return re.search(r'data-go="(.)"\s+aria-current="page"', page)[1]


def test_a_call_shows_what_took_how_long(client, ann):
    call = make_call(ann, elapsed_us=500_000, queue_us=9_000, refresh_us=180_000, connect_us=23_000)
    page = page_of(client, "call", call.pk)
    steps = (
        "Received",
        "Waited for a free place",
        "Renewed the credential",
        "Connected",
        "Sent to the service",
        "Answered",
    )

    order = [page.index(f"<strong>{step}</strong>") for step in steps]
    assert order == sorted(order)
    for took in ("9 ms", "180 ms", "23 ms", "250 ms"):
        assert f'<strong class="took">{took}</strong>' in page
    assert page.count('class="step-part"') == len(steps)


@pytest.mark.parametrize(
    ("outcome", "code", "ending"),
    [("tool_error", "", "Answered"), ("failed", "cancelled", "Ended"), ("unknown", "outcome_unknown", "Ended")],
)
def test_a_call_without_an_answer_is_not_said_to_have_had_one(client, ann, outcome, code, ending):
    page = page_of(client, "call", make_call(ann, outcome=outcome, error_code=code).pk)
    assert re.findall(r"<strong>(Answered|Ended)</strong>", page) == [ending]


def test_times_are_told_to_the_microsecond_with_their_zone(client, ann):
    ann.time_zone = "Asia/Shanghai"
    ann.save()
    at = timezone.now().replace(year=2026, month=3, day=1, hour=1, minute=2, second=3, microsecond=456789)

    assert "2026-03-01 09:02:03.456789 CST (UTC+08:00)" in page_of(client, "call", make_call(ann, at=at).pk)


def test_what_belongs_together_links_to_each_other(client, ann):
    connection = make_connection(ann, make_connector("ledger"))
    agent, _token = make_agent(ann)
    run = Run.objects.create(agent=agent, person=ann, idle_ends_at=timezone.now())
    approval = uuid.uuid4()
    shared = {"agent": agent, "connection": connection, "run_id": run.pk, "approval_id": approval, "trace_id": "feed"}
    decision = make_decision(ann, **shared)
    call = make_call(ann, decision=decision, **shared)
    calls = reverse("console:my_calls")
    around = (
        reverse("console:run", args=[run.pk]),
        reverse("console:connection", args=[connection.pk]),
        f"{calls}?approval={approval}",
        f"{calls}?trace=feed",
        reverse("console:catalogue_connector", args=["ledger"]),
    )

    of_call, of_decision = page_of(client, "call", call.pk), page_of(client, "decision", decision.pk)
    assert [url for url in (*around, reverse("console:decision", args=[decision.pk])) if url not in of_call] == []
    assert [url for url in (*around, reverse("console:call", args=[call.pk])) if url not in of_decision] == []


def test_an_auditor_is_led_to_the_calls_through_anothers_connection(client, ann):
    connection = make_connection(ann, make_connector("ledger"))
    call = make_call(ann, connection=connection)
    client.force_login(make_auditor())
    page = page_of(client, "call", call.pk)

    assert f"{reverse('console:audit_calls')}?connection={connection.pk}" in page
    assert reverse("console:connection", args=[connection.pk]) not in page


def test_the_sidebar_marks_where_the_record_belongs(client):
    admin, other = make_administrator(), make_user()
    client.force_login(admin)

    assert current(page_of(client, "decision", make_decision(admin).pk)) == "l"
    assert current(page_of(client, "decision", make_decision(other).pk)) == "d"
    assert current(page_of(client, "call", make_call(admin).pk)) == "l"
    assert current(page_of(client, "call", make_call(other).pk)) == "o"


def test_a_run_tells_its_decisions_and_calls_in_order(client, ann):
    agent, _token = make_agent(ann, "Robot")
    run = Run.objects.create(agent=agent, person=ann, idle_ends_at=timezone.now())
    start = timezone.now()
    make_call(ann, tool="other__run")
    first = make_decision(ann, agent=agent, run_id=run.pk, tool="first", at=start)
    make_call(ann, agent=agent, run_id=run.pk, tool="first", decision=first, at=start, outcome="failed")
    make_decision(ann, agent=agent, run_id=run.pk, tool="second", allowed=False, at=start + timedelta(seconds=1))
    page = page_of(client, "run", run.pk)

    assert re.findall(r'class="row-link mono"\s+href="[^"]+">([^<]+)<', page) == ["first", "second"]
    assert "A run of Robot" in page
    assert "The agent was granted nothing of this connection." in page
    assert re.findall(r"<dd>\s*(\d+)\s*</dd>", page) == ["2", "1", "1"]


def test_a_run_without_rows_says_so_and_one_that_is_none_does_not_exist(client, ann):
    agent, _token = make_agent(ann)
    run = Run.objects.create(agent=agent, person=ann, idle_ends_at=timezone.now())

    assert "Nothing was asked for yet" in page_of(client, "run", run.pk)
    assert client.get(reverse("console:run", args=[uuid.uuid4()])).status_code == 404


def test_an_administrative_event_tells_its_place_in_the_chain_and_each_nested_change(client):
    auditor = make_auditor()
    client.force_login(auditor)
    with transaction.atomic():
        event = record_admin_event(
            actor=auditor,
            act="configuration_saved",
            target_kind="connector",
            target_id="1",
            target_name="Ledger",
            before={"configuration": {"endpoint": "https://old.example", "same": 1}},
            after={"configuration": {"endpoint": "https://new.example", "same": 1}},
        )
    page = page_of(client, "event", event.pk)

    assert "Configuration · endpoint" in page
    assert "<del>https://old.example</del>" in page
    assert "same" not in page
    assert event.hash in page
    assert "Number in the chain" in page


@pytest.fixture
def kept(ann):
    call = make_call(ann, captured=True)
    seal_content(
        call_id=call.pk,
        connector_key="ledger",
        days=1,
        arguments=b'{"city":"Ulm","key":"sk-canary-1234567890"}',
        result=b"not json",
        secrets=[Secret("sk-canary-1234567890")],
    ).save()
    return call


def test_a_digest_an_event_names_is_short_in_the_list_and_whole_on_its_own_page(client):
    digest = "0123456789abcdef" * 4
    client.force_login(make_auditor())
    with transaction.atomic():
        event = record_admin_event(
            actor=make_administrator(),
            act="connector_installed",
            target_kind="connector",
            target_id="1",
            target_name="Desk",
            before={},
            after={"archive_sha256": digest, "secrets": {}},
        )

    listed = client.get(reverse("console:admin_events")).content.decode()

    assert f'<code title="{digest}">{digest[:12]}…</code>' in listed
    assert "<ins>{}</ins>" not in listed
    assert f"<ins>{digest}</ins>" in page_of(client, "event", event.pk)


def test_kept_content_shows_only_once_asked_for_and_reading_it_leaves_an_event(client, kept):
    client.force_login(auditor := make_auditor())
    page = page_of(client, "call", kept.pk)
    assert "Ulm" not in page
    assert not AdminEvent.objects.exists()
    opened = client.post(reverse("console:call_content", args=[kept.pk])).content.decode()

    assert "&quot;city&quot;: &quot;Ulm&quot;" in opened
    assert "not json" in opened
    assert "canary" not in opened
    event = AdminEvent.objects.get(act="content_viewed")
    assert (event.actor_id, event.target_id) == (auditor.pk, str(kept.pk))


def test_content_that_has_gone_says_so(client, ann):
    call = make_call(ann, captured=True)

    assert "has gone since" in page_of(client, "call", call.pk)
    assert "has gone since" in client.post(reverse("console:call_content", args=[call.pk])).content.decode()
    assert "What was said" not in page_of(client, "call", make_call(ann).pk)
