"""Update a connector to a higher version of its package (handbook §9)."""

from pathlib import Path

from django.conf import settings

from connectors.access.models import User
from connectors.catalogue.difference import compare_with_installed, version_numbers
from connectors.catalogue.models import Connector, PackageVersion
from connectors.catalogue.queries import find_connector
from connectors.catalogue.version_rows import describe_version, stored_archive
from connectors.errors import Conflict
from connectors.lifecycle.models import Drain
from connectors.lifecycle.preview import UpdatePreview, preview_change
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
from connectors.packages.cache import open_package
from connectors.packages.inspection import InspectedPackage, inspect_package
from connectors.packages.limits import MIB

__all__ = ["UpdatePreview", "preview_update", "update_connector"]


def preview_update(
    *,
    package: InspectedPackage,
    typed: Typed = NOTHING_TYPED,
) -> UpdatePreview:
    """Return what the package would change in the connector of its key; raise NotFound when the key is free."""
    connector = find_connector(package.manifest.key)
    difference = compare_with_installed(package)
    assert difference is not None
    refusal: Conflict | None = None
    try:
        _find_target(connector, package, None)
    except Conflict as conflict:
        refusal = conflict
    return preview_change(
        connector, package.manifest, difference, typed, version=package.manifest.package_version, refusal=refusal
    )


def update_connector(
    *,
    connector: Connector,
    archive: Path,
    expected_sha256: str,
    typed: Typed = NOTHING_TYPED,
    actor: User | None,
) -> Connector:
    """Return the connector on its new version; UUID, order, publication, connections and declared values are kept.

    Raises `Invalid`, `Occupied`, `Conflict` ("package_changed", "package_key_differs", "same_version",
    "version_not_higher", "version_has_other_content", "risk_not_accepted", "configuration_changed",
    "reauthorization_differs", "installed_version_changed", "connector_draining", "connector_removing"), and what the
    package's program or the object store raise; then nothing has changed.
    """
    change = describe_update(connector, archive, expected_sha256, typed, actor)
    check_change(change)
    return make_update(change, archive)


def describe_update(
    connector: Connector,
    archive: Path,
    expected_sha256: str,
    typed: Typed,
    actor: User | None,
    *,
    drain: Drain | None = None,
) -> VersionChange:
    """Return the change an archive means for the connector as it is now; raise what makes it no update."""
    package = inspect_package(archive, max_zip_bytes=settings.MAX_UPLOAD_SIZE_MB * MIB)
    if package.archive_sha256 != expected_sha256:
        raise Conflict("package_changed", key=package.manifest.key)
    seen = see(connector)
    return VersionChange("connector_updated", seen, _find_target(seen, package, actor), typed, actor, drain)


def make_update(change: VersionChange, archive: Path) -> Connector:
    """Put the archive where it is new, ask the program, commit."""
    check_unoccupied(change.seen)
    if change.target.package is None:  # installed before, and rolled back from
        check_stored(change.target.version)
        return commit_change(change, ask_program(change))
    with stored_archive(change.target.version, archive):
        return commit_change(change, ask_program(change))


def check_stored(version: PackageVersion) -> None:
    """Raise `PackageDamaged` when a stored archive is not what was installed."""
    open_package(
        object_key=version.object_key,
        archive_sha256=version.archive_sha256,
        manifest_revision=version.manifest_revision,
        key=version.key,
    )


def _find_target(connector: Connector, package: InspectedPackage, actor: User | None) -> Target:
    """Return the version to go to: a new one, or one that is installed already and was rolled back from."""
    key, version = package.manifest.key, package.manifest.package_version
    if key != connector.key:
        raise Conflict("package_key_differs", key=key, expected=connector.key)
    installed = connector.version.version
    same = PackageVersion.objects.filter(key=key, version=version).first()
    if same is not None and same.manifest_revision != package.manifest_revision:
        raise Conflict("version_has_other_content", key=key, version=version)
    if version == installed:
        raise Conflict("same_version", key=key, version=version)
    if version_numbers(version) < version_numbers(installed):
        raise Conflict("version_not_higher", key=key, version=version, installed=installed)
    return Target(same) if same is not None else Target(describe_version(package, actor), package)
