"""A local folder of extracted files per package revision, made once under a file lock, checked before it is used.

Other rooms read files only from here; a folder that is there was verified when it was made, and is read-only.
"""

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.utils import timezone
from filelock import FileLock

from connectors.errors import Failed, Invalid
from connectors.packages.archive import read_archive
from connectors.packages.limits import MAX_ZIP_BYTES
from connectors.packages.revision import compute_revision
from connectors.packages.storage import get_object_store
from connectors.packages.stored import ObjectMissing


class PackageDamaged(Failed):
    """The stored archive is missing or is not what was installed."""

    code = "package_integrity"


def open_package(*, object_key: str, archive_sha256: str, manifest_revision: str, key: str) -> Path:
    """Return the folder of the package's files, fetched and verified if this machine has none yet.

    Raises PackageDamaged when the stored archive is missing, altered, or not of this revision.
    """
    target = _place(key, manifest_revision)
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with FileLock(f"{target}.lock"):
        if not target.is_dir():
            with TemporaryDirectory(dir=target.parent, prefix=".opening-") as scratch:
                archive = Path(scratch, "archive.zip")
                _fetch(object_key, archive)
                files = _extract(archive, Path(scratch, "files"), archive_sha256, manifest_revision)
                files.rename(target)
    return target


def drop_package(*, key: str, manifest_revision: str) -> None:
    """Remove this machine's copy; it is fetched again when it is needed."""
    target = _place(key, manifest_revision)
    if target.is_dir():
        with FileLock(f"{target}.lock"):
            shutil.rmtree(target, ignore_errors=True)


def sweep_cache(*, is_named: Callable[[str, str], bool], grace: timedelta) -> int:
    """Remove this machine's copies made longer than `grace` ago that no version names; return how many there were."""
    before = (timezone.now() - grace).timestamp()
    folders = [folder for folder in settings.PACKAGE_CACHE_DIR.glob("*/*") if folder.is_dir()]
    unnamed = [
        folder
        for folder in folders
        if folder.stat().st_mtime < before and not is_named(folder.parent.name, folder.name)
    ]
    for folder in unnamed:
        drop_package(key=folder.parent.name, manifest_revision=folder.name)
    return len(unnamed)


def _place(key: str, manifest_revision: str) -> Path:
    root: Path = settings.PACKAGE_CACHE_DIR
    return root / key / manifest_revision


def _fetch(object_key: str, target: Path) -> None:
    try:
        get_object_store().fetch(object_key, target)
    except ObjectMissing as missing:
        raise PackageDamaged(reason="missing", object_key=object_key) from missing


def _extract(archive: Path, folder: Path, archive_sha256: str, manifest_revision: str) -> Path:
    """Extract under the rules it was accepted under; anything it would now be refused for means it was altered."""
    folder.mkdir()
    try:
        read = read_archive(archive, max_zip_bytes=MAX_ZIP_BYTES, folder=folder, wanted=lambda _path: True)
    except Invalid as altered:
        raise PackageDamaged(reason="unreadable") from altered
    if read.faults or read.sha256 != archive_sha256:
        raise PackageDamaged(reason="altered")
    if compute_revision(read.files) != manifest_revision:
        raise PackageDamaged(reason="revision")
    for file in read.files:
        (folder / file.path).chmod(0o444)
    return folder
