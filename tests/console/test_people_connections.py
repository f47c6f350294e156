"""My connections: a badge with a plain reason and the one act that mends it; names; their end."""

import pytest
from django.urls import reverse

from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from connectors.gateway.models import Toolset
from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant, make_manifest
from tests.builders.people import make_team
from tests.fakes.mcp_server import McpServer, tool

pytestmark = pytest.mark.django_db


def page_of(client, connection):
    return client.get(reverse("console:connection", args=[connection.pk])).content.decode()


def listed(client):
    return client.get(reverse("console:connections")).content.decode()


@pytest.mark.parametrize(
    ("state", "label", "act"),
    [
        ("active", "Working", None),
        ("reauthorization_required", "Reconnect needed", "reconnect"),
        ("insufficient_scope", "Permission missing", None),
        ("unreachable", "Not reachable", "connection_check"),
        ("disconnecting", "Disconnecting", None),
    ],
)
def test_each_state_has_its_badge_and_its_act(client, ann, state, label, act):
    connection = make_connection(ann, make_connector(), state=state)

    page = listed(client)

    assert label in page
    for route in ("reconnect", "connection_check"):
        assert (reverse(f"console:{route}", args=[connection.pk]) in page) is (route == act)


def test_a_missing_scope_never_says_reconnect(client, ann):
    make_connection(ann, make_connector(), state="insufficient_scope")

    assert "Reconnect" not in listed(client)


def test_a_changed_authorization_asks_to_reconnect(client, ann):
    make_connection(ann, make_connector(), authorization_fingerprint="1" * 64)

    page = listed(client)

    assert "Reconnect needed" in page
    assert "has changed since you connected" in page


def test_a_withdrawn_connector_says_whom_to_ask(client, ann):
    connector = make_connector()
    make_connection(ann, connector)
    Connector.objects.filter(pk=connector.pk).update(status="disabled")

    assert "withdrawn" in listed(client)


def test_a_connector_no_longer_shared_says_so(client, ann):
    make_connection(ann, make_connector(everyone=False, teams=[make_team("Others")]))

    assert "no longer shared with you" in listed(client)


def test_what_needs_an_act_comes_first(client, ann):
    make_connection(ann, make_connector("fine"))
    ailing = make_connection(ann, make_connector("broken"), state="unreachable")

    page = listed(client)

    first = page.index(reverse("console:connection", args=[ailing.pk]))
    assert first < page.index("Working")


def test_an_alias_is_renamed(client, ann):
    connection = make_connection(ann, make_connector(policy="multiple_per_user"), alias="work")

    client.post(reverse("console:connection", args=[connection.pk]), {"alias": "office"})

    connection.refresh_from_db()
    assert connection.alias == "office"


def test_an_alias_of_another_account_is_refused_at_its_field(client, ann):
    connector = make_connector(policy="multiple_per_user")
    make_connection(ann, connector, alias="home")
    connection = make_connection(ann, connector, alias="work")

    answer = client.post(reverse("console:connection", args=[connection.pk]), {"alias": "HOME"})

    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'value="HOME"' in page
    assert "Another account of yours has the alias" in page


def test_disconnecting_asks_first_and_names_the_agents_that_lose_it(client, ann):
    connection = make_connection(ann, make_connector())
    agent, _token = make_agent(ann, "Nightly report")
    make_grant(agent, connection)

    page = client.get(reverse("console:disconnect", args=[connection.pk])).content.decode()

    assert "Nightly report" in page
    assert Connection.objects.filter(pk=connection.pk).exists()


def test_disconnecting_ends_the_connection(client, ann):
    connection = make_connection(ann, make_connector())

    client.post(reverse("console:disconnect", args=[connection.pk]))

    assert not Connection.objects.filter(pk=connection.pk).exists()


def test_checking_again_lists_the_tools_anew(client, ann):
    with McpServer([tool("search_notes")]) as server:
        connection = make_connection(ann, make_connector(endpoint=server.url))

        client.post(reverse("console:connection_check", args=[connection.pk]))

    assert Toolset.objects.filter(connection=connection).exists()


def test_checking_a_dead_service_says_so_and_changes_nothing(client, ann):
    connection = make_connection(ann, make_connector())

    answer = client.post(reverse("console:connection_check", args=[connection.pk]), follow=True)

    assert "message-error" in answer.content.decode()
    assert not Toolset.objects.filter(connection=connection).exists()


def test_nothing_connected_offers_the_catalogue(client, ann):
    page = listed(client)

    assert "No account is connected yet" in page
    assert reverse("console:catalogue") in page


def test_a_tool_that_was_left_out_is_shown_with_its_reason(client, ann):
    connector = make_connector()
    connection = make_connection(ann, connector)
    Toolset.objects.create(
        connection=connection,
        tools={"": [tool("search_notes")]},
        malformed=[{"server": "", "name": "twice", "reason": "name_repeated"}],
        digest="",
        manifest_revision="",
        configuration_revision=1,
        discovered_at=connection.created_at,
    )

    page = page_of(client, connection)

    assert "twice" in page
    assert "Another tool of the server has the same name." in page


def test_the_acts_a_manifest_offers_are_on_the_page(client, ann):
    manifest = make_manifest("acting")
    manifest["presentation"] |= {
        "connection_actions": [{"type": "open_service", "label_key": "name", "url": "https://service.example.com/"}]
    }

    page = page_of(client, make_connection(ann, make_connector("acting", manifest=manifest)))

    assert 'href="https://service.example.com/"' in page
