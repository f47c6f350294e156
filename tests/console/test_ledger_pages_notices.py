"""The pages of notices and of unused access."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from connectors.audit.models import AdminEvent
from connectors.ledger.models import DigestWebhook, LedgerEntry, Notice, NoticeReader
from connectors.policy.models import Grant
from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant
from tests.builders.logs import make_call
from tests.builders.people import make_administrator, make_user
from tests.fakes.webhook_receiver import Receiver

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_bell():
    cache.clear()


def signed_in(person):
    client = Client()
    client.force_login(person)
    return client


@pytest.fixture
def admin():
    return signed_in(make_administrator("boss", email="boss@example.com"))


@pytest.fixture
def mei():
    return make_user("mei")


def text_of(response):
    return " ".join(response.text.split())


def tell(kind="review_due", **fields):
    fields.setdefault("parameters", {"count": 2})
    return Notice.objects.create(kind=kind, opened_at=timezone.now(), **fields)


def idle_grant(person, connector=None):
    agent, _token = make_agent(person)
    account = make_connection(person, connector or make_connector())
    grant = make_grant(agent, account)
    Grant.objects.filter(pk=grant.pk).update(granted_at=timezone.now() - timedelta(days=60))
    return agent, account


def test_the_bell_counts_what_is_new_and_is_silent_once_it_was_looked_at(admin):
    tell()
    assert '<span class="bell-count" aria-hidden="true">1</span>' in admin.get("/").text
    page = text_of(admin.get("/notices/"))
    assert "A review is due" in page
    assert ">New<" in page
    assert "bell-count" not in admin.get("/").text
    assert ">New<" not in text_of(admin.get("/notices/"))


def test_the_page_asks_as_often_for_twelve_notices_as_for_two(admin):
    def grow(number):
        for _ in range(number):
            connector = make_connector()
            tell("connector_dead", subject=connector.key, connector=connector, parameters={})

    def count():
        cache.clear()
        admin.get("/notices/")
        with CaptureQueriesContext(connection) as captured:
            assert admin.get("/notices/").status_code == 200
        return len(captured)

    grow(2)
    few = count()
    grow(10)
    assert count() <= few


def test_a_quiet_page_says_so(mei):
    assert "Nothing needs you" in text_of(signed_in(mei).get("/notices/"))


def test_people_see_what_concerns_them_alone(mei):
    tell()
    dead = make_connector("dead")
    make_connection(mei, dead)
    tell("connector_dead", subject="dead", connector=dead, parameters={"since": timezone.now().isoformat()})
    page = text_of(signed_in(mei).get("/notices/"))
    assert "is dead" in page
    assert "A review is due" not in page
    assert "A digest by webhook" not in page


def test_accounts_that_need_their_owner_stand_there_too(mei):
    make_connection(mei, make_connector(), state="reauthorization_required")
    assert "Accounts of yours need you" in text_of(signed_in(mei).get("/notices/"))


def test_the_digest_by_mail_is_chosen_where_there_is_a_mail_server(admin, settings):
    assert "Not offered" in text_of(admin.get("/notices/"))
    settings.MAIL_FROM = "poco@example.com"
    assert "Send me a digest" in text_of(admin.get("/notices/"))
    admin.post("/notices/mail/", {"wants": "yes"})
    assert NoticeReader.objects.get().wants_mail
    assert "Stop the digest" in text_of(admin.get("/notices/"))


def test_the_webhooks_secret_is_shown_once(admin):
    page = admin.post("/notices/webhook/", {"url": "http://127.0.0.1:8080/hook"})
    secret = re.search(r"whsec_[A-Za-z0-9+/=]{40,}", page.text).group()
    assert page.headers["Cache-Control"].startswith("max-age=0")
    assert secret not in admin.get("/notices/").text
    admin.post("/notices/webhook/remove/")
    assert not DigestWebhook.objects.exists()


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (204, "The receiver took the test: 204 in"),
        (301, "Redirects are not followed."),
        (403, "See that it checks the signature"),
        (404, "Check the path"),
        (500, "Its own log says why."),
    ],
)
def test_a_test_of_the_webhook_says_what_came_back_and_what_to_mend(admin, status, told):
    with Receiver() as receiver:
        receiver.status = status
        admin.post("/notices/webhook/", {"url": receiver.url})
        assert told in text_of(admin.post("/notices/webhook/test/", follow=True))


def test_a_test_that_does_not_get_through_names_the_stage(admin):
    with Receiver() as ended:
        pass
    admin.post("/notices/webhook/", {"url": ended.url})
    page = text_of(admin.post("/notices/webhook/test/", follow=True))
    assert "The server did not take the connection." in page


def test_a_test_without_a_webhook_says_so(admin):
    assert "No webhook is set." in text_of(admin.post("/notices/webhook/test/", follow=True))


def test_notices_lead_their_reader_to_pages_that_open(admin, mei):
    seen = make_connector("seen")
    mine = make_connector("mine", everyone=False)
    LedgerEntry.objects.create(connector=mine, owner=mei)
    make_connection(mei, seen)
    tell("connector_dead", subject="seen", connector=seen, parameters={})
    tell("connector_dead", subject="mine", connector=mine, parameters={})
    for client in (admin, signed_in(mei)):
        listed = client.get("/notices/").text.split('class="notice-list"')[1].split("</ul>")[0]
        links = re.findall(r'<a href="(/[^"]+)">', listed)
        assert len(links) == (2 if client is admin else 1)
        assert {client.get(link).status_code for link in links} == {200}


def test_the_worst_stands_first(admin):
    connector = make_connector("notes")
    tell("connector_dead", subject="notes", connector=connector, parameters={})
    tell()
    page = text_of(admin.get("/notices/"))
    assert page.index("is dead") < page.index("A review is due")


def test_an_address_that_may_not_be_called_is_refused_at_its_field(admin):
    refused = admin.post("/notices/webhook/", {"url": "http://169.254.169.254/latest"})
    assert refused.status_code == 422
    assert "not an address this console may call" in text_of(refused)


def test_unused_access_shows_first_what_would_change_and_takes_it_back_in_one_act(mei):
    client = signed_in(mei)
    idle_grant(mei)
    agent, account = idle_grant(mei)
    make_call(mei, agent=agent, connection=account, upstream_tool="search_notes")
    page = text_of(client.get("/connections/unused/"))
    assert "Everything is taken back" in page
    assert "Keeps: <code>search_notes</code>" in page
    chosen = re.findall(r'name="chosen" value="([0-9a-f]{64})"', page)
    done = text_of(client.post("/connections/unused/", {"chosen": chosen}, follow=True))
    assert "2 grants were narrowed." in done
    assert "Nothing to take back" in done
    assert Grant.objects.get().tools == ["search_notes"]


def test_what_was_taken_back_is_listed_once_with_the_way_to_grant_it_again(mei):
    client = signed_in(mei)
    agent, account = idle_grant(mei)
    page = text_of(client.get("/connections/unused/"))
    chosen = re.findall(r'name="chosen" value="([0-9a-f]{64})"', page)
    done = text_of(client.post("/connections/unused/", {"chosen": chosen}, follow=True))
    assert f"<strong>{agent.name}</strong>" in done
    assert "<code>search_notes</code>, <code>add_note</code>, <code>delete_note</code>" in done
    assert client.get(f"/agents/{agent.pk}/grants/{account.pk}/").status_code == 200
    assert f'href="/agents/{agent.pk}/grants/{account.pk}/"' in done
    assert "Taken back just now" not in client.get("/connections/unused/").text


def test_what_has_changed_since_is_not_done_and_nothing_chosen_does_nothing(mei):
    client = signed_in(mei)
    idle_grant(mei)
    assert "has changed since the page" in text_of(
        client.post("/connections/unused/", {"chosen": "0" * 64}, follow=True)
    )
    assert "Nothing was chosen" in text_of(client.post("/connections/unused/", follow=True))
    assert Grant.objects.get().breadth == "all"


def test_an_administrator_asks_the_owners_and_cannot_do_it_for_them(admin, mei):
    connector = make_connector("notes")
    idle_grant(mei, connector)
    admin.post("/connectors/notes/ledger/ask/")
    page = text_of(signed_in(mei).get("/notices/"))
    assert "your agents may use more than they do" in page
    assert 'href="/connections/unused/"' in page
    assert "your agents may use more" not in text_of(admin.get("/notices/"))
    assert Grant.objects.get().breadth == "all"


def test_my_connections_tell_calls_and_unused_tools(mei):
    agent, account = idle_grant(mei)
    make_call(mei, agent=agent, connection=account, upstream_tool="search_notes", outcome="failed")
    page = text_of(signed_in(mei).get("/connections/"))
    assert "2 / 3" in page
    assert "1 / 1 / 1" in page
    assert "100 %" in page


def test_my_connections_are_a_file_too_and_hold_nobody_elses(mei):
    agent, account = idle_grant(mei, make_connector("notes"))
    idle_grant(make_user(), make_connector("other"))
    make_call(mei, agent=agent, connection=account, upstream_tool="search_notes")
    body = b"".join(signed_in(mei).get("/connections/csv/").streaming_content).decode("utf-8-sig")
    [row] = csv.DictReader(io.StringIO(body))
    told = ("Key", "Calls, 90 days", "Errors, 90 days", "Agents", "Tools allowed", "Tools used", "Tools never used")
    assert [row[name] for name in told] == ["notes", "1", "0", "1", "3", "1", "2"]
    assert AdminEvent.objects.latest("sequence").target_name == "connections"
