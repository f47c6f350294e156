"""Roll a connector back to a package version that is installed already (contract.md; never an update, handbook §9)."""

from connectors.access.models import User
from connectors.catalogue.difference import compare_versions
from connectors.catalogue.models import Connector, PackageVersion
from connectors.catalogue.versions import manifest_of
from connectors.errors import Conflict, NotFound
from connectors.lifecycle.models import Drain
from connectors.lifecycle.preview import UpdatePreview, preview_change
from connectors.lifecycle.update import check_stored
from connectors.lifecycle.version_change import (
    NOTHING_TYPED,
    Target,
    Typed,
    VersionChange,
    ask_program,
    check_change,
    check_unoccupied,
    commit_change,
    see,
)


def preview_rollback(
    *,
    connector: Connector,
    version: PackageVersion,
    typed: Typed = NOTHING_TYPED,
) -> UpdatePreview:
    """Return what pointing the connector at this installed version would do."""
    refusal: Conflict | None = None
    try:
        _check_target(connector, version)
    except Conflict as conflict:
        refusal = conflict
    difference = compare_versions(connector.version, version)
    return preview_change(connector, manifest_of(version), difference, typed, version=version.version, refusal=refusal)


def roll_back(
    *,
    connector: Connector,
    version: PackageVersion,
    typed: Typed = NOTHING_TYPED,
    actor: User | None,
) -> Connector:
    """Return the connector on another of its installed versions, under the checks of an update.

    Raises what `update_connector` raises but for the archive's own conflicts, `Conflict("same_version")`, `NotFound`
    for a version of another key, and `PackageDamaged` when the stored archive is not what was installed.
    """
    change = describe_rollback(connector, version, typed, actor)
    check_change(change)
    return make_rollback(change)


def describe_rollback(
    connector: Connector, version: PackageVersion, typed: Typed, actor: User | None, *, drain: Drain | None = None
) -> VersionChange:
    """Return the change that an installed version means for the connector as it is now."""
    seen = see(connector)
    _check_target(seen, version)
    return VersionChange("connector_rolled_back", seen, Target(version), typed, actor, drain)


def make_rollback(change: VersionChange) -> Connector:
    """Check the stored archive, ask the program, commit."""
    check_unoccupied(change.seen)
    check_stored(change.target.version)
    return commit_change(change, ask_program(change))


def _check_target(connector: Connector, version: PackageVersion) -> None:
    if version.key != connector.key:
        raise NotFound("version_not_found", key=connector.key, version=version.version)
    if version.pk == connector.version_id:
        raise Conflict("same_version", key=connector.key, version=version.version)
