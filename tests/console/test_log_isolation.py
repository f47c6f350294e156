"""A person never sees others' rows: through no filter, saved view, export, tail, count, chart, run or record."""

import uuid

import pytest
from django.urls import reverse
from django.utils import timezone

from connectors.audit.models import AdminEvent, SavedView
from connectors.gateway.models import Run
from tests.builders.connectors import make_agent, make_connection, make_connector
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_administrator, make_auditor, make_user

pytestmark = pytest.mark.django_db
SECRET = "bobs__secret_tool"
MINE = "mine__own_tool"


@pytest.fixture
def ann(client):
    person = make_user("ann")
    make_call(person, tool=MINE)
    make_decision(person, tool=MINE)
    client.force_login(person)
    return person


@pytest.fixture
def bob():
    """Bob's rows, with everything one could filter by."""
    bob = make_user("bob")
    connection = make_connection(bob, make_connector("ledger"), alias="work")
    agent, _token = make_agent(bob, "Robot")
    run = Run.objects.create(agent=agent, person=bob, idle_ends_at=timezone.now())
    fields = {
        "agent": agent,
        "connection": connection,
        "run_id": run.pk,
        "tool": SECRET,
        "trace_id": "bobtrace",
        "approval_id": uuid.uuid4(),
        "effect": "write",
    }
    decision = make_decision(bob, **fields)
    make_decision(bob, allowed=False, **fields)
    return make_call(bob, decision=decision, error_code="rate_limited", outcome="failed", captured=True, **fields)


def queries(bob):
    yield ""
    yield "person=bob&person_ids=1&owner_id=2"
    yield f"run={bob.run_id}"
    yield f"connection={bob.connection_id}"
    yield f"approval={bob.approval_id}"
    yield "trace=bobtrace&text=secret&tool=secret&agent=Robot&alias=work&connector=ledger&effect=write"
    yield f"text=bob&columns=who,person,tool&after={uuid.UUID(int=2**128 - 1)}"
    yield f"before={uuid.UUID(int=0)}"


@pytest.mark.parametrize(
    ("route", "part"),
    [
        *(("my_calls", part) for part in ("", "rows-new", "log-charts", "log-tops")),
        *(("my_decisions", part) for part in ("", "rows-new")),
    ],
)
def test_no_filter_brings_anothers_rows_into_my_log(client, ann, bob, route, part):
    for query in queries(bob):
        headers = {"HX-Target": part} if part else {}
        page = client.get(f"{reverse(f'console:{route}')}?{query}", headers=headers).content.decode()
        assert SECRET not in page, query


def test_anothers_rows_are_not_even_counted(client, ann, bob):
    counted = client.get(reverse("console:my_calls"), headers={"HX-Target": "log-count"})

    assert counted.content == b"1 row"


@pytest.mark.parametrize("log", ["my_calls", "my_decisions"])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_my_export_holds_my_rows_only(client, ann, bob, log, kind):
    for query in queries(bob):
        answer = client.get(f"{reverse('console:log_export', args=[log])}?{query}&format={kind}")
        text = b"".join(answer.streaming_content).decode()
        assert SECRET not in text, query
        assert query or MINE in text


@pytest.mark.parametrize("log", ["calls", "decisions", "events"])
def test_everybodys_log_is_neither_exported_nor_viewed_by_a_person(client, ann, bob, log):
    assert client.get(reverse("console:log_export", args=[log])).status_code == 403
    assert client.post(reverse("console:view_save", args=[log]), {"name": "x"}).status_code == 403
    assert not SavedView.objects.exists()


def test_anothers_run_record_and_content_do_not_exist(client, ann, bob):
    for route, key in (("run", bob.run_id), ("call", bob.pk), ("decision", bob.decision_id)):
        assert client.get(reverse(f"console:{route}", args=[key])).status_code == 404
    assert client.post(reverse("console:call_content", args=[bob.pk])).status_code == 404
    assert not AdminEvent.objects.filter(act="content_viewed").exists()


def test_a_run_whose_row_has_gone_still_shows_only_its_owner(client, ann, bob):
    Run.objects.all().delete()

    assert client.get(reverse("console:run", args=[bob.run_id])).status_code == 404
    client.force_login(make_auditor())
    assert SECRET in client.get(reverse("console:run", args=[bob.run_id])).content.decode()


def test_a_shared_view_of_everybodys_log_is_not_offered_to_who_may_not_read_it(client, ann, bob):
    SavedView.objects.create(owner=make_auditor(), log="calls", name="Everything", shared=True)
    SavedView.objects.create(owner=make_auditor(), log="my_calls", name="Not for Ann")

    page = client.get(reverse("console:my_calls")).content.decode()

    assert "Everything" not in page
    assert "Not for Ann" not in page


def test_an_administrators_own_log_holds_their_own_rows_only(client, bob):
    client.force_login(make_administrator())

    assert SECRET not in client.get(reverse("console:my_calls") + "?person=bob").content.decode()
    assert SECRET in client.get(reverse("console:audit_calls") + "?person=bob").content.decode()
