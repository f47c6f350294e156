"""What a refresh or a refused call tells of an account's scopes, and what its page then offers."""

import pytest
from asgiref.sync import async_to_sync
from django.db import connection as database
from django.urls import reverse

from connectors.authorization.models import Connection
from connectors.authorization.reachability import note_scopes_needed
from connectors.authorization.refresh import renew_credential
from connectors.runtime.deadline import Deadline
from tests.builders.oauth_accounts import make_oauth_connection, make_oauth_connector
from tests.builders.people import make_user
from tests.fakes.token_server import TokenServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server():
    with TokenServer() as running:
        running.issue("r1")
        yield running


@pytest.fixture
def ann(client):
    person = make_user("ann")
    client.force_login(person)
    return person


@pytest.fixture
def connection(server, ann):
    connector = make_oauth_connector(server.url)
    return make_oauth_connection(connector, ann, granted_scopes=["notes.read"])


def renew(connection, *, seen=1):
    async_to_sync(renew_credential)(connection.pk, seen_version=seen, deadline=Deadline.after(30))
    return Connection.objects.get(pk=connection.pk)


def need(connection, *scopes, version=1):
    note_scopes_needed(connection_id=connection.pk, credential_version=version, scopes=scopes)
    return Connection.objects.get(pk=connection.pk)


def pages_of(client, connection):
    addresses = (reverse("console:connections"), reverse("console:connection", args=[connection.pk]))
    return [client.get(address).content.decode() for address in addresses]


def offers_reconnect(page, connection):
    mend = f'class="button button-small"\n     href="{reverse("console:reconnect", args=[connection.pk])}"'
    return mend in page and "Grant more scopes" in page


def test_a_refresh_that_narrows_the_scopes_is_told_and_reconnecting_offered(client, server, connection):
    server.extra = {"scope": "profile"}

    after = renew(connection)

    assert (after.state, after.missing_scopes, after.granted_scopes) == (
        "insufficient_scope",
        ["notes.read"],
        ["profile"],
    )
    for page in pages_of(client, connection):
        assert "The service did not grant the scope notes.read" in page
        assert "whoever manages the account there" in page
        assert offers_reconnect(page, connection)


def test_a_later_refresh_that_brings_it_back_mends_it(server, connection):
    server.extra = {"scope": "profile"}
    renew(connection)
    server.extra = {"scope": "notes.read"}

    after = renew(connection, seen=2)

    assert (after.state, after.missing_scopes) == ("active", [])


def test_a_refresh_that_says_nothing_of_scopes_changes_nothing(server, connection):
    Connection.objects.update(state="insufficient_scope", missing_scopes=["notes.write"])

    after = renew(connection)

    assert (after.state, after.missing_scopes) == ("insufficient_scope", ["notes.write"])


def test_an_authorization_that_ended_meanwhile_is_not_revived(server, connection):
    server.extra = {"scope": "profile"}

    def end_meanwhile(_handler):
        Connection.objects.update(state="reauthorization_required")
        database.close()  # this thread's
        return False

    server.before = [end_meanwhile]

    assert renew(connection).state == "reauthorization_required"


def test_a_scope_the_package_never_asks_for_is_named_and_reconnecting_not_offered(client, connection):
    after = need(connection, "notes.admin", "notes.share")

    assert (after.state, after.missing_scopes, after.needed_scopes) == (
        "insufficient_scope",
        [],
        ["notes.admin", "notes.share"],
    )
    for page in pages_of(client, connection):
        assert "Some calls need the scopes notes.admin, notes.share" in page
        assert "an administrator has to install a package that asks for them" in page
        assert not offers_reconnect(page, connection)


def test_a_scope_the_package_asks_for_is_one_that_reconnecting_asks_for(client, connection):
    after = need(connection, "notes.read", "notes.admin")

    assert (after.missing_scopes, after.needed_scopes) == (["notes.read"], ["notes.admin"])
    assert all(offers_reconnect(page, connection) for page in pages_of(client, connection))


def test_the_same_refusal_twice_and_the_refusal_of_an_old_credential_are_no_news(connection):
    need(connection, "notes.admin")
    assert not note_scopes_needed(connection_id=connection.pk, credential_version=1, scopes=["notes.admin"])
    assert need(connection, "notes.other", version=7).needed_scopes == ["notes.admin"]


def test_what_a_service_names_is_bounded(connection):
    after = need(connection, *(f"scope{number}" for number in range(100)), "x" * 9000)
    assert len(after.needed_scopes) == 20


def test_a_refresh_that_brings_what_calls_needed_mends_that_too(server, connection):
    need(connection, "notes.admin", "notes.share")
    server.extra = {"scope": "notes.read notes.admin"}

    after = renew(connection)

    assert (after.state, after.needed_scopes) == ("insufficient_scope", ["notes.share"])
