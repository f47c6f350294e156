"""What a package would change in the connector of its key, before anybody decides to update."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from connectors.catalogue.models import Connector, PackageVersion
from connectors.catalogue.versions import manifest_of
from connectors.manifest.difference import Change
from connectors.packages.cache import PackageDamaged, open_package
from connectors.packages.difference import Side, compare_packages, describe_side
from connectors.packages.inspection import InspectedPackage
from connectors.packages.stored import StoreUnavailable


@dataclass(frozen=True, slots=True)
class UpdateDifference:
    """`higher` says whether the package may become an update at all: a version never goes back (§9)."""

    installed: str
    higher: bool
    changes: tuple[Change, ...]
    files_compared: bool


def compare_with_installed(package: InspectedPackage) -> UpdateDifference | None:
    """Return how the package differs from the installed version of its key; None when the key is free."""
    connector = Connector.objects.select_related("version").filter(key=package.manifest.key).first()
    if connector is None:
        return None
    offered = {file.path: file for file in package.files}
    installed = _digest_files(connector.version, {path: file.size for path, file in offered.items()})
    return _compare(connector.version, installed, describe_side(package), package.manifest.package_version)


def compare_versions(old: PackageVersion, new: PackageVersion) -> UpdateDifference:
    """Return how one installed version of a key differs from another, whichever of them is the higher."""
    after = _digest_files(new, None)
    before = None if after is None else _digest_files(old, None)
    return _compare(old, before, _side(new, after or {}), new.version)


def _compare(old: PackageVersion, files: Mapping[str, str] | None, new: Side, version: str) -> UpdateDifference:
    return UpdateDifference(
        installed=old.version,
        higher=version_numbers(version) > version_numbers(old.version),
        changes=compare_packages(_side(old, new.files if files is None else files), new),
        files_compared=files is not None,
    )


def _side(version: PackageVersion, files: Mapping[str, str]) -> Side:
    return Side(
        manifest=manifest_of(version),
        texts=version.texts,
        skills={skill["key"]: skill["digest"] for skill in version.skills},
        files=files,
    )


def version_numbers(version: str) -> tuple[int, ...]:
    """Return what versions are compared by."""
    return tuple(int(part) for part in version.split("."))


def _digest_files(version: PackageVersion, offered: Mapping[str, int] | None) -> dict[str, str] | None:
    """Return the digests of a version's files, None when they cannot be had.

    Given the sizes it is compared with, a file whose size alone tells it apart is not read: its digest is left empty.
    """
    try:
        folder = open_package(
            object_key=version.object_key,
            archive_sha256=version.archive_sha256,
            manifest_revision=version.manifest_revision,
            key=version.key,
        )
    except (PackageDamaged, StoreUnavailable):
        return None
    found = [(file, file.relative_to(folder).as_posix()) for file in folder.rglob("*") if file.is_file()]
    return {
        path: "" if offered is not None and offered.get(path) != file.stat().st_size else _digest(file)
        for file, path in found
    }


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
