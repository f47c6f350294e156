"""An object store in a folder: whole objects or none, and the file system's own link() as the conditional put."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from connectors.packages.object_keys import check_key
from connectors.packages.stored import ObjectExists, ObjectMissing, StoredKey, StoreUnavailable
from connectors.packages.whole_file import BLOCK, UNFINISHED, write_whole


class FolderStore:
    """Objects as files under `folder`, readable by their owner only."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put_if_absent(self, key: str, source: Path) -> None:
        """Store the file whole or not at all; raise ObjectExists when the key is taken."""
        target = self._folder / check_key(key)
        try:
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _copy(source, target, lambda part: os.link(part, target))
        except FileExistsError:
            raise ObjectExists(key=key) from None
        except OSError as error:
            raise StoreUnavailable(reason=error.strerror or "error") from error

    def fetch(self, key: str, target: Path) -> None:
        """Write the object to `target` whole or not at all; raise ObjectMissing when there is none."""
        try:
            _copy(self._folder / check_key(key), target, lambda part: part.replace(target))
        except FileNotFoundError:
            raise ObjectMissing(key=key) from None
        except OSError as error:
            raise StoreUnavailable(reason=error.strerror or "error") from error

    def delete(self, key: str) -> None:
        """Remove the object; a missing one is fine."""
        with suppress(FileNotFoundError):
            (self._folder / check_key(key)).unlink()

    def list_keys(self, prefix: str) -> Iterator[StoredKey]:
        """Yield the keys that start with `prefix`, with when they were stored."""
        for file in sorted(self._folder.rglob("*")):
            key = file.relative_to(self._folder).as_posix()
            if key.startswith(prefix) and not key.endswith(UNFINISHED) and file.is_file():
                yield StoredKey(key, datetime.fromtimestamp(file.stat().st_mtime, UTC))


def _copy(source: Path, target: Path, publish: Callable[[Path], object]) -> None:
    with source.open("rb") as opened:
        write_whole(iter(partial(opened.read, BLOCK), b""), target, publish)
