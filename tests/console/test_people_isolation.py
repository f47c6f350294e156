"""Own things only: what is somebody else's does not exist, what is for auditors is refused."""

import pytest
from django.urls import reverse

from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_administrator, make_auditor, make_team, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return make_user("ann")


@pytest.fixture
def bob_things():
    """Everything Bob has that has a page of its own, as (route, arguments, method)."""
    bob = make_user("bob")
    connection = make_connection(bob, make_connector("ledger"))
    agent, _token = make_agent(bob, "Bob's agent")
    make_grant(agent, connection)
    decision = make_decision(bob, agent=agent, connection=connection)
    call = make_call(bob, agent=agent, connection=connection, decision=decision)
    token = agent.tokens.get()
    return {
        "connection": ([connection.pk], "get"),
        "connection_check": ([connection.pk], "post"),
        "reconnect": ([connection.pk], "post"),
        "disconnect": ([connection.pk], "post"),
        "agent": ([agent.pk], "get"),
        "agent_retire": ([agent.pk], "post"),
        "token_create": ([agent.pk], "post"),
        "token_revoke": ([agent.pk, token.pk], "post"),
        "grant": ([agent.pk, connection.pk], "post"),
        "call": ([call.pk], "get"),
        "decision": ([decision.pk], "get"),
    }


ROUTES = (
    "connection",
    "connection_check",
    "reconnect",
    "disconnect",
    "agent",
    "agent_retire",
    "token_create",
    "token_revoke",
    "grant",
    "call",
    "decision",
)


@pytest.mark.parametrize("route", ROUTES)
def test_another_persons_thing_does_not_exist(client, ann, bob_things, route):
    client.force_login(ann)
    arguments, method = bob_things[route]

    assert getattr(client, method)(reverse(f"console:{route}", args=arguments)).status_code == 404


def test_an_agent_of_mine_cannot_be_granted_anothers_connection(client, ann, bob_things):
    mine, _token = make_agent(ann)
    client.force_login(ann)
    connection = bob_things["connection"][0][0]

    answer = client.post(
        reverse("console:grant", args=[mine.pk, connection]), {"breadth": "all", "access": "read_only"}
    )

    assert answer.status_code == 404
    assert not mine.grants.exists()


def test_an_administrator_does_not_get_another_persons_agent(client, bob_things):
    client.force_login(make_administrator())

    assert client.get(reverse("console:agent", args=bob_things["agent"][0])).status_code == 404


@pytest.mark.parametrize("route", ["audit_calls", "audit_decisions", "admin_events"])
def test_everybodys_logs_are_refused_to_ordinary_people(client, ann, route):
    client.force_login(ann)

    assert client.get(reverse(f"console:{route}")).status_code == 403


@pytest.mark.parametrize("make", [make_auditor, make_administrator])
@pytest.mark.parametrize("route", ["audit_calls", "audit_decisions", "admin_events"])
def test_auditors_and_administrators_read_everybodys_logs(client, make, route):
    client.force_login(make())

    assert client.get(reverse(f"console:{route}")).status_code == 200


@pytest.mark.parametrize("route", ["call", "decision"])
def test_an_auditor_opens_another_persons_row(client, bob_things, route):
    client.force_login(make_auditor())

    answer = client.get(reverse(f"console:{route}", args=bob_things[route][0]))

    assert answer.status_code == 200
    assert b"bob" in answer.content


def test_my_lists_hold_my_rows_only(client, ann, bob_things):
    make_call(ann, tool="mine__search")
    make_decision(ann, tool="mine__search")
    client.force_login(ann)

    for route in ("my_calls", "my_decisions"):
        page = client.get(reverse(f"console:{route}")).content.decode()
        assert "mine__search" in page
        assert "notebook__search_notes" not in page


def test_a_person_filter_does_not_widen_my_calls(client, ann, bob_things):
    client.force_login(ann)

    page = client.get(reverse("console:my_calls"), {"person": "bob"}).content.decode()

    assert "notebook__search_notes" not in page


def test_even_an_auditors_my_calls_hold_only_their_own(client, bob_things):
    client.force_login(make_auditor())

    assert "notebook__search_notes" not in client.get(reverse("console:my_calls")).content.decode()


@pytest.mark.parametrize("route", ["catalogue_connector", "connect"])
def test_a_connector_shared_with_others_does_not_exist(client, ann, route):
    make_connector("secret-club", everyone=False, teams=[make_team("Others", make_user())])
    client.force_login(ann)

    assert client.get(reverse(f"console:{route}", args=["secret-club"])).status_code == 404
    assert b"secret-club" not in client.get(reverse("console:catalogue")).content


def test_signing_in_comes_first(client):
    answer = client.get(reverse("console:connections"))

    assert answer.status_code == 302
    assert reverse("account_login") in answer.url
