"""People, as rows: an administrator, an auditor, users, teams."""

from itertools import count

from django.contrib.auth.models import Group

from connectors.access.models import Team, User
from connectors.access.roles import ADMINISTRATOR, AUDITOR, USER

_numbers = count(1)


def make_user(username: str = "", *, role: str = USER, password: str = "", **fields) -> User:
    """Return a person with a role; without a name they are somebody1, somebody2, …"""
    user = User(username=username or f"somebody{next(_numbers)}", **fields)
    if password:
        user.set_password(password)
    else:
        user.set_unusable_password()
    user.save()
    user.groups.add(Group.objects.get(name=role))
    return user


def make_administrator(username: str = "", **fields) -> User:
    return make_user(username or f"admin{next(_numbers)}", role=ADMINISTRATOR, **fields)


def make_auditor(username: str = "", **fields) -> User:
    return make_user(username or f"auditor{next(_numbers)}", role=AUDITOR, **fields)


def make_team(name: str = "", *members: User) -> Team:
    team = Team.objects.create(name=name or f"Team {next(_numbers)}")
    team.members.set(members)
    return team
