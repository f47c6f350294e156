"""The ledger's pages: what is written, decided and looked up about a connector."""

import csv
import io
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from connectors.audit.models import AdminEvent
from connectors.catalogue.models import Connector
from connectors.ledger.disposition import Suggestion, decide_disposition
from connectors.ledger.models import Disposition, LedgerEntry, Probe, ProbeDay, ToolChange
from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant
from tests.builders.logs import make_call
from tests.builders.people import make_administrator, make_user

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def boss():
    return make_administrator("boss", display_name="Grace")


@pytest.fixture
def admin(boss):
    client = Client()
    client.force_login(boss)
    return client


@pytest.fixture
def notes(boss):
    connector = make_connector("notes")
    Connector.objects.filter(pk=connector.pk).update(published_at=timezone.now() - 200 * DAY, installed_by=boss)
    return connector


def use(connector, *, ago=DAY, times=1, **fields):
    person = make_user()
    account = make_connection(person, connector)
    agent, _token = make_agent(person)
    make_grant(agent, account)
    fields.setdefault("upstream_tool", "search_notes")
    for _ in range(times):
        make_call(person, agent=agent, connection=account, at=timezone.now() - ago, **fields)
    return person


def text_of(response):
    return " ".join(response.text.split())


def test_the_ledger_tells_of_each_connector_what_it_is_for_when_it_was_used_and_what_shall_become_of_it(admin, notes):
    person = use(notes, times=3)
    use(notes, ago=60 * DAY, outcome="failed")
    page = text_of(admin.get("/ledger/"))
    for told in ("Notes and records.", "Grace", "1 day ago", person.name, "3 / 3 / 4", "Keep", "suggested"):
        assert told in page


def test_a_new_connector_is_not_judged(admin):
    make_connector("fresh")
    assert "Not yet observed" in text_of(admin.get("/ledger/"))


def test_a_withdrawn_connector_is_not_judged_by_its_idleness(admin, notes):
    Connector.objects.filter(pk=notes.pk).update(status="disabled")
    assert "nobody can use it" in text_of(admin.get("/connectors/notes/ledger/"))


@pytest.mark.parametrize(("ahead", "due"), [(-1, True), (0, True), (1, False)])
def test_a_review_date_that_has_come_is_marked(admin, notes, boss, ahead, due):
    decided = decide_disposition(
        connector=notes, verdict="keep", reason="", suggestion=Suggestion("keep", "used_this_week", 1), actor=boss
    )
    Disposition.objects.filter(pk=decided.pk).update(next_review_on=timezone.localdate() + ahead * DAY)
    assert (">due<" in admin.get("/ledger/").text) == due


def test_an_empty_ledger_offers_the_first_act(admin):
    assert 'href="/install/"' in admin.get("/ledger/").text


def test_the_ledger_pages_by_key_and_shows_all_to_print(admin):
    for number in range(27):
        make_connector(f"connector{number:02}")
    first = text_of(admin.get("/ledger/"))
    assert "connector24 " in first
    assert "connector25 " not in first
    second = text_of(admin.get("/ledger/?after=connector24"))
    assert "connector25 " in second
    assert "connector24 " not in second
    whole = text_of(admin.get("/ledger/?all=1"))
    assert "connector00 " in whole
    assert "connector26 " in whole


def test_what_is_written_stands_in_the_ledger(admin, notes):
    make_user("mei", display_name="Mei Chen")
    told = {"revision": 0, "purpose": "读写笔记", "owner": "mei", "source": "https://example.com/notes"}
    assert admin.post("/connectors/notes/ledger/entry/", told).status_code == 302
    page = text_of(admin.get("/ledger/"))
    assert "读写笔记" in page
    assert "Mei Chen" in page
    assert AdminEvent.objects.filter(act="ledger_entry_written", actor_name="Grace").exists()


def test_the_second_writer_is_told_who_was_first_and_keeps_what_was_typed(admin, notes):
    other = Client()
    other.force_login(make_administrator("bob", display_name="Bob"))
    other.post("/connectors/notes/ledger/entry/", {"revision": 0, "purpose": "first", "owner": "", "source": ""})
    refused = admin.post(
        "/connectors/notes/ledger/entry/", {"revision": 0, "purpose": "second", "owner": "", "source": ""}
    )
    page = text_of(refused)
    assert refused.status_code == 422
    assert "Bob changed this entry" in page
    assert "second</textarea>" in page
    assert LedgerEntry.objects.get().purpose == "first"
    assert 'name="revision" value="1"' in page


def test_a_name_that_is_nobodys_is_refused_at_its_field(admin, notes):
    refused = admin.post(
        "/connectors/notes/ledger/entry/", {"revision": 0, "purpose": "", "owner": "nobody", "source": ""}
    )
    assert refused.status_code == 422
    assert "Nobody active has this user name" in text_of(refused)


def test_a_verdict_against_the_suggestion_asks_for_a_reason_and_keeps_the_choice(admin, notes):
    use(notes)
    refused = admin.post("/connectors/notes/ledger/disposition/", {"verdict": "uninstall", "reason": ""})
    assert refused.status_code == 422
    assert "This is not what its use suggests." in text_of(refused)
    assert not Disposition.objects.exists()


def test_deciding_to_uninstall_removes_nothing_and_leads_to_the_removal(admin, notes):
    admin.post("/connectors/notes/ledger/disposition/", {"verdict": "uninstall", "reason": "a rival does it better"})
    page = text_of(admin.get("/connectors/notes/ledger/"))
    assert Connector.objects.filter(key="notes").exists()
    assert 'href="/connectors/notes/remove/"' in page
    assert "a rival does it better" in page


def test_the_checklist_is_answered_and_counted(admin, notes):
    told = {"revision": 0, "note": "fine", "tests": "yes", "documentation": "yes", "changelog": "no"}
    assert admin.post("/connectors/notes/ledger/checklist/", told).status_code == 302
    assert "2 yes · 1 no · 9 not looked at" in text_of(admin.get("/connectors/notes/ledger/"))


def test_the_page_tells_use_tools_and_the_cost_of_the_context_with_its_rule(admin, notes):
    use(notes, times=2)
    use(notes, outcome="failed")
    Probe.objects.create(connector=notes, context_tokens=1234)
    page = text_of(admin.get("/connectors/notes/ledger/"))
    for told in (
        '1 <span class="soft">(33 %)</span>',
        "3 allowed · 1 used within 90 days · 2 not",
        "About 1,234 tokens",
    ):
        assert told in page
    assert "a token for every four ASCII characters" in page
    assert "delete_note" in page


def test_the_page_tells_how_the_endpoint_stands_and_who_is_affected(admin, notes):
    person = use(notes)
    now = timezone.now()
    probe = Probe(connector=notes, outcome="failed", stage="tcp", code="unavailable", failures=9, enabled=True)
    probe.probed_at, probe.failing_since, probe.last_good_at = now, now - 20 * DAY, now - 21 * DAY
    probe.certificate_expires_at = now + 9 * DAY
    probe.save()
    ProbeDay.objects.create(connector=notes, day=now.date(), asked=8, answered=6, up_seconds=3000, down_seconds=1000)
    ToolChange.objects.create(connector=notes, noticed_at=now, added=["comes"], removed=["goes"], redefined=["turns"])
    page = text_of(admin.get("/connectors/notes/ledger/"))
    for told in ("Dead", "3 weeks ago", "75 %", "6 of 8 answered", "in 1 week", "comes", "goes", "turns", person.name):
        assert told in page


def test_a_server_that_asks_for_sign_in_is_said_to_answer(admin, notes):
    Probe.objects.create(connector=notes, outcome="asks_authorization", stage="authorization", probed_at=timezone.now())
    assert "Its endpoint answered, and wants a credential." in text_of(admin.get("/connectors/notes/ledger/"))


def test_asking_can_be_switched_off_and_on_and_both_are_on_record(admin, notes):
    admin.post("/connectors/notes/ledger/probe/", {"act": "off"})
    assert not Probe.objects.get().enabled
    assert "Asking its endpoint is switched off." in text_of(admin.get("/connectors/notes/ledger/"))
    admin.post("/connectors/notes/ledger/probe/", {"act": "on"})
    assert Probe.objects.get().enabled
    assert AdminEvent.objects.filter(act="probes_switched").count() == 2


def test_the_list_sorts_by_what_the_ledger_knows(admin, notes):
    use(notes, times=2)
    busy = make_connector("busy")
    use(busy, times=5)
    page = text_of(admin.get("/connectors/?sort=-calls"))
    assert page.index("/connectors/busy/") < page.index("/connectors/notes/")


def test_the_list_shows_the_columns_that_are_chosen(admin, notes):
    use(notes)
    columns = "&".join(f"columns={name}" for name in ("purpose", "owner", "week", "quarter", "tools", "context"))
    page = text_of(admin.get(f"/connectors/?{columns}"))
    for told in ("Notes and records.", "Grace", "Calls, 7 days", "Calls, 90 days", "1 / 3"):
        assert told in page
    assert 'data-label="Health"' not in page


def test_the_list_tells_who_has_access_how_slow_it_is_and_when_it_is_reviewed(admin, notes, boss):
    use(notes, elapsed_us=2_000_000)
    LedgerEntry.objects.create(connector=notes, source="git.example.com")
    decide_disposition(
        connector=notes, verdict="keep", reason="", suggestion=Suggestion("keep", "used_this_week", 1), actor=boss
    )
    names = ("source", "people", "agents", "p95", "review")
    columns = "&".join(f"columns={name}" for name in names)
    page = text_of(admin.get(f"/connectors/?{columns}"))
    due = Disposition.objects.get().next_review_on.isoformat()
    for told in (
        "git.example.com",
        'label="May see it">2<',
        'label="Agents">1<',
        'label="p95, 30 days">',
        " s</td>",
        due,
    ):
        assert told in page


@pytest.mark.parametrize(
    ("sort", "first"), [("-people", "wide"), ("-agents", "notes"), ("-p95", "notes"), ("review", "notes")]
)
def test_the_list_sorts_by_access_slowness_and_review(admin, notes, boss, sort, first):
    wide = make_connector("wide")
    Connector.objects.filter(pk=notes.pk).update(everyone=False)
    user = use(notes)
    notes.people.add(user)
    decide_disposition(
        connector=notes, verdict="keep", reason="", suggestion=Suggestion("keep", "used_this_week", 1), actor=boss
    )
    page = text_of(admin.get(f"/connectors/?sort={sort}"))
    places = {key: page.index(f"/connectors/{key}/") for key in (notes.key, wide.key)}
    assert min(places, key=places.__getitem__) == first


def test_the_file_has_a_row_a_connector_and_is_an_event(admin, notes):
    use(notes, times=2)
    admin.post("/connectors/notes/ledger/entry/", {"revision": 0, "purpose": "=2+3", "owner": "", "source": "表"})
    response = admin.get("/ledger/csv/")
    content = b"".join(response.streaming_content)
    assert content.startswith(b"\xef\xbb\xbf")
    head, row = csv.reader(io.StringIO(content.decode("utf-8-sig")))
    told = dict(zip(head, row, strict=True))
    assert told["Purpose"] == "'=2+3"
    assert (told["Source"], told["Calls, 90 days"], told["Suggested"]) == ("表", "2", "keep")
    assert AdminEvent.objects.get(act="log_exported").target_name == "ledger"


@pytest.mark.parametrize("path", ["/ledger/", "/health/", "/connectors/?columns=purpose&columns=tools"])
def test_a_page_asks_as_often_for_twelve_connectors_as_for_two(admin, path):
    def count():
        cache.clear()
        with CaptureQueriesContext(connection) as captured:
            assert admin.get(path).status_code == 200
        return len(captured)

    def grow(number):
        for _ in range(number):
            connector = make_connector(everyone=False)
            use(connector)
            Probe.objects.create(connector=connector, outcome="failed", failing_since=timezone.now() - 9 * DAY)

    grow(2)
    admin.get(path)
    few = count()
    grow(10)
    admin.get(path)
    assert count() <= few


def test_health_tells_dead_endpoints_and_whom_they_concern(admin, notes):
    use(notes)
    since = timezone.now() - 20 * DAY
    Probe.objects.create(
        connector=notes,
        outcome="failed",
        failing_since=since,
        probed_at=timezone.now(),
        stage="tcp",
        code="unavailable",
    )
    page = text_of(admin.get("/health/"))
    for told in ("Dead", "1 person, 1 agent", "Background work", "Admin events: kept"):
        assert told in page


def test_the_first_page_names_connectors_that_do_not_answer(admin, notes):
    Probe.objects.create(connector=notes, outcome="failed", failing_since=timezone.now() - DAY)
    page = text_of(admin.get("/"))
    assert "Its endpoint does not answer" in page
    assert "Failing" in page
    assert 'href="/connectors/notes/ledger/"' in page


@pytest.mark.parametrize(("silent", "more"), [(5, False), (6, True)])
def test_the_first_page_names_a_few_and_says_that_there_are_more(admin, silent, more):
    for _ in range(silent):
        Probe.objects.create(connector=make_connector(), outcome="failed", failing_since=timezone.now() - DAY)
    page = text_of(admin.get("/"))
    assert page.count("Its endpoint does not answer") == 5
    assert ("More connectors do not answer" in page) == more
