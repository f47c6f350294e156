"""The archive of a package version, byte for byte as it was uploaded."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from connectors.packages.cache import PackageDamaged
from connectors.packages.storage import get_object_store
from connectors.packages.stored import ObjectMissing


@contextmanager
def fetched_archive(*, object_key: str, archive_sha256: str) -> Iterator[Path]:
    """Yield a copy whose digest was found to be the one that was installed; it goes afterwards.

    Raises `PackageDamaged` when the archive is missing or another, `StoreUnavailable` when the store does not answer.
    """
    with TemporaryDirectory(prefix="poco-archive-") as scratch:
        copy = Path(scratch, "archive.zip")
        try:
            get_object_store().fetch(object_key, copy)
        except ObjectMissing as missing:
            raise PackageDamaged(reason="missing", object_key=object_key) from missing
        with copy.open("rb") as archive:
            if hashlib.file_digest(archive, "sha256").hexdigest() != archive_sha256:
                raise PackageDamaged(reason="altered", object_key=object_key)
        yield copy


def open_archive(*, object_key: str, archive_sha256: str) -> BinaryIO:
    """Return that copy open for reading; on disk it has no name any more, and ends when it is closed."""
    with fetched_archive(object_key=object_key, archive_sha256=archive_sha256) as copy:
        return copy.open("rb")
