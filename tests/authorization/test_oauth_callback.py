"""Coming back: one exchange whatever arrives, and a page for each end (safety §14, §16, §17)."""

import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from connectors.authorization.models import AuthorizationSession, Connection
from connectors.authorization.session_sweep import sweep_sessions
from connectors.catalogue.configuration import save_configuration
from connectors.catalogue.publication import disable_connector
from tests.builders.oauth import describe_resource, guarded, make_oauth_connector, mcp_discovery, oauth_options
from tests.builders.people import make_user
from tests.fakes.authorization_server import AuthorizationServer

pytestmark = pytest.mark.django_db
CALLBACK = "/api/v1/connectors/oauth/callback"


@pytest.fixture
def issuer():
    with AuthorizationServer() as running:
        yield running


@pytest.fixture
def connector(issuer):
    with guarded() as server:
        describe_resource(server, issuer)
        yield make_oauth_connector(server, oauth_options(mcp_discovery(issuer)))


@pytest.fixture
def ann(client):
    person = make_user("ann")
    client.force_login(person)
    return person


def leave(client, connector):
    return client.post(reverse("console:connect", args=[connector.key])).context["url"]


def come_back(client, answer):
    return client.get(CALLBACK, answer, follow=True)


def signed_in(name):
    browser = Client()
    browser.force_login(make_user(name))
    return browser


def told(page):
    return " ".join(page.content.decode().split())


def test_the_answer_leads_to_a_page_of_our_own_that_holds_no_code(client, ann, connector, issuer):
    answer = issuer.consent(leave(client, connector))
    response = client.get(CALLBACK, answer)
    assert response.status_code == 302
    assert response.url == reverse("console:authorization", args=[AuthorizationSession.objects.get().pk])
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert "no-store" in response.headers["Cache-Control"]


def test_the_same_answer_twice_is_exchanged_once(client, ann, connector, issuer):
    answer = issuer.consent(leave(client, connector))
    come_back(client, answer)
    again = come_back(client, answer)
    assert "Connected already" in told(again)
    assert reverse("console:connection", args=[Connection.objects.get().pk]) in told(again)
    assert len(issuer.tokens) == 1


def test_a_second_code_for_a_used_state_is_not_exchanged(client, ann, connector, issuer):
    url = leave(client, connector)
    come_back(client, issuer.consent(url))
    come_back(client, issuer.consent(url))
    assert len(issuer.tokens) == 1


@pytest.mark.django_db(transaction=True)
def test_answers_that_arrive_together_are_exchanged_once(client, ann, connector, issuer):
    answer = issuer.consent(leave(client, connector))
    start, cookies = threading.Barrier(4), client.cookies

    def run():
        browser = Client()
        browser.cookies = cookies
        start.wait()
        try:
            browser.get(CALLBACK, answer)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(issuer.tokens) == 1
    assert Connection.objects.count() == 1


def test_two_tabs_end_each_on_its_own_page(client, ann, connector, issuer):
    first, second = leave(client, connector), leave(client, connector)
    come_back(client, issuer.consent(second))
    page = come_back(client, issuer.consent(first))
    assert "You are connected here already" in told(page)
    assert Connection.objects.count() == 1


@pytest.mark.parametrize("change", [{"state": "made-up"}, {"state": None}, {"state": ""}])
def test_an_unknown_state_is_told_and_nothing_is_exchanged(client, ann, connector, issuer, change):
    page = come_back(client, issuer.consent(leave(client, connector), **change))
    assert page.status_code == 404
    assert "This sign-in is not known here" in told(page)
    assert not issuer.tokens


def test_another_persons_answer_is_none_of_yours_and_stays_theirs(client, ann, connector, issuer):
    answer = issuer.consent(leave(client, connector))
    page = come_back(signed_in("bob"), answer)
    assert "This sign-in is not known here" in told(page)
    assert not issuer.tokens
    come_back(client, answer)
    assert Connection.objects.get().person == ann


def test_another_browser_of_the_same_person_is_refused(client, ann, connector, issuer):
    answer = issuer.consent(leave(client, connector))
    elsewhere = Client()
    elsewhere.force_login(ann)
    assert come_back(elsewhere, answer).status_code == 404
    assert not issuer.tokens


def test_without_a_session_nothing_is_exchanged_and_no_login_form_sees_the_code(client, ann, connector, issuer):
    answer = issuer.consent(leave(client, connector))
    page = come_back(Client(), answer)
    assert not issuer.tokens
    assert all(answer["code"] not in url for url, _status in page.redirect_chain)


def test_another_persons_attempt_has_no_page(client, ann, connector, issuer):
    leave(client, connector)
    attempt = AuthorizationSession.objects.get()
    bob = signed_in("bob")
    assert bob.get(reverse("console:authorization", args=[attempt.pk])).status_code == 404
    for act in ("authorization_cancel", "authorization_take"):
        assert bob.post(reverse(f"console:{act}", args=[attempt.pk])).status_code == 404
    attempt.refresh_from_db()
    assert attempt.status == "pending"


def test_ten_minutes_are_the_longest(client, ann, connector, issuer):
    url = leave(client, connector)
    attempt = AuthorizationSession.objects.get()
    assert attempt.expires_at - attempt.created_at <= timedelta(minutes=10, seconds=1)
    AuthorizationSession.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    page = come_back(client, issuer.consent(url))
    assert "Too much time went by" in told(page)
    assert reverse("console:connect", args=[connector.key]) in told(page)
    assert not issuer.tokens


@pytest.mark.parametrize(
    "case",
    [
        ({}, True, True),
        ({}, False, True),
        ({"iss": None}, True, False),
        ({"iss": "https://evil.example"}, True, False),
        ({"iss": "https://evil.example"}, False, False),
        ({"iss": "{issuer}/"}, True, False),
        ({"iss": "{upper}"}, True, False),
    ],
)
def test_the_issuer_is_compared_before_the_code_is_redeemed(client, ann, connector, issuer, case):
    change, names_itself, accepted = case
    issuer.names_itself = names_itself
    url = leave(client, connector)
    filled = {
        name: value and value.format(issuer=issuer.issuer, upper=issuer.issuer.upper())
        for name, value in change.items()
    }
    come_back(client, issuer.consent(url, **filled))
    assert len(issuer.tokens) == accepted
    assert Connection.objects.exists() == accepted


def test_a_refusal_from_the_wrong_issuer_is_no_refusal(client, ann, connector, issuer):
    answer = issuer.consent(leave(client, connector), code=None, error="access_denied", iss="https://evil.example")
    page = come_back(client, answer)
    assert "https://evil.example" in told(page)
    assert AuthorizationSession.objects.get().outcome == "issuer_mismatch"


def test_an_answer_that_does_not_name_its_issuer_where_it_must_is_not_used(client, ann, connector, issuer):
    page = come_back(client, issuer.consent(leave(client, connector), iss=None, code=None, error="access_denied"))
    assert "does not say that it came from" in told(page)


def test_refused_consent_is_told_and_may_be_tried_again(client, ann, connector, issuer):
    answer = issuer.consent(leave(client, connector), code=None, error="access_denied")
    page = come_back(client, answer)
    assert "You did not allow it at the service" in told(page)
    assert "Begin again" in told(page)
    assert not issuer.tokens


def test_another_error_of_the_service_is_shown_as_a_word_and_no_more(client, ann, connector, issuer):
    evil = issuer.consent(leave(client, connector), code=None, error="<b>x</b>" + "y" * 100, error_description="canary")
    page = told(come_back(client, evil))
    assert "<b>x</b>" not in page
    assert "canary" not in page


@pytest.mark.parametrize("name", ["state", "code", "iss"])
def test_a_repeated_parameter_is_refused(client, ann, connector, issuer, name):
    answer = issuer.consent(leave(client, connector))
    page = come_back(client, {**answer, name: [answer[name], "other"]})
    assert page.status_code == 404
    assert not issuer.tokens


@pytest.mark.parametrize(
    "fault",
    [
        ((400, {}, b'{"error": "invalid_client"}'), "invalid_client"),
        ((500, {}, b"oops"), "HTTP 500"),
        ((200, {}, b"<html>"), "did not finish the sign-in"),
        ((200, {}, b'{"access_token": "a", "token_type": "mac"}'), "did not finish the sign-in"),
    ],
)
def test_a_token_endpoint_that_fails_ends_on_a_page(client, ann, connector, issuer, fault):
    answer, words = fault
    issuer.pages = {"/tenant/token": answer}
    assert words in told(come_back(client, issuer.consent(leave(client, connector))))
    assert not Connection.objects.exists()


def test_a_connector_changed_meanwhile_redeems_nothing(client, ann, connector, issuer):
    url = leave(client, connector)
    raw = {"endpoint": connector.configuration["endpoint"], "client_id": "another"}
    save_configuration(connector=connector, raw=raw, expected_revision=1, actor=None)
    page = come_back(client, issuer.consent(url))
    assert "The connector was changed" in told(page)
    assert not issuer.tokens


def test_a_connector_withdrawn_meanwhile_redeems_nothing(client, ann, connector, issuer):
    url = leave(client, connector)
    disable_connector(connector=connector, actor=None)
    page = come_back(client, issuer.consent(url))
    assert "not there, or not shared with you" in told(page)
    assert not issuer.tokens


def test_a_cancelled_attempt_is_over(client, ann, connector, issuer):
    url = leave(client, connector)
    attempt = AuthorizationSession.objects.get()
    client.post(reverse("console:authorization_cancel", args=[attempt.pk]))
    attempt.refresh_from_db()
    assert (attempt.status, attempt.sealed) == ("cancelled", None)
    assert "Cancelled" in told(come_back(client, issuer.consent(url)))
    assert not issuer.tokens


def test_what_was_never_finished_is_wiped_and_in_time_forgotten(client, ann, connector):
    leave(client, connector)
    past = timezone.now() - timedelta(seconds=1)
    AuthorizationSession.objects.update(expires_at=past)
    sweep_sessions()
    attempt = AuthorizationSession.objects.get()
    assert (attempt.status, attempt.outcome, attempt.sealed) == ("failed", "authorization_expired", None)
    AuthorizationSession.objects.update(created_at=past - timedelta(days=2))
    sweep_sessions()
    assert not AuthorizationSession.objects.exists()


def test_an_exchange_that_was_interrupted_is_ended(client, ann, connector):
    leave(client, connector)
    AuthorizationSession.objects.update(status="exchanging", used_at=timezone.now() - timedelta(minutes=11))
    sweep_sessions()
    attempt = AuthorizationSession.objects.get()
    assert (attempt.status, attempt.outcome, attempt.sealed) == ("failed", "sign_in_interrupted", None)
