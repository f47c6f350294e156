"""Reads of connectors: who sees which, and how many see one."""

from collections import defaultdict
from collections.abc import Collection
from uuid import UUID

from django.db.models import Q, QuerySet

from connectors.access.models import Team, User
from connectors.catalogue.models import Connector, PackageVersion
from connectors.errors import NotFound


def visible_connectors(person: User) -> QuerySet[Connector]:
    """Return the published connectors a person may see, in the catalogue's order; a deactivated person sees none."""
    if not person.is_active:
        return Connector.objects.none()
    return Connector.objects.filter(_visible_to(person), status=Connector.Status.PUBLISHED).select_related(
        "version", "category"
    )


def is_visible(connector: Connector, person: User) -> bool:
    """Return whether a person may see this connector now."""
    return visible_connectors(person).filter(pk=connector.pk).exists()


def find_visible(person: User, key: str) -> Connector:
    """Return a connector by its key; absent, unpublished and invisible look the same: not found."""
    connector = visible_connectors(person).filter(key=key).first()
    if connector is None:
        raise NotFound("connector_not_found", key=key)
    return connector


def installed_connectors() -> QuerySet[Connector]:
    """Return every connector for its administrators, with version and category."""
    return Connector.objects.select_related("version", "category")


def find_connector(key: str) -> Connector:
    """Return an installed connector by its key, or raise NotFound."""
    connector = installed_connectors().filter(key=key).first()
    if connector is None:
        raise NotFound("connector_not_found", key=key)
    return connector


def installed_versions(key: str) -> QuerySet[PackageVersion]:
    """Return every package version of a key that is installed, the last installed first, without what they hold."""
    heavy = ("manifest", "texts", "skills")
    return PackageVersion.objects.filter(key=key).defer(*heavy).select_related("installed_by").order_by("-installed_at")


def find_version(key: str, version: str) -> PackageVersion:
    """Return one installed version of a key, or raise NotFound."""
    found = PackageVersion.objects.filter(key=key, version=version).select_related("installed_by").first()
    if found is None:
        raise NotFound("version_not_found", key=key, version=version)
    return found


def audience(connector: Connector) -> QuerySet[User]:
    """Return the active people who may see the connector once it is published."""
    people = User.objects.filter(is_active=True)
    if connector.everyone:
        return people
    named = connector.people.order_by().values("pk")
    members = User.objects.filter(teams__in=connector.teams.order_by()).order_by().values("pk")
    return people.filter(Q(pk__in=named) | Q(pk__in=members))


def reach(connector: Connector) -> int:
    """Return how many active people may see the connector once it is published."""
    return audience(connector).count()


def count_reach(connectors: Collection[Connector]) -> dict[UUID, int]:
    """Return `reach` of each by id, with three queries however many there are."""
    active = User.objects.filter(is_active=True).count()
    narrowed = Connector.objects.filter(pk__in=[each.pk for each in connectors if not each.everyone]).order_by()
    named = narrowed.filter(people__is_active=True).values_list("pk", "people")
    members = narrowed.filter(teams__members__is_active=True).values_list("pk", "teams__members")
    reached: dict[UUID, set[int]] = defaultdict(set)
    for connector, person in [*named, *members]:
        reached[connector].add(person)
    return {each.pk: active if each.everyone else len(reached[each.pk]) for each in connectors}


def _visible_to(person: User) -> Q:
    """Subqueries rather than joins, so that two ways to see one connector are still one row."""
    teams = Team.objects.filter(members=person).order_by()
    by_team = Connector.teams.through.objects.filter(team__in=teams).values("connector_id")
    by_name = Connector.people.through.objects.filter(user=person).values("connector_id")
    return Q(everyone=True) | Q(pk__in=by_team) | Q(pk__in=by_name)
