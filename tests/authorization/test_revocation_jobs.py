"""Leaving works at once; revocation follows behind it, is tried again, and says when it gives up (safety §19)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.authorization.accounts import disconnect
from connectors.authorization.models import Connection, Credential, RevocationJob
from connectors.authorization.revocation import next_try
from connectors.authorization.tasks import revoke_due
from connectors.ledger.health import check_health
from connectors.vault.rotation import rotate_values
from tests.builders.connectors import make_connection, make_connector
from tests.builders.oauth_accounts import SECRET, grant_of, make_oauth_connection, make_oauth_connector
from tests.builders.people import make_administrator, make_user
from tests.fakes.token_server import TokenServer, hang_up

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server():
    with TokenServer() as running:
        running.issue("r1")
        yield running


def leave(connection: Connection) -> None:
    disconnect(connection=connection, actor=connection.person)


def leave_cloud(server: TokenServer, **changes) -> None:
    leave(make_oauth_connection(make_oauth_connector(server.url), **changes))


def due_again() -> RevocationJob:
    RevocationJob.objects.update(due_at=timezone.now())
    return RevocationJob.objects.get()


def health(name: str) -> str:
    return next(part for part in check_health() if part.name == name).code


def test_disconnecting_asks_nobody_and_leaves_a_sealed_job(server):
    leave_cloud(server, alias="work")

    assert server.forms == []
    assert not Connection.objects.exists()
    assert not Credential.objects.exists()
    job = RevocationJob.objects.get()
    assert (job.connector_key, job.version.key, job.account) == ("cloudnotes", "cloudnotes", "work")
    assert b"access-0" not in bytes(job.sealed)  # long enough that chance does not spell it
    assert SECRET.encode() not in bytes(job.sealed)


def test_the_refresh_token_is_revoked_first_then_the_access_token(server):
    leave_cloud(server)

    assert revoke_due() == 1

    hints = [(form["token"], form["token_type_hint"]) for form in server.forms]
    assert hints == [("r1", "refresh_token"), ("access-0", "access_token")]
    assert all(headers["Authorization"].startswith("Basic ") for headers in server.headers)
    assert not RevocationJob.objects.exists()
    assert revoke_due() == 0


@pytest.mark.parametrize("answer", [(500, b"oops"), (503, {}), (401, {"error": "invalid_client"})])
def test_a_service_in_trouble_is_asked_again_later(server, answer):
    leave_cloud(server)
    server.answers = [answer]

    assert revoke_due() == 0
    job = RevocationJob.objects.get()
    assert job.attempts == 1
    assert job.failure in {"token_endpoint_failed", "invalid_client"}
    assert timedelta(seconds=50) < job.due_at - timezone.now() <= timedelta(minutes=1)
    assert revoke_due() == 0
    assert len(server.forms) == 1

    due_again()
    assert revoke_due() == 1


def test_a_service_that_hangs_up_is_asked_again(server):
    leave_cloud(server)
    server.before = [hang_up]

    assert revoke_due() == 0
    due_again()
    assert revoke_due() == 1
    assert server.revoked == ["r1", "access-0"]


def test_a_kind_of_token_the_service_does_not_revoke_is_passed_over(server):
    leave_cloud(server)
    server.answers = [(400, {"error": "unsupported_token_type"})]

    assert revoke_due() == 1
    assert server.revoked == ["access-0"]


def test_the_delay_grows_to_six_hours():
    now = timezone.now()

    assert [next_try(attempt, now) - now for attempt in (1, 2, 3, 9, 10, 30)] == [
        timedelta(minutes=minutes) for minutes in (1, 2, 4, 256, 360, 360)
    ]


def test_after_four_days_it_gives_up_forgets_the_credential_and_health_says_so(server, client):
    leave_cloud(server)
    server.answers = [(500, b"")] * 2
    revoke_due()
    due_again()
    assert health("revocation") == ""
    RevocationJob.objects.update(gives_up_at=timezone.now())

    assert revoke_due() == 0

    job = RevocationJob.objects.get()
    assert (job.sealed, job.version, job.due_at) == (None, None, None)
    assert job.gave_up_at is not None
    assert job.failure == "token_endpoint_failed"
    assert health("revocation") == "gave_up"
    assert revoke_due() == 0
    client.force_login(make_administrator())
    page = client.get("/health/").content.decode()
    assert "Credentials that were not revoked" in page
    assert "cloudnotes" in page

    RevocationJob.objects.update(gave_up_at=timezone.now() - timedelta(days=31))
    revoke_due()
    assert health("revocation") == ""


def test_nothing_is_ordered_where_nothing_can_be_revoked(server):
    connector = make_oauth_connector(server.url)
    leave(make_oauth_connection(connector, grant=grant_of(connector, revocation_endpoint="")))
    leave(make_connection(make_user(), make_connector(static=True), values={"token": "t"}))
    leave(make_connection(make_user(), make_connector()))

    assert not RevocationJob.objects.exists()


def test_a_credential_of_another_configuration_is_told_to_nobody(server):
    leave_cloud(server, authorization_fingerprint="of before")

    assert not RevocationJob.objects.exists()


def test_a_public_clients_tokens_are_revoked_where_they_came_from_whatever_changed(server):
    connector = make_oauth_connector(server.url, method="none")
    leave(make_oauth_connection(connector, authorization_fingerprint="of before"))

    assert revoke_due() == 1
    assert server.forms[0]["client_id"] == "poco"


def test_a_damaged_credential_does_not_keep_anybody_from_leaving(server):
    connection = make_oauth_connection(make_oauth_connector(server.url))
    Credential.objects.update(sealed=b"rotten")

    leave(connection)

    assert not Connection.objects.exists()
    assert not RevocationJob.objects.exists()


def test_jobs_take_part_in_key_rotation_and_empty_ones_do_not(server):
    leave_cloud(server)
    RevocationJob.objects.create(connector_key="gone", gives_up_at=timezone.now(), gave_up_at=timezone.now())

    rotation = rotate_values()

    assert rotation.problems == []
    assert rotation.already_active == 2  # the job's, and the connector's own secret
