"""Agents and their tokens are made, shown once, revoked and retired."""

from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.access.agents import add_token, create_agent, retire_agent, revoke_token
from connectors.access.models import AgentToken
from connectors.access.queries import authenticate_agent
from connectors.access.tokens import digest_token, has_token_shape
from connectors.audit.models import AdminEvent
from connectors.errors import Conflict, Invalid, Refused
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db


def test_a_new_agent_comes_with_one_token_that_is_kept_as_a_digest_only():
    owner = make_user()
    agent, text = create_agent(owner=owner, name="Scribe")

    token = agent.tokens.get()
    assert has_token_shape(text)
    assert (token.digest, token.hint) == (digest_token(text), text[-4:])
    assert text not in str(AgentToken.objects.values()) + str(AdminEvent.objects.values())
    assert authenticate_agent(digest_token(text)).agent_id == agent.pk


def test_a_token_may_be_given_a_lifetime():
    _agent, text = create_agent(owner=make_user(), name="Scribe", lifetime=timedelta(days=1))
    expires_at = authenticate_agent(digest_token(text)).expires_at
    assert timedelta(hours=23) < expires_at - timezone.now() <= timedelta(days=1)


def test_a_second_token_leaves_the_first_valid():
    agent, first = create_agent(owner=make_user(), name="Scribe")
    _token, second = add_token(agent=agent)
    assert authenticate_agent(digest_token(first)) is not None
    assert authenticate_agent(digest_token(second)) is not None


def test_a_revoked_token_stops_and_the_other_goes_on():
    agent, first = create_agent(owner=make_user(), name="Scribe")
    token, second = add_token(agent=agent)
    revoked = revoke_token(token=token)
    assert revoked.revoked_at is not None
    assert authenticate_agent(digest_token(second)) is None
    assert authenticate_agent(digest_token(first)) is not None


def test_revoking_twice_keeps_the_first_moment_and_one_event():
    agent, _text = create_agent(owner=make_user(), name="Scribe")
    token = agent.tokens.get()
    moment = revoke_token(token=token).revoked_at
    assert revoke_token(token=token).revoked_at == moment
    assert AdminEvent.objects.filter(act="token_revoked").count() == 1


def test_a_retired_agent_is_gone_with_all_its_tokens_and_its_name_is_free():
    owner = make_user()
    agent, text = create_agent(owner=owner, name="Scribe")
    retire_agent(agent=agent)
    assert authenticate_agent(digest_token(text)) is None
    create_agent(owner=owner, name="Scribe")


def test_a_retired_agent_gets_no_new_token():
    agent, _text = create_agent(owner=make_user(), name="Scribe")
    retire_agent(agent=agent)
    with pytest.raises(Conflict, match="agent_retired"):
        add_token(agent=agent)


def test_a_name_counts_once_among_an_owners_agents_regardless_of_case():
    owner = make_user()
    create_agent(owner=owner, name="Scribe")
    with pytest.raises(Conflict, match="agent_name_taken"):
        create_agent(owner=owner, name="scribe")
    create_agent(owner=make_user(), name="Scribe")


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "two\x00words", "\u202ehidden"])
def test_a_name_is_printable_and_not_too_long(name):
    with pytest.raises(Invalid) as caught:
        create_agent(owner=make_user(), name=name)
    assert [fault.code for fault in caught.value.faults] == ["name_invalid"]


def test_a_deactivated_person_makes_no_agents():
    with pytest.raises(Refused, match="person_inactive"):
        create_agent(owner=make_user(is_active=False), name="Scribe")
