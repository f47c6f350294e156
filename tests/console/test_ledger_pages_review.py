"""The review's pages: a walk that works by buttons alone, for several reviewers, with a report."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from connectors.catalogue.models import Connector
from connectors.ledger.models import Disposition, LedgerEntry, Review, ReviewLine
from tests.builders.connectors import make_connector
from tests.builders.people import make_administrator

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    client = Client()
    client.force_login(make_administrator("boss", display_name="Grace"))
    return client


@pytest.fixture
def walk(admin):
    """The address of a review of three connectors, one of them idle for long."""
    for key in ("one", "three", "two"):
        make_connector(key, texts={"en": {"name": key.title(), "description": "", "endpoint": "", "token": ""}})
    Connector.objects.filter(key="two").update(published_at=timezone.now() - timedelta(days=120))
    return admin.post("/reviews/", {"scope": "all"}).url


def text_of(response):
    return " ".join(response.text.split())


def step(admin, walk):
    return admin.get(walk, follow=True).redirect_chain[-1][0]


def say(client, address, answer, reason="", revision=None):
    if revision is None:
        revision = re.search(r'name="revision" value="(\d+)"', client.get(address).text).group(1)
    return client.post(address, {"answer": answer, "reason": reason, "revision": revision})


def test_the_walk_begins_at_the_first_connector_and_goes_on_to_the_next(admin, walk):
    first = step(admin, walk)
    assert first.endswith("/1/")
    assert say(admin, first, "keep").url.endswith("/2/?after=1")


def test_it_can_be_left_and_gone_on_with(admin, walk):
    say(admin, step(admin, walk), "keep")
    assert step(admin, walk).endswith("/2/")
    assert "Go on with the review" in text_of(admin.get("/ledger/"))


def test_each_step_offers_buttons_and_says_what_is_suggested_and_why(admin, walk):
    page = text_of(admin.get(f"{walk}3/"))
    assert page.count('name="answer"') == 4
    assert "Its use suggests: Uninstall" in page
    assert "Idle for 120 days." in page
    assert re.search(r'value="uninstall" class="button button-primary"', page)


def test_a_reason_is_asked_for_and_the_answer_it_was_for_is_sent_by_enter(admin, walk):
    refused = say(admin, f"{walk}3/", "keep")
    page = text_of(refused)
    assert refused.status_code == 422
    assert "This is not what its use suggests." in page
    assert page.index('value="keep" class="visually-hidden"') < page.index("data-key")
    assert say(admin, f"{walk}3/", "keep", "it is seasonal").status_code == 302


def test_enter_sends_nothing_before_an_answer_was_chosen(admin, walk):
    page = text_of(admin.get(f"{walk}1/"))
    assert page.index('<button type="submit" disabled hidden>') < page.index('name="answer"')


def test_back_leads_to_the_one_before(admin, walk):
    page = text_of(admin.get(f"{walk}2/"))
    assert f'href="{walk}1/" data-key="ArrowLeft"' in page


def test_one_key_leads_back_to_what_was_answered_just_before_wherever_the_walk_went_on(admin, walk):
    say(admin, f"{walk}2/", "keep")
    then = say(admin, f"{walk}1/", "observe", "not needed").url
    assert then.endswith("/3/?after=1")
    page = text_of(admin.get(then))
    assert f'href="{walk}1/" data-key="z"' in page
    assert "One: Observe" in page
    last = say(admin, f"{walk}3/", "uninstall").url
    assert f'href="{walk}3/" data-key="z"' in text_of(admin.get(last))
    assert say(admin, f"{walk}3/", "observe", "no").status_code == 302
    assert Disposition.objects.get(connector__key="two", superseded_at=None).verdict == "observe"


@pytest.mark.parametrize("after", ["", "9", "x", "3" * 5000, "2"])
def test_an_address_that_names_no_answered_line_offers_no_way_back(admin, walk, after):
    page = admin.get(f"{walk}1/", {"after": after})
    assert page.status_code == 200
    assert 'data-key="z"' not in page.text


def test_the_report_leads_back_to_each_answer_while_the_review_is_open(admin, walk):
    say(admin, f"{walk}1/", "keep")
    assert f'href="{walk}1/"' in admin.get(f"{walk}report/").text
    admin.post(f"{walk}finish/")
    assert f'href="{walk}1/"' not in admin.get(f"{walk}report/").text


def test_the_note_to_the_checklist_is_shown_to_the_reviewer(admin, walk):
    connector = Connector.objects.get(key="one")
    LedgerEntry.objects.create(connector=connector, checklist={"tests": "no"}, checklist_note="last commit in spring")
    page = text_of(admin.get(f"{walk}1/"))
    assert "last commit in spring" in page
    assert "No: Tests" in page


def test_the_second_of_two_reviewers_sees_the_firsts_answer_and_may_change_it(admin, walk):
    bob = Client()
    bob.force_login(make_administrator("bob", display_name="Bob"))
    say(bob, f"{walk}1/", "keep")
    refused = say(admin, f"{walk}1/", "observe", revision=0)
    assert refused.status_code == 422
    assert "Bob answered this one" in text_of(refused)
    assert Disposition.objects.get().verdict == "keep"
    assert say(admin, f"{walk}1/", "observe").status_code == 302


def test_an_answer_without_its_revision_is_a_conflict(admin, walk):
    assert admin.post(f"{walk}1/", {"answer": "keep"}).status_code == 422
    assert not Disposition.objects.exists()


def test_after_the_last_one_comes_the_report_and_finishing_ends_it(admin, walk):
    for position in (1, 2):
        say(admin, f"{walk}{position}/", "keep")
    assert say(admin, f"{walk}3/", "skipped").url == f"{walk}report/?after=3"
    page = text_of(admin.get(f"{walk}report/"))
    for told in ("Keep</dt><dd>2", "Skipped</dt><dd>1", "Grace", "Finish the review"):
        assert told in page
    admin.post(f"{walk}finish/")
    assert Review.objects.get().state == "finished"
    assert admin.get(f"{walk}1/").url == f"{walk}report/"
    assert "Finish the review" not in text_of(admin.get(f"{walk}report/"))


def test_what_is_to_be_uninstalled_leads_to_the_removal_and_stays_installed(admin, walk):
    say(admin, f"{walk}3/", "uninstall")
    assert 'href="/connectors/two/remove/"' in text_of(admin.get(f"{walk}report/"))
    assert Connector.objects.filter(key="two").exists()


def test_the_report_keeps_the_name_of_what_was_removed(admin, walk):
    say(admin, f"{walk}3/", "uninstall")
    Connector.objects.get(key="two").delete()
    assert "removed since" in text_of(admin.get(f"{walk}report/"))
    assert ReviewLine.objects.get(connector_key="two").answer == "uninstall"


def test_the_report_is_a_file_too(admin, walk):
    say(admin, f"{walk}3/", "keep", "it is seasonal")
    content = b"".join(admin.get(f"{walk}csv/").streaming_content).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [row["Decided"] for row in rows] == ["", "", "keep"]
    assert (rows[2]["Suggested"], rows[2]["Reason"]) == ("uninstall", "it is seasonal")
    assert rows[2]["Next review"]


def test_only_those_that_are_due_can_be_reviewed(admin):
    for key in ("old", "new"):
        make_connector(key)
    Connector.objects.filter(key="old").update(installed_at=timezone.now() - timedelta(days=100))
    admin.post("/reviews/", {"scope": "due"})
    assert [line.connector_key for line in ReviewLine.objects.all()] == ["old"]


def test_a_second_review_is_refused_while_one_is_open(admin, walk):
    page = text_of(admin.post("/reviews/", {"scope": "all"}, follow=True))
    assert "A review is under way already." in page
    assert Review.objects.count() == 1


def test_a_revision_that_is_none_is_told_and_decides_nothing(admin, walk):
    answer = say(admin, step(admin, walk), "keep", revision="9" * 5000)

    assert answer.status_code == 422
    assert not Disposition.objects.exists()


def test_a_connector_removed_meanwhile_is_told_on_its_step(admin, walk):
    address = step(admin, walk)
    Connector.objects.filter(key="one").delete()

    answer = say(admin, address, "keep", revision=0)

    assert answer.status_code == 422
    assert "This connector is not there" in text_of(answer)
