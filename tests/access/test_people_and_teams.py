"""People are created, given a role, shut out and let in; teams are filled and dissolved."""

import pytest

from connectors.access.agents import create_agent
from connectors.access.models import SignInLink, Team, User
from connectors.access.people import activate_person, create_person, deactivate_person, role_of, set_role
from connectors.access.queries import authenticate_agent, people, teams
from connectors.access.roles import AUDITOR, USER
from connectors.access.teams import create_team, delete_team, rename_team, set_members
from connectors.access.tokens import digest_token
from connectors.audit.models import AdminEvent
from connectors.errors import Conflict, Invalid, NotFound, Refused
from tests.builders.people import make_administrator, make_team, make_user

pytestmark = pytest.mark.django_db


def epochs(*everybody: User) -> list[int]:
    by_id = dict(User.objects.values_list("pk", "epoch"))
    return [by_id[person.pk] for person in everybody]


def test_a_new_person_has_a_role_and_no_password():
    person = create_person(username="mei", role=AUDITOR, display_name="Mei 陈", actor=make_administrator())
    assert role_of(person) == AUDITOR
    assert person.has_perm("connectors.view_audit")
    assert not person.has_usable_password()
    assert str(person) == "Mei 陈"


def test_every_fault_of_a_new_person_comes_at_once():
    with pytest.raises(Invalid) as caught:
        create_person(username="a b", role="king", display_name="\x00", email="no", actor=None)
    assert {fault.where for fault in caught.value.faults} == {"username", "role", "display_name", "email"}
    assert not User.objects.exists()


def test_a_username_is_taken_once():
    create_person(username="mei", role=USER, actor=None)
    with pytest.raises(Conflict, match="username_taken"):
        create_person(username="mei", role=USER, actor=None)


def test_a_role_replaces_the_one_before():
    admin = make_administrator()
    person = make_user()
    set_role(person=person, role=AUDITOR, actor=admin)
    person = User.objects.get(pk=person.pk)
    assert [group.name for group in person.groups.all()] == [AUDITOR]
    event = AdminEvent.objects.get(act="role_set")
    assert (event.actor_id, event.before, event.after) == (admin.pk, {"role": USER}, {"role": AUDITOR})


def test_the_last_administrator_keeps_the_role_and_the_account():
    admin = make_administrator()
    with pytest.raises(Refused, match="last_administrator"):
        set_role(person=admin, role=USER, actor=admin)
    with pytest.raises(Refused, match="last_administrator"):
        deactivate_person(person=admin, actor=admin)
    make_administrator(is_active=False)
    with pytest.raises(Refused, match="last_administrator"):
        deactivate_person(person=admin, actor=admin)
    make_administrator()
    assert not deactivate_person(person=admin, actor=None).is_active


def test_a_deactivated_persons_tokens_and_sign_in_links_stop_and_the_tokens_return_with_them():
    admin, person = make_administrator(), make_user()
    _agent, text = create_agent(owner=person, name="Scribe")
    SignInLink.objects.create(digest="0" * 64, user=person, expires_at="2100-01-01T00:00:00Z")
    deactivate_person(person=person, actor=admin)
    assert authenticate_agent(digest_token(text)) is None
    assert not SignInLink.objects.exists()
    activate_person(person=person, actor=admin)
    assert authenticate_agent(digest_token(text)) is not None


def test_setting_members_touches_only_who_joins_and_who_leaves():
    admin, stays, leaves, joins = make_administrator(), make_user(), make_user(), make_user()
    team = make_team("Design", stays, leaves)
    set_members(team=team, people=[stays, joins], actor=admin)
    assert set(team.members.all()) == {stays, joins}
    assert epochs(stays, leaves, joins) == [0, 1, 1]


def test_setting_the_same_members_is_no_event():
    admin, person = make_administrator(), make_user()
    team = make_team("Design", person)
    set_members(team=team, people=[person], actor=admin)
    assert not AdminEvent.objects.exists()
    assert epochs(person) == [0]


def test_a_dissolved_team_touches_its_members():
    person = make_user()
    team = make_team("Design", person)
    delete_team(team=team, actor=None)
    assert not Team.objects.exists()
    assert epochs(person) == [1]
    assert AdminEvent.objects.get().before == {"name": "Design", "members": [person.username]}


def test_a_team_that_is_gone_is_not_found():
    team = make_team()
    gone = Team.objects.get(pk=team.pk)
    delete_team(team=team, actor=None)
    with pytest.raises(NotFound):
        set_members(team=gone, people=[], actor=None)


def test_a_teams_name_is_taken_once():
    admin = make_administrator()
    create_team(name="Design", members=[admin], actor=admin)
    other = create_team(name="Sales", actor=admin)
    with pytest.raises(Conflict, match="team_name_taken"):
        create_team(name="Design", actor=admin)
    with pytest.raises(Conflict, match="team_name_taken"):
        rename_team(team=other, name="Design", actor=admin)
    assert rename_team(team=other, name="Support", actor=admin).name == "Support"


def test_people_and_teams_are_listed_in_a_constant_number_of_queries(django_assert_num_queries):
    for _ in range(3):
        make_team("", make_user(), make_user())
    with django_assert_num_queries(3):
        assert [role_of(person) for person in people()] == [USER] * 6
        assert [list(person.teams.all()) for person in people()[:0]] == []
    with django_assert_num_queries(2):
        assert [len(team.members.all()) for team in teams()] == [2, 2, 2]
