"""People and teams as administrators list them."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.access.models import Team, User
from connectors.access.people import role_of
from connectors.access.roles import ADMINISTRATOR, AUDITOR, USER

SIZE = 50
ROLES: dict[str, str | Promise] = {
    ADMINISTRATOR: _("Administrator"),
    AUDITOR: _("Auditor"),
    USER: _("User"),
}
ROLE_MEANINGS: dict[str, str | Promise] = {
    ADMINISTRATOR: _("Installs and publishes connectors, manages people and teams, reads every log."),
    AUDITOR: _("Reads every decision, call and administrative event; changes nothing."),
    USER: _("Uses what is published to them, with agents of their own."),
}


@dataclass(frozen=True, slots=True)
class PeopleFilters:
    q: str = ""
    role: str = ""
    after: str = ""

    @property
    def narrowing(self) -> bool:
        return bool(self.q or self.role)


@dataclass(frozen=True, slots=True)
class PersonRow:
    person: User
    role: str | Promise
    teams: tuple[str, ...]
    agents: int


@dataclass(frozen=True, slots=True)
class PeoplePage:
    rows: tuple[PersonRow, ...]
    older: str


def list_people(filters: PeopleFilters) -> PeoplePage:
    """Return one page, by user name."""
    people = list(_filtered(filters)[: SIZE + 1])
    page, more = people[:SIZE], len(people) > SIZE
    rows = tuple(
        PersonRow(
            person,
            name_role(role_of(person)),
            tuple(team.name for team in person.teams.all()),
            person.working_agents,  # type: ignore[attr-defined] # annotated by `_filtered`
        )
        for person in page
    )
    return PeoplePage(rows, page[-1].username if more else "")


def list_teams() -> QuerySet[Team]:
    """Return every team with how many members and connectors it has."""
    return Team.objects.annotate(
        size=Count("members", distinct=True), shown=Count("connectors", distinct=True)
    ).order_by("name")


def name_role(role: str) -> str | Promise:
    return ROLES.get(role, _("None"))


def _filtered(filters: PeopleFilters) -> QuerySet[User]:
    people = User.objects.prefetch_related("groups", "teams").order_by("username")
    people = people.annotate(working_agents=Count("agents", filter=Q(agents__retired_at=None), distinct=True))
    if filters.q:
        people = people.filter(
            Q(username__icontains=filters.q) | Q(display_name__icontains=filters.q) | Q(email__icontains=filters.q)
        )
    if filters.role in ROLES:
        people = people.filter(groups__name=filters.role)
    if filters.after:
        people = people.filter(username__gt=filters.after)
    return people
