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
from connectors.packages.inspection import InspectedPackage, PackageFile
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
    version, new = connector.version, describe_side(package)
    files = _digest_files(version, {file.path: file for file in package.files})
    old = Side(
        manifest=manifest_of(version),
        texts=version.texts,
        skills={skill["key"]: skill["digest"] for skill in version.skills},
        files=new.files if files is None else files,
    )
    return UpdateDifference(
        installed=version.version,
        higher=_numbers(package.manifest.package_version) > _numbers(version.version),
        changes=compare_packages(old, new),
        files_compared=files is not None,
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _digest_files(version: PackageVersion, offered: Mapping[str, PackageFile]) -> dict[str, str] | None:
    """Return the digests of the installed files, None when they cannot be had.

    A file whose size alone tells it from the offered one is not read: its digest is left empty.
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
    found = ((file, file.relative_to(folder).as_posix()) for file in folder.rglob("*") if file.is_file())
    return {path: _digest(file, offered.get(path)) for file, path in found}


def _digest(file: Path, offered: PackageFile | None) -> str:
    if offered is None or offered.size != file.stat().st_size:
        return ""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
