"""Connecting: verified at the service first; a failure names its stage and keeps what was typed, but no secret."""

import socket

import pytest
from django.urls import reverse

from connectors.authorization.models import Connection
from connectors.policy.models import Grant
from tests.builders.connectors import STATIC_AUTH, make_agent, make_connection, make_connector, make_grant
from tests.fakes.mcp_server import McpServer, tool

pytestmark = pytest.mark.django_db
SECRET = "canary-key-7f3a"


@pytest.fixture
def keyed():
    with McpServer(
        [tool("search_notes", title="Search the notes")], key=("Authorization", f"Bearer {SECRET}")
    ) as server:
        yield server


def two_fields():
    """A typed value that is no secret beside one that is."""
    account = {"key": "account", "type": "text", "label_key": "name", "required": True}
    return STATIC_AUTH | {"fields": [account, *STATIC_AUTH["fields"]]}


def connect(client, connector, **fields):
    return client.post(reverse("console:connect", args=[connector.key]), fields)


def test_without_authorization_one_press_connects(client, ann):
    with McpServer([tool("search_notes")]) as server:
        connector = make_connector(endpoint=server.url)

        answer = connect(client, connector)

    connection = Connection.objects.get(person=ann)
    assert answer.url == reverse("console:connection", args=[connection.pk])


def test_the_tools_are_there_at_once(client, ann, keyed):
    connect(client, make_connector(static=True, endpoint=keyed.url), token=SECRET)

    page = client.get(reverse("console:connection", args=[Connection.objects.get().pk])).content.decode()

    assert "Search the notes" in page
    assert "Not offered by the server" in page  # add_note and delete_note are allowed, and not listed


def test_a_key_the_service_accepts_is_saved_sealed(client, ann, keyed):
    connect(client, make_connector(static=True, endpoint=keyed.url), token=SECRET)

    connection = Connection.objects.get(person=ann)
    assert SECRET.encode() not in bytes(connection.credential.sealed)
    assert SECRET not in client.get(reverse("console:connection", args=[connection.pk])).content.decode()


def test_a_refused_key_names_the_stage_and_saves_nothing(client, ann, keyed):
    answer = connect(client, make_connector(static=True, endpoint=keyed.url), token="wrong")

    page = answer.content.decode()
    assert answer.status_code == 422
    assert "It stopped at: Authorization" in page
    assert not Connection.objects.exists()


def test_typed_values_stay_and_secrets_do_not(client, ann, keyed):
    connector = make_connector(endpoint=keyed.url, auth=two_fields())

    page = connect(client, connector, account="ann@example.com", token="wrong-secret").content.decode()

    assert 'value="ann@example.com"' in page
    assert "wrong-secret" not in page


def test_a_server_that_is_not_there_is_told_as_such(client, ann):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]

    page = connect(client, make_connector(endpoint=f"http://127.0.0.1:{port}/mcp")).content.decode()

    assert "It stopped at: TCP" in page


def test_a_web_page_instead_of_an_mcp_server_is_told_as_such(client, ann):
    with McpServer(html=True) as server:
        page = connect(client, make_connector(endpoint=server.url)).content.decode()

    assert "It stopped at: " in page
    assert not Connection.objects.exists()


def test_everything_missing_is_told_at_once(client, ann):
    answer = connect(client, make_connector(auth=two_fields()), account="", token="")

    page = answer.content.decode()
    assert answer.status_code == 422
    assert page.count('aria-invalid="true"') == 2


def test_a_second_account_needs_an_alias_and_says_so_at_its_field(client, ann, keyed):
    connector = make_connector(static=True, policy="multiple_per_user", endpoint=keyed.url)
    connect(client, connector, token=SECRET, **{"connection-alias": ""})

    answer = connect(client, connector, token=SECRET, **{"connection-alias": ""})

    assert answer.status_code == 422
    assert 'href="#field-connection-alias"' in answer.content.decode()
    assert Connection.objects.count() == 1


def test_a_second_account_with_an_alias_is_connected(client, ann, keyed):
    connector = make_connector(static=True, policy="multiple_per_user", endpoint=keyed.url)
    connect(client, connector, token=SECRET, **{"connection-alias": "home"})

    connect(client, connector, token=SECRET, **{"connection-alias": "work"})

    assert set(Connection.objects.values_list("alias", flat=True)) == {"home", "work"}


def test_a_single_account_connector_offers_no_second_one(client, ann):
    connector = make_connector("solo")
    make_connection(ann, connector)

    page = client.get(reverse("console:catalogue_connector", args=["solo"])).content.decode()

    assert reverse("console:connect", args=["solo"]) not in page


def test_reconnecting_keeps_the_connection_and_its_grants(client, ann, keyed):
    connector = make_connector(static=True, endpoint=keyed.url)
    connection = make_connection(ann, connector, state="reauthorization_required")
    agent, _token = make_agent(ann)
    make_grant(agent, connection)

    client.post(reverse("console:reconnect", args=[connection.pk]), {"token": SECRET})

    connection.refresh_from_db()
    assert connection.state == "active"
    assert Grant.objects.filter(connection=connection).exists()


def test_signing_in_at_the_service_is_one_press_away(client, ann):
    oauth = {
        "strategy": "oauth_authorization_code",
        "interaction": "redirect",
        "fields": [],
        "options": {
            "type": "oauth_authorization_code",
            "discovery": {
                "type": "static",
                "issuer": "https://identity.example.com",
                "authorization_url": "https://identity.example.com/authorize",
                "token_url": "https://identity.example.com/token",
            },
            "client_id_configuration_field": "endpoint",
            "token_endpoint_auth_method": "none",
        },
    }
    make_connector("oauth-one", auth=oauth)

    page = client.get(reverse("console:catalogue_connector", args=["oauth-one"])).content.decode()

    assert f'action="{reverse("console:connect", args=["oauth-one"])}"' in page
    assert "At the service itself" in page
