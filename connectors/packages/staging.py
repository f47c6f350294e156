"""Uploads that wait to be committed: kept for an hour, seen only by who uploaded them.

The bytes lie in the object store, so that a reload may reach another process; each machine keeps a local copy.
"""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from connectors.access.models import User
from connectors.errors import Fault, Invalid, NotFound
from connectors.packages.limits import MIB, size_text
from connectors.packages.models import StagedPackage
from connectors.packages.orphans import sweep_orphans
from connectors.packages.storage import get_object_store
from connectors.packages.stored import ObjectMissing

LIFETIME = timedelta(hours=1)
_PREFIX = "connectors/staging/"
_LONGEST_NAME = 255


class TooLarge(Invalid):
    """The upload is larger than MAX_UPLOAD_SIZE_MB; the edge answers 413."""


def stage_package(*, owner: User, file_name: str, chunks: Iterable[bytes]) -> StagedPackage:
    """Stream an upload to disk, hash it and keep it for its owner; raises TooLarge past the limit."""
    staged = StagedPackage(owner=owner, file_name=Path(file_name).name[-_LONGEST_NAME:] or "package.zip")
    staged.object_key = f"{_PREFIX}{staged.id}.zip"
    local = _local_file(staged)
    _sweep_local()
    try:
        staged.archive_sha256, staged.size = _write(local, chunks)
        get_object_store().put_if_absent(staged.object_key, local)
        staged.save(force_insert=True)
    except BaseException:  # raised on; a cancelled upload leaves no file, the sweep takes its object
        local.unlink(missing_ok=True)
        raise
    return staged


def fetch_staged(*, owner: User, staged_id: UUID) -> tuple[StagedPackage, Path]:
    """Return the owner's own upload and a local file with its bytes; another's, expired or unknown is NotFound."""
    staged = _find(owner, staged_id)
    local = _local_file(staged)
    if not local.exists():
        try:
            get_object_store().fetch(staged.object_key, local)
        except ObjectMissing as missing:
            raise NotFound("staged_package_not_found") from missing
    return staged, local


def sweep_staged() -> int:
    """Forget every upload older than an hour, and bytes that no row names; return how many there were."""
    _sweep_local()
    expired = StagedPackage.objects.filter(staged_at__lt=timezone.now() - LIFETIME)
    for staged in expired:
        _forget(staged)
    orphans = sweep_orphans(
        store=get_object_store(),
        prefix=_PREFIX,
        is_named=lambda key: StagedPackage.objects.filter(object_key=key).exists(),
        grace=LIFETIME,
    )
    return len(expired) + orphans


def _find(owner: User, staged_id: UUID) -> StagedPackage:
    since = timezone.now() - LIFETIME
    staged = StagedPackage.objects.filter(owner=owner, id=staged_id, staged_at__gte=since).first()
    if staged is None:
        raise NotFound("staged_package_not_found")
    return staged


def _forget(staged: StagedPackage) -> None:
    """Bytes first: a row without bytes is found again by the next sweep, bytes without a row only by their age."""
    get_object_store().delete(staged.object_key)
    _local_file(staged).unlink(missing_ok=True)
    staged.delete()


def _folder() -> Path:
    folder: Path = settings.PACKAGE_CACHE_DIR.parent / "staged"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _local_file(staged: StagedPackage) -> Path:
    return _folder() / f"{staged.id}.zip"


def _write(target: Path, chunks: Iterable[bytes]) -> tuple[str, int]:
    limit = settings.MAX_UPLOAD_SIZE_MB * MIB
    digest, size = hashlib.sha256(), 0
    with NamedTemporaryFile(dir=target.parent, delete_on_close=False) as part:
        for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise TooLarge([Fault("zip_too_large", "", {"limit": size_text(limit)})])
            digest.update(chunk)
            part.write(chunk)
        part.close()
        Path(part.name).rename(target)
    return digest.hexdigest(), size


def _sweep_local() -> None:
    """Local copies on machines where no sweep runs end with the next upload, well after anybody may use them."""
    before = (timezone.now() - 2 * LIFETIME).timestamp()
    for file in _folder().iterdir():
        with suppress(FileNotFoundError):  # another process sweeps too
            if file.stat().st_mtime < before:
                file.unlink()
