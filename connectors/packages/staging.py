"""Uploads that wait to be committed: kept for an hour, seen only by who uploaded them."""

from collections.abc import Iterable
from pathlib import Path
from uuid import UUID

from connectors.access.models import User
from connectors.errors import Invalid
from connectors.packages.models import StagedPackage


class TooLarge(Invalid):
    """The upload is larger than MAX_UPLOAD_SIZE_MB; the edge answers 413."""


def stage_package(*, owner: User, file_name: str, chunks: Iterable[bytes]) -> StagedPackage:
    """Stream an upload to disk, hash it and keep it for its owner; raises TooLarge past the limit."""
    raise NotImplementedError(owner, file_name, chunks)


def fetch_staged(*, owner: User, staged_id: UUID) -> tuple[StagedPackage, Path]:
    """Return the owner's own upload and a local file with its bytes; another's, expired or unknown is NotFound."""
    raise NotImplementedError(owner, staged_id)


def discard_staged(*, owner: User, staged_id: UUID) -> None:
    """Forget the owner's upload and its bytes."""
    raise NotImplementedError(owner, staged_id)


def sweep_staged() -> int:
    """Forget every upload older than an hour and return how many there were."""
    raise NotImplementedError
