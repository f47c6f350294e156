"""Granting and taking back."""

import pytest

from connectors.audit.models import AdminEvent
from connectors.errors import Forbidden, Invalid, NotFound
from connectors.policy.grants import remove_grant, set_grant
from connectors.policy.models import Grant
from connectors.policy.queries import find_grant, grants_of_agent, grants_of_connection
from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner():
    return make_user()


@pytest.fixture
def agent(owner):
    return make_agent(owner)[0]


@pytest.fixture
def connection(owner):
    return make_connection(owner, make_connector("notes"))


def grant(agent, connection, actor, **values):
    values = {"breadth": "all", "access": "read_only", **values}
    return set_grant(agent=agent, connection=connection, actor=actor, **values)


def test_a_grant_raises_the_owners_epoch_and_is_an_event(owner, agent, connection):
    made = grant(agent, connection, owner)
    epoch = owner.epoch
    owner.refresh_from_db()
    assert owner.epoch == epoch + 1
    assert find_grant(agent, connection) == made
    event = AdminEvent.objects.get()
    assert (event.act, event.before, event.after["access"]) == ("grant_set", {}, "read_only")


def test_a_grant_reads_as_what_it_allows(owner, agent, connection):
    assert str(grant(agent, connection, owner)) == "all read_only"


def test_setting_again_replaces(owner, agent, connection):
    grant(agent, connection, owner)
    grant(agent, connection, owner, breadth="some", access="read_write", tools=["b", "a", "b"])
    kept = Grant.objects.get()
    assert (kept.breadth, kept.access, kept.tools) == ("some", "read_write", ["a", "b"])
    assert AdminEvent.objects.first().before["breadth"] == "all"
    assert list(grants_of_agent(agent)) == list(grants_of_connection(connection)) == [kept]


def test_names_count_only_for_some_tools(owner, agent, connection):
    assert grant(agent, connection, owner, tools=["a"]).tools == []


def test_taking_back_raises_the_epoch_too(owner, agent, connection):
    made = make_grant(agent, connection)
    remove_grant(grant=made, actor=owner)
    epoch = owner.epoch
    owner.refresh_from_db()
    assert owner.epoch == epoch + 1
    assert find_grant(agent, connection) is None
    assert AdminEvent.objects.get().act == "grant_removed"


@pytest.mark.parametrize(
    ("values", "where"),
    [({"breadth": "most"}, "breadth"), ({"access": "admin"}, "access"), ({"tools": [""]}, "tools"),
     ({"tools": ["x" * 256]}, "tools"), ({"tools": [str(n) for n in range(501)]}, "tools")],
)  # fmt: skip
def test_what_is_no_grant_is_refused(owner, agent, connection, values, where):
    with pytest.raises(Invalid) as refused:
        grant(agent, connection, owner, **values)
    assert refused.value.faults[0].where == where


@pytest.mark.parametrize(
    ("tools", "code", "limit"),
    [([f"t{number}" for number in range(501)], "too_many_items", 500), (["t" * 256], "too_long", 255)],
)
def test_a_refused_list_of_tools_names_the_limit_it_broke(owner, agent, connection, tools, code, limit):
    with pytest.raises(Invalid) as refused:
        set_grant(agent=agent, connection=connection, breadth="some", access="read_only", tools=tools, actor=owner)
    assert [(fault.code, fault.parameters) for fault in refused.value.faults] == [(code, {"limit": limit})]


def test_nobody_grants_what_is_anothers(owner, agent, connection):
    stranger = make_user()
    with pytest.raises(NotFound):
        grant(agent, connection, stranger)
    with pytest.raises(NotFound):
        grant(make_agent(stranger)[0], connection, stranger)
    with pytest.raises(NotFound):
        remove_grant(grant=make_grant(agent, connection), actor=stranger)


def test_a_retired_agent_is_granted_nothing(owner, agent, connection):
    agent.retired_at = agent.created_at
    with pytest.raises(Forbidden):
        grant(agent, connection, owner)
