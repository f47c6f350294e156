"""Point a connector at another version of its package: what updating and rolling back share.

Everything that takes time happens before (the archive is put, the program asked); then one transaction locks the
connector, looks at all of it again, and either changes everything or nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import transaction

from connectors.access.epoch import bump_catalogue
from connectors.access.models import User
from connectors.authorization.cancelling import cancel_attempts
from connectors.authorization.fingerprint_change import note_fingerprint
from connectors.catalogue.carrying_over import carry_over, open_carried, store_carried
from connectors.catalogue.categories import settle_category
from connectors.catalogue.configuration_changes import stale_configuration
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.fingerprint import compute_fingerprint
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import Connector, PackageVersion
from connectors.catalogue.program import ask_about_configuration
from connectors.catalogue.queries import installed_connectors
from connectors.catalogue.version_rows import save_version
from connectors.catalogue.versions import manifest_of
from connectors.errors import Conflict, NotFound
from connectors.lifecycle.models import Drain
from connectors.lifecycle.occupancy import Occupied, find_occupants, require_free
from connectors.lifecycle.transition import check_transition, end_drain
from connectors.manifest.difference import Change, compare_manifests
from connectors.packages.inspection import InspectedPackage

_SAVED = ("version", "category", "position", "configuration", "configuration_revision", "authorization_fingerprint")


@dataclass(frozen=True, slots=True)
class Typed:
    """What an administrator typed and ticked for a change, and what they had been shown when they did.

    `raw_configuration` may lack fields: what is not sent keeps its value, or takes its default; a blank secret keeps.
    `accepted` holds the `Change.id` of each raised risk that was ticked. With `expected_revision` a configuration that
    was saved meanwhile is a conflict, with `expected_reauthorize` more people to reauthorize than that is one.
    """

    raw_configuration: Mapping[str, str] = field(default_factory=dict)
    cleared: frozenset[str] = frozenset()
    accepted: frozenset[str] = frozenset()
    expected_revision: int | None = None
    expected_reauthorize: int | None = None


NOTHING_TYPED: Final = Typed()


@dataclass(frozen=True, slots=True)
class Target:
    """The version a connector goes to; `package` is there when its rows are not written yet."""

    version: PackageVersion
    package: InspectedPackage | None = None


@dataclass(frozen=True, slots=True)
class VersionChange:
    """`seen` is the connector as everything was checked against; `drain` the one that makes the change, if any."""

    act: str
    seen: Connector
    target: Target
    typed: Typed
    actor: User | None
    drain: Drain | None = field(default=None)


def raised_risks(connector: Connector, version: PackageVersion) -> tuple[Change, ...]:
    """Return the changes that ask for a tick of their own."""
    changes = compare_manifests(manifest_of(connector.version), manifest_of(version))
    return tuple(change for change in changes if change.risk == "raised")


def check_change(change: VersionChange) -> None:
    """Refuse at once what would be refused at the end, all but that the connector is in use."""
    seen, typed = change.seen, change.typed
    check_transition(seen, change.drain)
    if typed.expected_revision not in (None, seen.configuration_revision):
        raise stale_configuration(seen)
    missing = [risk for risk in raised_risks(seen, change.target.version) if risk.id not in typed.accepted]
    if missing:
        raise Conflict("risk_not_accepted", key=seen.key, count=len(missing))
    carry_over(seen, manifest_of(change.target.version), typed.raw_configuration, typed.cleared)


def see(connector: Connector) -> Connector:
    """Return the connector as it is now; what follows is checked against it, and again under its lock."""
    current = installed_connectors().filter(pk=connector.pk).first()
    if current is None:
        raise NotFound("connector_not_found", key=connector.key)
    return current


def check_unoccupied(connector: Connector) -> None:
    """Tell early, before anything is put or asked; what counts is asked again under the lock."""
    occupants = find_occupants(connector)
    if occupants:
        raise Occupied(connector, occupants)


def ask_program(change: VersionChange) -> Any:
    """Return the authorization identity under the new version and values; takes seconds, never in a transaction."""
    version, typed = change.target.version, change.typed
    if manifest_of(version).program is None:
        return None
    carried = carry_over(change.seen, manifest_of(version), typed.raw_configuration, typed.cleared)
    return ask_about_configuration(version, carried.public, open_carried(change.seen, carried))


@transaction.atomic
def commit_change(change: VersionChange, identity: Any) -> Connector:
    """Make the change, if the connector is still what was seen and nothing uses it."""
    current = lock_connector(change.seen.pk)
    check_transition(current, change.drain)
    check_unchanged(current, change.seen)
    require_free(current)
    version, manifest = change.target.version, manifest_of(change.target.version)
    before = {"version": current.version.version}
    carried = carry_over(current, manifest, change.typed.raw_configuration, change.typed.cleared)
    if change.target.package is not None:
        save_version(version, change.target.package)
    told = store_carried(current, carried, change.actor)
    fingerprint = compute_fingerprint(manifest, carried.public, identity=identity)
    people = note_fingerprint(current, fingerprint)
    check_promise(change.typed.expected_reauthorize, people)
    settle_category(current, manifest.presentation.category)
    current.version = version
    current.save(update_fields=_SAVED)
    cancelled = cancel_attempts(current)
    if change.drain is not None:
        end_drain(current, change.drain, Drain.State.DONE)
    else:
        Drain.objects.filter(connector=current).delete()  # how the last one ended is no news any more
    bump_catalogue()
    after = {"version": version.version, "archive_sha256": version.archive_sha256, "reauthorize": people}
    after |= {"cancelled_authorizations": cancelled, "accepted": sorted(change.typed.accepted)}
    record_connector_event(
        change.act,
        current,
        change.actor,
        before=before | told.get("before", {}),
        after=after | told.get("after", {}),
    )
    return current


def check_promise(expected: int | None, people: int) -> None:
    """Refuse to send more people to authorize again than were told of; fewer are no reason: some leave meanwhile."""
    if expected is not None and people > expected:
        raise Conflict("reauthorization_differs", expected=expected, people=people)


def check_unchanged(current: Connector, seen: Connector) -> None:
    """Refuse what was prepared for another version or configuration than there is now."""
    if current.version_id != seen.version_id:
        raise Conflict("installed_version_changed", key=current.key, installed=current.version.version)
    if current.configuration_revision != seen.configuration_revision:
        raise stale_configuration(current)
