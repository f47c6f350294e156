"""Refreshing one credential: what is asked, what is kept, what ends a grant and what does not."""

import base64
from datetime import timedelta
from urllib.parse import unquote_plus

import pytest
from asgiref.sync import async_to_sync
from django.db import connection as database
from django.utils import timezone

from connectors.authorization.accounts import disconnect
from connectors.authorization.credentials import open_credential
from connectors.authorization.models import Connection, RefreshLease
from connectors.authorization.oauth_grant import open_grant
from connectors.authorization.refresh import finish_refreshes, renew_credential
from connectors.authorization.refresh_lease import LEASE, RefreshFailed
from connectors.authorization.refresh_sweep import refresh_due
from connectors.authorization.tasks import revoke_due
from connectors.errors import NotFound, Refused
from connectors.runtime.deadline import Deadline
from connectors.runtime.program_errors import BudgetExceeded
from connectors.vault.secret import Secret
from tests.builders.connectors import make_connection, make_connector
from tests.builders.oauth_accounts import (
    SECRET,
    grant_of,
    make_oauth_connection,
    make_oauth_connector,
    replace_credential,
)
from tests.builders.people import make_user
from tests.fakes.token_server import TokenServer, hang_up

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server():
    with TokenServer() as running:
        running.issue("r1")
        yield running


@pytest.fixture
def connection(server):
    return make_oauth_connection(make_oauth_connector(server.url))


def renew(connection, *, seen: int = 1, seconds: float = 30) -> bool:
    return async_to_sync(renew_credential)(connection.pk, seen_version=seen, deadline=Deadline.after(seconds))


def fresh(connection) -> Connection:
    return Connection.objects.select_related("connector__version", "credential", "refresh_lease").get(pk=connection.pk)


def values_of(connection) -> dict[str, str]:
    return {key: secret.reveal() for key, secret in open_credential(fresh(connection)).items()}


def forget_cooldown(connection) -> None:
    RefreshLease.objects.update(cooldown_until=None)


def test_a_refresh_replaces_both_tokens_and_raises_the_version(server, connection):
    assert renew(connection)

    assert values_of(connection) == {"access_token": "access-1", "refresh_token": "refresh-1"}
    credential = fresh(connection).credential
    assert credential.version == 2
    assert credential.expires_at > timezone.now() + timedelta(minutes=50)
    assert open_grant(credential) == grant_of(connection.connector)


def test_the_request_is_the_one_of_the_standard(server, connection):
    renew(connection)

    assert server.forms == [{"grant_type": "refresh_token", "refresh_token": "r1"}]
    name, secret = base64.b64decode(server.headers[0]["Authorization"].removeprefix("Basic ")).decode().split(":")
    assert (unquote_plus(name), unquote_plus(secret)) == ("poco", SECRET)


@pytest.mark.parametrize(
    ("method", "sent"),
    [("client_secret_post", {"client_id": "poco", "client_secret": SECRET}), ("none", {"client_id": "poco"})],
)
def test_other_clients_name_themselves_in_the_form(server, method, sent):
    connector = make_oauth_connector(server.url, method=method)
    connection = make_oauth_connection(connector, grant=grant_of(connector, resource="https://notes.example/mcp"))

    assert renew(connection)

    shared = {"grant_type": "refresh_token", "refresh_token": "r1", "resource": "https://notes.example/mcp"}
    assert server.forms == [{**shared, **sent}]
    assert "Authorization" not in server.headers[0]


def test_a_registered_client_proves_itself_with_its_own_secret(server):
    connector = make_oauth_connector(server.url, method="client_secret_post")
    connection = make_oauth_connection(connector, grant=grant_of(connector, client_secret=Secret("registered")))

    assert renew(connection)

    assert server.forms[0]["client_secret"] == "registered"


def test_an_answer_without_a_refresh_token_keeps_the_old_one(server, connection):
    server.rotates = False

    assert renew(connection)

    assert values_of(connection) == {"access_token": "access-1", "refresh_token": "r1"}


def test_scopes_change_only_when_the_answer_names_them(server, connection):
    Connection.objects.update(granted_scopes=["notes.read", "notes.write"])

    renew(connection)
    assert fresh(connection).granted_scopes == ["notes.read", "notes.write"]

    server.extra = {"scope": "notes.read"}
    renew(connection, seen=2)
    assert fresh(connection).granted_scopes == ["notes.read"]


def test_the_end_of_the_refresh_token_follows_the_refresh_token(server, connection):
    server.extra = {"refresh_expires_in": 86400}
    renew(connection)
    told = fresh(connection).credential.refresh_expires_at
    assert told > timezone.now() + timedelta(hours=23)

    server.rotates, server.extra = False, {}
    renew(connection, seen=2)
    assert fresh(connection).credential.refresh_expires_at == told


def test_a_credential_that_is_newer_than_the_caller_saw_needs_no_request(server, connection):
    renew(connection)

    assert renew(connection, seen=1)
    assert server.refreshes == ["r1"]


def test_a_credential_with_nothing_to_refresh_it_is_said_to_be_one(server):
    connector = make_oauth_connector(server.url)

    assert not renew(make_oauth_connection(connector, refresh_token=""))
    assert not renew(make_connection(make_user(), make_connector(static=True), values={"token": "t"}))
    assert server.refreshes == []


def test_invalid_grant_ends_the_grant_and_tells_every_process(server, connection):
    server.answers = [(400, {"error": "invalid_grant"})]
    epoch = fresh(connection).person.epoch

    with pytest.raises(Refused, match="reauthorization_required"):
        renew(connection)

    assert fresh(connection).state == "reauthorization_required"
    assert fresh(connection).person.epoch == epoch + 1
    assert fresh(connection).refresh_lease.failure == "invalid_grant"
    assert fresh(connection).refresh_lease.due_at is None


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        ((500, b"<html>oops</html>"), "token_endpoint_failed"),
        ((503, {"error": "invalid_grant"}), "token_endpoint_failed"),
        ((429, {}), "token_endpoint_failed"),
        ((401, {"error": "invalid_client"}), "invalid_client"),
        ((400, {"error": "temporarily_unavailable"}), "temporarily_unavailable"),
        ((302, {}), "token_endpoint_failed"),
        ((200, b"{"), "token_answer_unreadable"),
        ((200, {"token_type": "DPoP", "access_token": "x"}), "token_answer_unreadable"),
        ((200, {"access_token": 7}), "token_answer_unreadable"),
    ],
)
def test_other_failures_back_off_and_leave_the_grant_alone(server, connection, answer, failure):
    server.answers = [answer]

    with pytest.raises(RefreshFailed) as caught:
        renew(connection)

    assert caught.value.parameters == {"failure": failure}
    after = fresh(connection)
    assert after.state == "active"
    assert values_of(connection) == {"access_token": "access-0", "refresh_token": "r1"}
    assert timedelta(seconds=25) < after.refresh_lease.cooldown_until - timezone.now() <= timedelta(seconds=30)
    assert (after.refresh_lease.owner, after.refresh_lease.attempts) == (None, 1)
    assert after.refresh_lease.failing_since is not None


def test_nothing_is_asked_during_the_cooldown_and_the_next_try_recovers(server, connection):
    server.answers = [(500, b"")]
    for _ in range(3):
        with pytest.raises(RefreshFailed):
            renew(connection)
    assert len(server.refreshes) == 1

    forget_cooldown(connection)
    assert renew(connection)
    lease = fresh(connection).refresh_lease
    assert (lease.attempts, lease.failing_since, lease.failure) == (0, None, "")


def test_a_server_that_cannot_be_reached_is_no_doubt(connection, server):
    server.__exit__()
    with pytest.raises(RefreshFailed, match="unavailable"):
        renew(connection)
    server.__enter__()

    assert fresh(connection).refresh_lease.doubtful_since is None


def test_an_answer_that_broke_off_leaves_doubt(server, connection):
    server.after = [hang_up]

    with pytest.raises(RefreshFailed):
        renew(connection)

    lease = fresh(connection).refresh_lease
    assert lease.doubtful_since is not None
    assert fresh(connection).state == "active"


def test_waits_between_tries_grow_to_an_hour(server, connection):
    waits = []
    for _ in range(9):
        server.answers = [(500, b"")]
        forget_cooldown(connection)
        with pytest.raises(RefreshFailed):
            renew(connection)
        waits.append(fresh(connection).refresh_lease.due_at - timezone.now())

    assert timedelta(seconds=28) < waits[0] < timedelta(seconds=34)
    assert timedelta(seconds=58) < waits[1] < timedelta(seconds=67)
    assert timedelta(minutes=59) < waits[-1] < timedelta(minutes=67)


def test_a_credential_replaced_meanwhile_is_not_overwritten(server, connection):
    def reconnect(_request) -> bool:
        replace_credential(fresh(connection), {"access_token": "mine", "refresh_token": "own"})
        database.close()  # of the server's thread
        return False

    server.after = [reconnect]

    assert renew(connection)

    assert values_of(connection) == {"access_token": "mine", "refresh_token": "own"}
    assert fresh(connection).refresh_lease.owner is None


def test_the_end_of_a_replaced_grant_does_not_end_the_new_one(server, connection):
    def reconnect(_request) -> bool:
        replace_credential(fresh(connection), {"access_token": "mine"})
        database.close()  # of the server's thread
        return False

    server.answers, server.after = [(400, {"error": "invalid_grant"})], [reconnect]

    assert renew(connection)
    assert fresh(connection).state == "active"


def test_tokens_that_arrive_after_their_owner_left_are_revoked(server, connection):
    def leave(_request) -> bool:
        disconnect(connection=connection, actor=connection.person)
        database.close()  # of the server's thread
        return False

    server.after = [leave]
    with pytest.raises(NotFound):
        renew(connection)

    assert revoke_due() == 2
    assert set(server.revoked) == {"r1", "access-0", "refresh-1", "access-1"}


CANARY = "canary-4711"


@pytest.mark.parametrize(
    "answer",
    [(400, f"<b>{CANARY}</b>".encode()), (500, {"error": CANARY}), (400, {"error": CANARY}), (200, b"canary-4711")],
)
def test_a_failure_repeats_nothing_of_the_answer_and_logs_no_token(server, caplog, answer):
    connection = make_oauth_connection(make_oauth_connector(server.url), refresh_token=CANARY)
    server.answers = [answer]

    with pytest.raises(RefreshFailed) as caught:
        renew(connection)

    assert CANARY not in f"{caught.value!r} {caplog.text} {fresh(connection).refresh_lease.failure}"


def test_a_credential_given_under_another_fingerprint_goes_nowhere(server, connection):
    Connection.objects.update(authorization_fingerprint="of before")

    with pytest.raises(Refused, match="reauthorization_required"):
        renew(connection)
    assert server.refreshes == []


def test_a_held_lease_is_waited_for_and_a_dead_one_taken_in_doubt(server, connection):
    now = timezone.now()
    held = {"owner": connection.pk, "held_since": now, "expires_at": now + timedelta(seconds=0.5)}
    RefreshLease.objects.filter(connection=connection).update(**held)

    assert renew(connection)

    assert server.refreshes == ["r1"]
    assert timezone.now() > held["expires_at"]
    assert timedelta(seconds=30 + 10) < LEASE


def test_the_end_of_a_grant_in_doubt_says_what_came_between(server, connection):
    past = timezone.now() - timedelta(seconds=1)
    RefreshLease.objects.update(owner=connection.pk, held_since=past, expires_at=past)
    server.families[0].ended = True

    with pytest.raises(Refused, match="reauthorization_required"):
        renew(connection)

    assert fresh(connection).refresh_lease.failure == "refresh_interrupted"
    assert refresh_due() == 0
    assert server.refreshes == ["r1"]


def test_a_process_that_ends_waits_for_its_refresh(server, connection):
    server.delay = 0.2

    async def call_and_end() -> None:
        with pytest.raises(BudgetExceeded):
            await renew_credential(connection.pk, seen_version=1, deadline=Deadline.after(0.05))
        await finish_refreshes(10)

    async_to_sync(call_and_end)()

    assert fresh(connection).credential.version == 2
    assert fresh(connection).refresh_lease.owner is None
