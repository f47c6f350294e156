"""Seal a secret for one place, and open it there and nowhere else."""

import uuid
from dataclasses import dataclass

from connectors.vault.errors import (
    CannotOpen,
    SealedValueDamaged,
    SealedValueMisplaced,
    VaultKeyMissing,
    VaultKeyWrong,
)
from connectors.vault.secret import Secret

__all__ = [
    "CannotOpen",
    "Place",
    "SealedValueDamaged",
    "SealedValueMisplaced",
    "VaultKeyMissing",
    "VaultKeyWrong",
    "open_sealed",
    "seal",
]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sealed value lives; bound into it (safety §31). For a row with a SealedField use `fields.place_of`."""

    table: str
    row: uuid.UUID
    field: str


def seal(secret: Secret, *, place: Place) -> bytes:
    """Return the secret sealed with the ring's active key for this place."""
    raise NotImplementedError


def open_sealed(sealed: bytes | memoryview, *, place: Place) -> Secret:
    """Return what was sealed for this place; raise one of CannotOpen's errors otherwise."""
    raise NotImplementedError
