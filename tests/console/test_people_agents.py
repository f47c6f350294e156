"""Agents: the token is shown once, and grants say exactly what an agent may use."""

import re
import uuid
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from connectors.access.models import Agent, AgentToken
from connectors.access.tokens import digest_token
from connectors.policy.models import Grant
from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant

pytestmark = pytest.mark.django_db
TOKEN = re.compile(r"poco_[A-Za-z0-9_-]{43}")


def make(client, name="Claude Code", **fields):
    mark = fields.pop("mark", uuid.uuid4().hex)
    return client.post(reverse("console:agent_create"), {"name": name, "lifetime": "30", "form-mark": mark, **fields})


def test_a_new_agents_token_is_on_the_page_and_works(client, ann):
    page = make(client).content.decode()

    (token,) = set(TOKEN.findall(page))
    assert AgentToken.objects.get().digest == digest_token(token)


def test_the_token_page_may_not_be_kept(client, ann):
    assert make(client)["Cache-Control"] == "no-store"


def test_no_later_page_shows_the_token(client, ann):
    (token,) = set(TOKEN.findall(make(client).content.decode()))
    agent = Agent.objects.get()

    for url in (reverse("console:agent", args=[agent.pk]), reverse("console:agents"), reverse("console:home")):
        page = client.get(url).content.decode()
        assert token not in page
        assert not TOKEN.search(page)


def test_the_session_does_not_keep_the_token(client, ann):
    (token,) = set(TOKEN.findall(make(client).content.decode()))

    assert token not in str(dict(client.session))


def test_sending_the_same_form_twice_makes_one_agent(client, ann):
    mark = uuid.uuid4().hex
    make(client, mark=mark)

    again = make(client, name="Claude Code 2", mark=mark)

    assert again.status_code == 302
    assert Agent.objects.count() == 1


def test_client_settings_hold_the_endpoint_and_the_token(client, ann, settings):
    settings.BACKEND_URL = "https://connectors.example.com"
    page = make(client).content.decode()

    assert "claude mcp add --transport http poco-claude-code https://connectors.example.com/mcp" in page
    assert "&quot;url&quot;: &quot;https://connectors.example.com/mcp&quot;" in page


def test_a_name_in_use_is_refused_beside_the_field_and_stays_typed(client, ann):
    make(client)

    answer = make(client, name="claude code")

    assert answer.status_code == 422
    assert 'value="claude code"' in answer.content.decode()
    assert Agent.objects.count() == 1


def test_an_agent_gets_several_tokens_with_their_own_expiry(client, ann):
    make(client)
    agent = Agent.objects.get()

    answer = client.post(
        reverse("console:token_create", args=[agent.pk]), {"lifetime": "", "form-mark": uuid.uuid4().hex}
    )

    assert answer.status_code == 201
    assert TOKEN.search(answer.content.decode())
    assert sorted(token.expires_at is None for token in agent.tokens.all()) == [False, True]


def test_reloading_the_page_of_a_second_token_makes_no_third(client, ann):
    agent, _token = make_agent(ann)
    fields = {"lifetime": "30", "form-mark": uuid.uuid4().hex}
    client.post(reverse("console:token_create", args=[agent.pk]), fields)

    again = client.post(reverse("console:token_create", args=[agent.pk]), fields)

    assert again.status_code == 302
    assert agent.tokens.count() == 2


def test_revoking_asks_first_and_then_ends_the_token(client, ann):
    agent, _token = make_agent(ann)
    token = agent.tokens.get()
    url = reverse("console:token_revoke", args=[agent.pk, token.pk])

    assert client.get(url).status_code == 200
    token.refresh_from_db()
    assert token.revoked_at is None

    client.post(url)
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_a_token_of_another_agent_of_mine_is_not_under_this_one(client, ann):
    agent, _ = make_agent(ann)
    other, _ = make_agent(ann)

    url = reverse("console:token_revoke", args=[agent.pk, other.tokens.get().pk])

    assert client.post(url).status_code == 404


def test_an_expired_token_says_so(client, ann):
    agent, _token = make_agent(ann)
    agent.tokens.update(expires_at=timezone.now() - timedelta(minutes=1))

    page = client.get(reverse("console:agent", args=[agent.pk])).content.decode()

    assert "Expired" in page
    assert "None works" in client.get(reverse("console:agents")).content.decode()


def test_retiring_asks_first_and_takes_the_agent_off_the_list(client, ann):
    agent, _token = make_agent(ann, "Old one")
    url = reverse("console:agent_retire", args=[agent.pk])

    assert client.get(url).status_code == 200
    client.post(url)

    assert "No agent yet" in client.get(reverse("console:agents")).content.decode()
    assert "retired" in client.get(reverse("console:agent", args=[agent.pk])).content.decode()


@pytest.fixture
def granting(client, ann):
    agent, _token = make_agent(ann)
    connection = make_connection(ann, make_connector())
    return agent, connection, reverse("console:grant", args=[agent.pk, connection.pk])


def test_all_tools_to_read_is_what_gets_granted(client, granting):
    agent, _connection, url = granting

    answer = client.post(url, {"breadth": "all", "access": "read_only"})

    grant = Grant.objects.get(agent=agent)
    assert answer.status_code == 302
    assert (grant.breadth, grant.access, grant.tools) == ("all", "read_only", [])


def test_where_nothing_is_granted_yet_the_form_proposes_reading_with_every_tool(client, granting):
    _agent, _connection, url = granting

    chosen = re.findall(r'name="(breadth|access)" value="(\w+)"[^>]*checked', client.get(url).content.decode())

    assert chosen == [("breadth", "all"), ("access", "read_only")]


def test_chosen_tools_are_what_gets_granted(client, granting):
    agent, _connection, url = granting

    client.post(url, {"breadth": "some", "access": "read_write", "tools": ["add_note", "search_notes"]})

    assert Grant.objects.get(agent=agent).tools == ["add_note", "search_notes"]


def test_no_tool_chosen_is_told_and_grants_nothing(client, granting):
    agent, _connection, url = granting

    answer = client.post(url, {"breadth": "some", "access": "read_write"})

    assert answer.status_code == 422
    assert not agent.grants.exists()


def test_a_tool_the_package_does_not_name_cannot_be_granted(client, granting):
    agent, _connection, url = granting

    answer = client.post(url, {"breadth": "some", "access": "read_write", "tools": ["drop_tables"]})

    assert answer.status_code == 422
    assert not agent.grants.exists()


def test_granting_nothing_takes_the_grant_back(client, granting):
    agent, connection, url = granting
    make_grant(agent, connection)

    client.post(url, {"breadth": "none", "access": "read_only"})

    assert not agent.grants.exists()


def test_tools_are_shown_by_effect_safest_first(client, granting):
    _agent, _connection, url = granting

    page = client.get(url).content.decode()

    assert page.index('value="search_notes"') < page.index('value="add_note"') < page.index('value="delete_note"')


def test_htmx_gets_the_form_alone(client, granting):
    _agent, connection, url = granting

    part = client.get(url, headers={"HX-Request": "true", "HX-Target": f"grant-form-{connection.pk}"}).content.decode()

    assert "grant-form" in part
    assert "<html" not in part


def test_a_retired_agent_is_granted_nothing(client, granting):
    agent, _connection, url = granting
    Agent.objects.filter(pk=agent.pk).update(retired_at=timezone.now())

    client.post(url, {"breadth": "all", "access": "read_only"})

    assert not agent.grants.exists()


def test_the_matrix_tells_what_is_granted(client, ann, granting):
    agent, connection, _url = granting
    make_grant(agent, connection, breadth="some", access="read_only", tools=["search_notes"])

    page = client.get(reverse("console:agent", args=[agent.pk])).content.decode()

    assert "1 tool" in page
    assert "Read only" in page
