"""What the Versions tab tells: every installed version, what one of them holds, and how two differ."""

from collections.abc import Mapping
from dataclasses import dataclass

from connectors.catalogue.difference import compare_versions, version_numbers
from connectors.catalogue.models import Connector, PackageVersion
from connectors.catalogue.queries import find_version, installed_versions
from connectors.console.package_difference import ToldDifference, tell_difference
from connectors.console.package_preview import PackagePreview, build_preview
from connectors.packages.exact_archive import fetched_archive
from connectors.packages.inspection import inspect_package


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One row; `higher` than the current one or not is what decides how one gets there."""

    version: PackageVersion
    current: bool
    higher: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """`old` and `new` are what the address asks for; without both there is no difference to tell."""

    old: str
    new: str
    difference: ToldDifference | None


def list_versions(connector: Connector) -> tuple[VersionLine, ...]:
    """Return the versions of a connector, the highest first."""
    current = version_numbers(connector.version.version)
    found = sorted(installed_versions(connector.key), key=lambda each: version_numbers(each.version), reverse=True)
    return tuple(
        VersionLine(each, each.pk == connector.version_id, version_numbers(each.version) > current) for each in found
    )


def read_comparison(connector: Connector, lines: tuple[VersionLine, ...], asked: Mapping[str, str]) -> Comparison:
    """Return the difference the address asks for; unasked, the form offers the current version and the one before."""
    old, new = asked.get("from", ""), asked.get("to", "")
    if old and new:
        difference = compare_versions(find_version(connector.key, old), find_version(connector.key, new))
        return Comparison(old, new, tell_difference(difference))
    others = [line.version.version for line in lines if not line.current]
    before = next((line.version.version for line in lines if not line.current and not line.higher), "")
    return Comparison(before or next(iter(others), ""), connector.version.version, None)


def read_change_since(connector: Connector, version: str) -> ToldDifference | None:
    """Return what has changed since another installed version; none, or an unknown one, is nothing to tell."""
    old = installed_versions(connector.key).defer(None).filter(version=version).first()
    if old is None or old.pk == connector.version_id:
        return None
    return tell_difference(compare_versions(old, connector.version))


def open_version(version: PackageVersion) -> PackagePreview:
    """Return everything an installed version holds, read again from its checked archive."""
    with fetched_archive(object_key=version.object_key, archive_sha256=version.archive_sha256) as archive:
        return build_preview(inspect_package(archive), archive)
