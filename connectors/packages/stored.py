"""What an object store promises, and how it fails; nothing in it is ever overwritten."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from connectors.errors import Conflict, Failed


class ObjectExists(Conflict):
    """The key is taken; objects are never overwritten."""

    code = "object_exists"


class ObjectMissing(Failed):
    """No object has this key."""

    code = "object_missing"


class StoreUnavailable(Failed):
    """The store did not answer, or refused us."""

    code = "store_unavailable"
    retryable = True


@dataclass(frozen=True, slots=True)
class StoredKey:
    key: str
    stored_at: datetime


class ObjectStore(Protocol):
    def put_if_absent(self, key: str, source: Path) -> None:
        """Store the file whole or not at all; raise ObjectExists when the key is taken."""
        ...

    def fetch(self, key: str, target: Path) -> None:
        """Write the object to `target` whole or not at all; raise ObjectMissing when there is none."""
        ...

    def delete(self, key: str) -> None:
        """Remove the object; a missing one is fine."""
        ...

    def list_keys(self, prefix: str) -> Iterator[StoredKey]:
        """Yield the keys that start with `prefix`, with when they were stored."""
        ...
