"""The sweep: what is due is refreshed ahead of time; what cannot be is said in time and ends with its life."""

from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.authorization.models import Connection, Credential, RefreshLease
from connectors.authorization.refresh_schedule import next_refresh
from connectors.authorization.refresh_sweep import list_due
from connectors.authorization.tasks import refresh_due
from tests.builders.connectors import make_connection, make_connector
from tests.builders.oauth_accounts import make_oauth_connection, make_oauth_connector
from tests.builders.people import make_user
from tests.fakes.token_server import TokenServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server():
    with TokenServer() as running:
        yield running


def test_the_next_refresh_is_a_quarter_of_an_hour_ahead_and_spread():
    now = timezone.now()
    times = [next_refresh(now + timedelta(hours=1), now=now) for _ in range(200)]

    assert min(times) >= now + timedelta(minutes=42)
    assert max(times) <= now + timedelta(minutes=45)
    assert len(set(times)) == len(times)


def test_a_short_life_is_not_refreshed_in_its_first_half():
    now = timezone.now()

    assert next_refresh(now + timedelta(minutes=10), now=now) == now + timedelta(minutes=5)
    assert next_refresh(None, now=now) is None


def test_everything_due_is_refreshed_once_and_stands_on_the_list_for_its_next_time(server):
    connector = make_oauth_connector(server.url)
    for number in range(5):
        server.issue(f"token {number}")
        make_oauth_connection(connector, refresh_token=f"token {number}")
    server.issue("later")
    make_oauth_connection(connector, refresh_token="later", expires_at=timezone.now() + timedelta(hours=1))

    assert refresh_due() == 5
    assert refresh_due() == 0
    assert sorted(server.refreshes) == [f"token {number}" for number in range(5)]
    assert RefreshLease.objects.filter(due_at__gt=timezone.now() + timedelta(minutes=40)).count() == 6


def test_a_connector_that_was_withdrawn_keeps_its_accounts_fresh(server):
    server.issue("r1")
    connector = make_oauth_connector(server.url, key="drawer")
    connector.status = "disabled"
    connector.save()
    make_oauth_connection(connector)

    assert refresh_due() == 1


def test_what_needs_its_owner_and_what_another_holds_is_left_alone(server):
    connector = make_oauth_connector(server.url)
    make_oauth_connection(connector, state="reauthorization_required")
    make_oauth_connection(connector, authorization_fingerprint="of before")
    held = make_oauth_connection(connector)
    later = timezone.now() + timedelta(minutes=1)
    RefreshLease.objects.filter(connection=held).update(owner=held.pk, held_since=later, expires_at=later)

    assert list_due(timezone.now()) == []
    assert refresh_due() == 0


def test_a_credential_that_cannot_be_refreshed_ends_with_its_life(server):
    connector = make_oauth_connector(server.url)
    over = make_oauth_connection(connector, refresh_token="")
    lives = make_oauth_connection(connector, refresh_token="", expires_at=timezone.now() + timedelta(minutes=1))
    RefreshLease.objects.update(due_at=timezone.now())

    assert refresh_due() == 0

    assert Connection.objects.get(pk=over.pk).state == "reauthorization_required"
    assert Connection.objects.get(pk=lives.pk).state == "active"
    assert RefreshLease.objects.get(pk=lives.pk).due_at == Credential.objects.get(connection=lives).expires_at
    assert server.refreshes == []


def test_a_damaged_credential_waits_and_holds_up_nobody(server):
    server.issue("r1")
    connector = make_oauth_connector(server.url)
    damaged, sound = make_oauth_connection(connector, refresh_token="other"), make_oauth_connection(connector)
    sealed = bytes(damaged.credential.sealed)
    Credential.objects.filter(connection=damaged).update(sealed=sealed[:-1] + bytes([sealed[-1] ^ 1]))

    assert refresh_due() == 1

    lease = RefreshLease.objects.get(pk=damaged.pk)
    assert lease.failure == "sealed_value_damaged"
    assert lease.due_at > timezone.now() + timedelta(minutes=50)
    assert Connection.objects.get(pk=damaged.pk).state == "active"
    assert Credential.objects.get(connection=sound).version == 2


def test_a_credential_without_an_end_is_never_due():
    make_connection(make_user(), make_connector(static=True), values={"token": "t"})

    assert list_due(timezone.now() + timedelta(days=3650)) == []
