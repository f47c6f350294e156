"""A local folder of extracted files per package revision, made once under a file lock, checked before it is used."""

from pathlib import Path

from connectors.errors import Failed


class PackageDamaged(Failed):
    """The stored archive is missing or is not what was installed."""

    code = "package_integrity"


def open_package(*, object_key: str, archive_sha256: str, manifest_revision: str, key: str) -> Path:
    """Return the folder of the package's files, fetched and verified if this machine has none yet."""
    raise NotImplementedError(object_key, archive_sha256, manifest_revision, key)
