"""The page of one sign-in: every end says what happened and offers the next act, in both languages."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from connectors.authorization.models import AuthorizationSession
from tests.builders.connectors import make_connection, make_connector

pytestmark = pytest.mark.django_db


def make_attempt(person, *, connected=False, seconds=600, **fields):
    connector = make_connector("records")
    return AuthorizationSession.objects.create(
        state_digest="0" * 64,
        browser_digest="0" * 64,
        person=person,
        connector=connector,
        configuration_revision=1,
        authorization_fingerprint=connector.authorization_fingerprint,
        version_id=connector.version_id,
        connection=make_connection(person, connector, alias="work") if connected else None,
        expires_at=timezone.now() + timedelta(seconds=seconds),
        **fields,
    )


def read(client, attempt, language="en"):
    address = reverse("console:authorization", args=[attempt.pk])
    return " ".join(client.get(address, headers={"Accept-Language": language}).content.decode().split())


@pytest.mark.parametrize(
    ("fields", "words", "route"),
    [
        ({"status": "pending"}, "You have not come back yet", "connect"),
        ({"status": "pending", "seconds": -1}, "Too much time went by", "connect"),
        ({"status": "exchanging"}, "Your sign-in is being checked", "connect"),
        ({"status": "cancelled"}, "Cancelled", "connect"),
        ({"status": "failed", "outcome": "consent_refused"}, "You did not allow it", "connect"),
        ({"status": "failed", "outcome": "something_new"}, "something_new", "connect"),
        ({"status": "done"}, "Connected already", "connections"),
    ],
)
def test_each_end_is_told_and_offers_an_act(client, ann, fields, words, route):
    page = read(client, make_attempt(ann, **fields))
    assert words in page
    assert reverse(f"console:{route}", args=["records"] if route == "connect" else []) in page


def test_a_failed_reconnection_leads_back_to_its_connection(client, ann):
    attempt = make_attempt(ann, connected=True, intent="reauthorize", status="failed", outcome="consent_refused")
    page = read(client, attempt)
    assert reverse("console:reconnect", args=[attempt.connection_id]) in page
    assert reverse("console:connection", args=[attempt.connection_id]) in page


def test_a_stage_that_failed_is_told_in_its_own_words(client, ann):
    parameters = {"stage": "authorization"}
    page = read(client, make_attempt(ann, status="failed", outcome="external_error", outcome_parameters=parameters))
    assert "It stopped at: Authorization" in page


def test_a_question_names_both_accounts(client, ann):
    names = {"before": "Ann <b>", "after": "Bob"}
    attempt = make_attempt(ann, connected=True, status="asking", outcome="other_account", outcome_parameters=names)
    page = read(client, attempt)
    assert "Use Bob from now on" in page
    assert "Keep Ann &lt;b&gt;" in page
    assert "<b>" not in page


def test_what_went_well_leads_to_its_connection_the_first_time(client, ann):
    attempt = make_attempt(ann, connected=True, status="done")
    address = reverse("console:authorization", args=[attempt.pk])
    assert client.get(address).url == reverse("console:connection", args=[attempt.connection_id])
    assert "Connected already" in client.get(address).content.decode()


def test_opening_a_page_asks_the_database_little(client, ann, django_assert_max_num_queries):
    attempt = make_attempt(ann, status="failed", outcome="consent_refused")
    with django_assert_max_num_queries(11):  # three of them are the bell's, once in half a minute
        read(client, attempt)
