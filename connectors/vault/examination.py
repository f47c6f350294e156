"""Look at every key and every sealed value: which key holds what, and what does not open."""

from collections import Counter

from connectors.vault.canaries import check_canary
from connectors.vault.errors import CannotOpen, SealedValueDamaged
from connectors.vault.fields import place_of
from connectors.vault.models import KeyCanary
from connectors.vault.rotation import Problem
from connectors.vault.sealed_columns import list_sealed_columns
from connectors.vault.sealing import key_name_of, open_sealed

type Uses = dict[str, Counter[str]]


def count_uses() -> Uses:
    """Return how many values of each sealed column each key holds; damaged ones under the empty name."""
    uses: Uses = {}
    for column in list_sealed_columns():
        counter = uses.setdefault(column.label, Counter())
        for batch in column.batches():
            for row in batch:
                try:
                    counter[key_name_of(column.value_in(row))] += 1
                except SealedValueDamaged:
                    counter[""] += 1
    return uses


def examine_values() -> list[Problem]:
    """Open every sealed value and return those that do not open."""
    problems = []
    for column in list_sealed_columns():
        for batch in column.batches():
            for row in batch:
                try:
                    open_sealed(column.value_in(row), place=place_of(row, column.name))
                except CannotOpen as error:
                    problems.append(Problem(column.label, row.pk, error))
    return problems


def examine_canaries() -> dict[str, CannotOpen | None]:
    """Return every key ever seen and not retired, with what is wrong with it."""
    found: dict[str, CannotOpen | None] = {}
    for canary in KeyCanary.objects.order_by("key_id"):
        try:
            check_canary(canary)
        except CannotOpen as error:
            found[canary.key_id] = error
        else:
            found[canary.key_id] = None
    return found
