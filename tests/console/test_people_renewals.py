"""While refreshes fail, an account's pages say since when, why, and when the next is tried; Health is for operators."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from connectors.authorization.models import Connection, RefreshLease
from connectors.console.connection_states import Mend, describe_state
from tests.builders.oauth_accounts import make_oauth_connection, make_oauth_connector
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann(client):
    person = make_user("ann", time_zone="UTC")
    client.force_login(person)
    return person


def failing(ann, failure="unavailable", *, ends=timedelta(hours=1), **fields):
    now = timezone.now()
    connection = make_oauth_connection(make_oauth_connector("http://127.0.0.1:1"), ann, expires_at=now + ends, **fields)
    RefreshLease.objects.update(
        attempts=2,
        failure=failure,
        failing_since=now - timedelta(minutes=5),
        cooldown_until=now + timedelta(seconds=30),
        due_at=now + timedelta(minutes=2),
    )
    return Connection.objects.select_related("connector", "credential", "refresh_lease").get(pk=connection.pk)


def badge_of(connection):
    return describe_state(connection, visible={connection.connector_id})


def test_both_pages_say_since_when_why_and_when_next(client, ann):
    connection = failing(ann)

    for address in (reverse("console:connections"), reverse("console:connection", args=[connection.pk])):
        page = client.get(address).content.decode()
        assert "Renewal failing" in page
        assert "Renewing the credential has failed since" in page
        assert "the service could not be reached" in page
        assert "It is tried again by itself at" in page
        assert "Calls go on as long as the old one is good." in page
        assert "Wait a moment" in page


def test_an_account_whose_time_is_up_does_not_work_meanwhile(client, ann):
    connection = failing(ann, ends=-timedelta(minutes=1))

    badge = badge_of(connection)

    assert (badge.tone, badge.working, badge.mend) == ("bad", False, Mend.WAIT)
    assert "Until then calls fail." in badge.reason
    assert "Not renewed" in client.get("/").content.decode()


def test_what_an_administrator_has_to_mend_names_them(ann):
    badge = badge_of(failing(ann, "invalid_client"))
    assert badge.mend == Mend.ASK
    assert "client id or secret" in badge.reason


def test_a_word_of_the_services_own_is_shown_as_it_is(ann):
    assert "temporarily_unavailable" in badge_of(failing(ann, "temporarily_unavailable")).reason


def test_a_renewal_that_went_well_says_nothing_more(ann):
    connection = failing(ann)
    RefreshLease.objects.update(attempts=0, failure="", failing_since=None, cooldown_until=None)
    connection.refresh_lease.refresh_from_db()
    assert badge_of(connection).state == "active"


def test_an_account_that_needs_its_owner_says_that_instead(ann):
    assert badge_of(failing(ann, state="reauthorization_required")).state == "reauthorization_required"
