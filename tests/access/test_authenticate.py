"""A token's digest becomes an agent, in one query, or nothing."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from connectors.access.epoch import bump_catalogue, bump_people, bump_person
from connectors.access.queries import authenticate_agent
from connectors.access.tokens import digest_token, has_token_shape, make_token
from tests.builders.connectors import make_agent
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db


def test_a_token_names_its_agent_and_its_owner():
    owner = make_user(display_name="Ada Lovelace")
    agent, token = make_agent(owner, "Scribe")

    found = authenticate_agent(digest_token(token))

    assert found is not None
    assert (found.agent_id, found.agent_name) == (agent.pk, "Scribe")
    assert (found.owner_id, found.owner_name) == (owner.pk, "Ada Lovelace")


def test_an_owner_without_a_display_name_is_called_as_everywhere_else():
    for fields in ({"first_name": "Ada"}, {"first_name": "Ada", "last_name": "L"}, {}):
        owner = make_user(**fields)
        _agent, token = make_agent(owner)
        assert authenticate_agent(digest_token(token)).owner_name == owner.name


def test_it_takes_one_query_on_the_index_of_digests(django_assert_num_queries):
    _agent, token = make_agent()
    with django_assert_num_queries(1) as queries:
        authenticate_agent(digest_token(token))
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN QUERY PLAN " + queries.captured_queries[0]["sql"])
            plan = " ".join(str(row) for row in cursor.fetchall())
        assert "SCAN" not in plan, plan


def test_an_unknown_token_is_nobody():
    assert authenticate_agent(digest_token(make_token())) is None


def test_a_revoked_token_is_nobody():
    agent, token = make_agent()
    agent.tokens.update(revoked_at=timezone.now())
    assert authenticate_agent(digest_token(token)) is None


def test_a_token_is_nobody_from_the_moment_it_expires():
    agent, token = make_agent()
    agent.tokens.update(expires_at=timezone.now() + timedelta(minutes=1))
    assert authenticate_agent(digest_token(token)) is not None
    agent.tokens.update(expires_at=timezone.now())
    assert authenticate_agent(digest_token(token)) is None


def test_the_token_of_a_retired_agent_is_nobody():
    agent, token = make_agent()
    agent.retired_at = timezone.now()
    agent.save()
    assert authenticate_agent(digest_token(token)) is None


def test_the_token_of_a_deactivated_owner_is_nobody():
    owner = make_user()
    _agent, token = make_agent(owner)
    owner.is_active = False
    owner.save()
    assert authenticate_agent(digest_token(token)) is None


def test_a_bump_shows_in_the_next_answer():
    owner = make_user()
    _agent, token = make_agent(owner)
    assert authenticate_agent(digest_token(token)).epoch == (0, 0)

    bump_person(owner.pk)
    bump_catalogue()
    bump_catalogue()

    assert authenticate_agent(digest_token(token)).epoch == (1, 2)


def test_several_people_are_bumped_once_each():
    one, two, other = make_user(), make_user(), make_user()
    bump_people([two.pk, one.pk, two.pk])
    for person in (one, two, other):
        person.refresh_from_db()
    assert (one.epoch, two.epoch, other.epoch) == (1, 1, 0)


@pytest.mark.django_db(transaction=True)
def test_an_epoch_does_not_rise_outside_a_transaction():
    assert not transaction.get_connection().in_atomic_block
    with pytest.raises(RuntimeError, match="in the transaction"):
        bump_catalogue()


def test_tokens_have_one_shape_and_never_repeat():
    tokens = {make_token() for _ in range(200)}
    assert len(tokens) == 200
    assert all(has_token_shape(token) for token in tokens)
    for wrong in ("", "poco_", "poco_" + "a" * 42, "poco_" + "a" * 44, "other" + "a" * 43, "poco_" + "ä" * 43):
        assert not has_token_shape(wrong)
