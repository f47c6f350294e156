"""The landing page: by role, with what needs a person first."""

import pytest
from django.urls import reverse

from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_administrator, make_auditor, make_user

pytestmark = pytest.mark.django_db


def home(client, person):
    client.force_login(person)
    return client.get(reverse("console:home")).content.decode()


def test_an_empty_console_offers_its_administrator_the_example(client):
    page = home(client, make_administrator())

    assert reverse("console:example_package") in page
    assert reverse("console:install") in page


def test_the_header_to_send_is_escaped_once(client):
    page = home(client, make_user())

    assert 'data-copy="Authorization: Bearer &lt;token&gt;"' in page
    assert 'aria-label="Copy Authorization: Bearer &lt;token&gt;"' in page


def test_nobody_else_is_offered_the_example(client):
    assert reverse("console:example_package") not in home(client, make_user())


def test_an_administrator_sees_drafts_and_failing_connectors(client):
    ailing = make_connector("ailing")
    make_connection(make_user(), ailing, state="unreachable")
    make_connector("draft-one", published=False)

    page = home(client, make_administrator())

    assert reverse("console:connector_overview", args=["ailing"]) in page
    assert "Review and publish" in page


def test_a_persons_broken_connection_comes_first(client):
    ann = make_user()
    connection = make_connection(ann, make_connector(), state="reauthorization_required")

    page = home(client, ann)

    assert page.index(reverse("console:reconnect", args=[connection.pk])) < page.index("MCP endpoint")


@pytest.mark.parametrize(
    ("done", "offered"),
    [
        ("nothing", "Open the catalogue"),
        ("connect", "Make an agent"),
        ("agent", "Grant a connection"),
        ("grant", "Copy the settings"),
    ],
)
def test_the_next_step_is_the_one_with_a_button(client, done, offered):
    ann = make_user()
    connector = make_connector()
    if done != "nothing":
        connection = make_connection(ann, connector)
    if done in ("agent", "grant"):
        agent, _token = make_agent(ann)
    if done == "grant":
        make_grant(agent, connection)

    page = home(client, ann)

    assert 'button-primary button-small"' in page
    assert offered in page.split('aria-current="step"')[1].split("</li>")[0]


def test_the_steps_go_away_after_the_first_call(client):
    ann = make_user()
    agent, _token = make_agent(ann)
    connection = make_connection(ann, make_connector())
    make_grant(agent, connection)
    make_call(ann, agent=agent, connection=connection)

    assert "Your first call" not in home(client, ann)


def test_without_a_shared_connector_a_person_is_told_whom_to_ask(client):
    assert "Ask an administrator" in home(client, make_user())


def test_the_endpoint_is_there_to_copy(client, settings):
    settings.BACKEND_URL = "https://connectors.example.com"

    assert 'data-copy="https://connectors.example.com/mcp"' in home(client, make_user())


def test_an_auditor_sees_everybodys_refusals_and_a_person_their_own(client):
    bob = make_user()
    make_decision(bob, allowed=False, tool="bobs__tool")

    assert "bobs__tool" in home(client, make_auditor())
    assert "bobs__tool" not in home(client, make_user())
    assert "bobs__tool" in home(client, bob)
