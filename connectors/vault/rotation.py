"""Re-seal every value with the active key while everything runs (safety §32)."""

from dataclasses import dataclass, field
from uuid import UUID

from django.db import models, transaction

from connectors.vault.errors import CannotOpen
from connectors.vault.fields import place_of
from connectors.vault.key_ring import get_key_ring
from connectors.vault.sealed_columns import SealedColumn, list_sealed_columns
from connectors.vault.sealing import key_name_of, open_sealed, seal


@dataclass(frozen=True, slots=True)
class Problem:
    """A value that does not open: where it is, and why."""

    column: str
    row: UUID
    error: CannotOpen


@dataclass(slots=True)
class Rotation:
    """What one run did. `changed_meanwhile` counts values that someone else wrote first: theirs counts, run again."""

    resealed: int = 0
    already_active: int = 0
    changed_meanwhile: int = 0
    problems: list[Problem] = field(default_factory=list)


def rotate_values() -> Rotation:
    """Seal every value that another key sealed with the active key.

    Each value names its key, so a run that was killed is simply run again. A value is replaced only if it is still what
    was read (compare and set), so a write that comes between is kept; readers see the old or the new one, both open.
    """
    rotation = Rotation()
    for column in list_sealed_columns():
        for batch in column.batches():
            with transaction.atomic():
                for row in batch:
                    _rotate_row(column, row, rotation)
    return rotation


def _rotate_row(column: SealedColumn, row: models.Model, rotation: Rotation) -> None:
    old = column.value_in(row)
    try:
        if key_name_of(old) == get_key_ring().active.name:
            rotation.already_active += 1
            return
        place = place_of(row, column.name)
        new = seal(open_sealed(old, place=place), place=place)
    except CannotOpen as error:
        rotation.problems.append(Problem(column.label, row.pk, error))
        return
    if column.replace(row, old, new):
        rotation.resealed += 1
    else:
        rotation.changed_meanwhile += 1
