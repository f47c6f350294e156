"""Teams: made, renamed, filled and dissolved. Membership decides what people see, so their epochs rise."""

from collections.abc import Iterable
from typing import Any

from django.db import IntegrityError, transaction

from connectors.access.epoch import bump_people
from connectors.access.models import Team, User
from connectors.access.names import parse_name
from connectors.audit.recording import record_admin_event
from connectors.errors import Conflict, NotFound


def create_team(*, name: str, actor: User, members: Iterable[User] = ()) -> Team:
    """Return a new team; a name is taken once."""
    name = parse_name(name)
    try:
        with transaction.atomic():
            team = Team.objects.create(name=name)
            team.members.set(members)
            names = _member_names(team)
            bump_people(team.members.values_list("pk", flat=True))
            _record("team_created", team, actor, after={"name": name, "members": names})
    except IntegrityError as error:
        raise Conflict("team_name_taken", name=name) from error
    return team


def rename_team(*, team: Team, name: str, actor: User) -> Team:
    """Give a team another name; nobody sees more or less by it."""
    name = parse_name(name)
    try:
        with transaction.atomic():
            current = _lock(team)
            before, current.name = current.name, name
            current.save(update_fields=["name"])
            _record("team_renamed", current, actor, before={"name": before}, after={"name": name})
    except IntegrityError as error:
        raise Conflict("team_name_taken", name=name) from error
    return current


@transaction.atomic
def set_members(*, team: Team, people: Iterable[User], actor: User) -> Team:
    """Make exactly these people the team's members; only those who join or leave are touched."""
    current = _lock(team)
    before = set(current.members.values_list("pk", flat=True))
    names_before = _member_names(current)
    current.members.set(people)
    changed = before ^ set(current.members.values_list("pk", flat=True))
    if changed:
        bump_people(changed)
        after = {"members": _member_names(current)}
        _record("team_members_set", current, actor, before={"members": names_before}, after=after)
    return current


@transaction.atomic
def delete_team(*, team: Team, actor: User) -> None:
    """Dissolve a team; what was visible only through it is no longer visible to its members."""
    current = _lock(team)
    bump_people(current.members.values_list("pk", flat=True))
    before = {"name": current.name, "members": _member_names(current)}
    Team.objects.filter(pk=current.pk).delete()
    _record("team_deleted", current, actor, before=before)


def _lock(team: Team) -> Team:
    current = Team.objects.select_for_update().filter(pk=team.pk).first()
    if current is None:
        raise NotFound("team_not_found")
    return current


def _member_names(team: Team) -> list[str]:
    return list(team.members.order_by("username").values_list("username", flat=True))


def _record(
    act: str, team: Team, actor: User, *, before: dict[str, Any] | None = None, after: dict[str, Any] | None = None
) -> None:
    record_admin_event(
        actor=actor,
        act=act,
        target_kind="team",
        target_id=str(team.pk),
        target_name=team.name,
        before=before or {},
        after=after or {},
    )
