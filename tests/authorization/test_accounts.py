"""What happens to a connection once it exists."""

import pytest

from connectors.access.queries import authenticate_agent
from connectors.access.tokens import digest_token
from connectors.audit.models import AdminEvent
from connectors.authorization.accounts import disconnect, effective_state, end_authorization, rename_connection
from connectors.authorization.credentials import open_credential, parse_credentials
from connectors.authorization.models import Connection, Credential
from connectors.authorization.queries import connections_of, usable_connections
from connectors.catalogue.versions import manifest_of
from connectors.errors import Conflict, Invalid, NotFound
from connectors.policy.models import Grant
from connectors.vault.sealing import SealedValueMisplaced
from connectors.vault.secret import Secret
from tests.builders.connectors import STATIC_AUTH, make_agent, make_connection, make_connector, make_grant
from tests.builders.people import make_administrator, make_team, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def person():
    return make_user()


@pytest.fixture
def connector():
    return make_connector(static=True, policy="multiple_per_user")


def test_disconnecting_takes_credential_and_grants_and_bumps_the_owner(person, connector):
    connection = make_connection(person, connector, values={"token": "canary"})
    agent, token = make_agent(person)
    make_grant(agent, connection)
    disconnect(connection=connection, actor=person)
    assert not Connection.objects.exists()
    assert not Credential.objects.exists()
    assert not Grant.objects.exists()
    assert authenticate_agent(digest_token(token)).owner_epoch == 1
    assert AdminEvent.objects.get().act == "account_disconnected"


def test_another_person_finds_nothing_to_disconnect_and_an_administrator_does(person, connector):
    connection = make_connection(person, connector)
    with pytest.raises(NotFound):
        disconnect(connection=connection, actor=make_user())
    disconnect(connection=connection, actor=make_administrator())
    with pytest.raises(NotFound):
        disconnect(connection=connection, actor=person)


def test_a_connection_is_renamed_to_an_alias_that_is_free(person, connector):
    make_connection(person, connector, alias="Work")
    home = make_connection(person, connector, alias="Home")
    with pytest.raises(Conflict, match="alias_taken"):
        rename_connection(connection=home, alias="WORK", actor=person)
    with pytest.raises(Invalid):
        rename_connection(connection=home, alias=" ", actor=person)
    assert rename_connection(connection=home, alias="home", actor=person).alias == "home"
    assert rename_connection(connection=home, alias="Garden", actor=person).alias == "Garden"
    assert AdminEvent.objects.count() == 2


def test_the_only_account_may_have_no_alias(person, connector):
    only = make_connection(person, connector, alias="Work")
    assert rename_connection(connection=only, alias="", actor=person).alias == ""
    assert rename_connection(connection=only, alias="", actor=person).alias == ""
    assert AdminEvent.objects.count() == 1


def test_a_refused_credential_ends_its_own_authorization_only(person, connector):
    connection = make_connection(person, connector, values={"token": "old"})
    assert not end_authorization(connection_id=connection.pk, credential_version=7)
    assert end_authorization(connection_id=connection.pk, credential_version=1)
    connection.refresh_from_db()
    assert effective_state(connection) == "reauthorization_required"
    assert not end_authorization(connection_id=connection.pk, credential_version=1)


def test_a_connection_without_a_credential_ends_as_version_zero(person):
    connection = make_connection(person, make_connector())
    assert end_authorization(connection_id=connection.pk, credential_version=0)


def test_the_state_that_counts_is_the_strictest(person, connector):
    connection = make_connection(person, connector)
    assert effective_state(connection) == "active"
    connection.state = "unreachable"
    assert effective_state(connection) == "unreachable"
    connection.authorization_fingerprint = "0" * 64
    assert effective_state(connection) == "reauthorization_required"
    connection.state = "disconnecting"
    assert effective_state(connection) == "disconnecting"


def test_usable_are_active_current_visible_and_published(person, connector):
    good = make_connection(person, connector)
    make_connection(person, connector, alias="dead", state="reauthorization_required")
    make_connection(person, connector, alias="outdated", authorization_fingerprint="0" * 64)
    make_connection(person, make_connector(published=False))
    make_connection(person, make_connector(everyone=False))
    make_connection(make_user(), connector)
    shared = make_connection(person, make_connector(everyone=False, teams=[make_team("", person)]))
    assert set(usable_connections(person)) == {good, shared}
    assert connections_of(person).count() == 6


def test_a_page_of_connections_takes_one_query(person, connector, django_assert_num_queries):
    for number in range(4):
        make_connection(person, connector, alias=str(number), values={"token": "x"})
    with django_assert_num_queries(1):
        assert [
            (each.connector.version.version, each.connector.category.key, each.credential.version)
            for each in connections_of(person)
        ] == [("1.0.0", "productivity", 1)] * 4


def test_a_credential_opens_only_in_its_own_row(person, connector):
    one = make_connection(person, connector, alias="one", values={"token": "canary one"})
    other = make_connection(person, connector, alias="other", values={"token": "canary other"})
    Credential.objects.filter(connection=one).update(sealed=other.credential.sealed)
    with pytest.raises(SealedValueMisplaced):
        open_credential(one)
    assert open_credential(other) == {"token": Secret("canary other")}


def test_every_value_of_a_credential_form_is_a_secret():
    fields = [
        *STATIC_AUTH["fields"],
        {"key": "tenant", "type": "text", "label_key": "token"},
        {"key": "pages", "type": "integer", "label_key": "token"},
        {"key": "beta", "type": "boolean", "label_key": "token", "default": True},
    ]
    connector = make_connector(auth=STATIC_AUTH | {"fields": fields})
    raw = {"token": "k", "tenant": "acme", "pages": "5"}
    assert parse_credentials(manifest_of(connector.version), raw) == {
        "token": Secret("k"),
        "tenant": Secret("acme"),
        "pages": Secret("5"),
        "beta": Secret("true"),
    }
