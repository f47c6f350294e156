"""The order people see: of categories, and of the connectors within each.

Every change is relative to the order as it is when it is made, with the category's row held: of two at once the second
is made upon the first, both hold where they do not contradict, and nothing is lost or doubled. A move beside a
neighbour that has left the category meanwhile is refused (`order_changed`).
"""

from collections.abc import Sequence
from enum import StrEnum

from django.db import transaction

from connectors.access.models import User
from connectors.audit.recording import record_admin_event
from connectors.catalogue.categories import lock_categories
from connectors.catalogue.models import Category, Connector
from connectors.errors import Conflict


class Spot(StrEnum):
    """Where something goes; `BEFORE` and `AFTER` need a neighbour."""

    UP = "up"
    DOWN = "down"
    FIRST = "first"
    LAST = "last"
    BEFORE = "before"
    AFTER = "after"


@transaction.atomic
def move_connector(*, connector: Connector, to: Spot, neighbour: str = "", actor: User | None) -> None:
    """Move one connector within its category; every other keeps its place relative to the rest."""
    category = lock_categories({connector.category.key}).get(connector.category.key)
    members = _members(category) if category else []
    keys = [each.key for each in members]
    if category is None or connector.key not in keys:
        raise Conflict("order_changed", key=connector.key)
    _write(category, members, place(keys, connector.key, to, neighbour), actor)


@transaction.atomic
def move_category(*, category: Category, to: Spot, neighbour: str = "", actor: User | None) -> None:
    """Move one category; every other keeps its place relative to the rest."""
    shown = _lock_shown()
    keys = [each.key for each in shown]
    if category.key not in keys:
        raise Conflict("order_changed", key=category.key)
    _write_categories(shown, place(keys, category.key, to, neighbour), actor)


def place(keys: Sequence[str], key: str, to: Spot, neighbour: str = "") -> list[str]:
    """Return `keys` with one of them moved; a neighbour that is not among them raises `Conflict`."""
    others = [each for each in keys if each != key]
    if to in (Spot.BEFORE, Spot.AFTER) and neighbour not in others:
        raise Conflict("order_changed", key=key)
    match to:
        case Spot.BEFORE:
            at = others.index(neighbour)
        case Spot.AFTER:
            at = others.index(neighbour) + 1
        case Spot.FIRST:
            at = 0
        case Spot.LAST:
            at = len(others)
        case Spot.UP:
            at = max(keys.index(key) - 1, 0)
        case Spot.DOWN:
            at = keys.index(key) + 1
    return [*others[:at], key, *others[at:]]


def _members(category: Category) -> list[Connector]:
    return list(category.connectors.only("pk", "key", "position").order_by("position", "key"))


def _lock_shown() -> list[Category]:
    locked = Category.objects.filter(merged_into=None).order_by("pk").select_for_update(no_key=True)
    return sorted(locked, key=lambda each: (each.position, each.key))


def _write(category: Category, members: list[Connector], order: list[str], actor: User | None) -> None:
    before = [each.key for each in members]
    if order == before:
        return
    Connector.objects.bulk_update(_renumber(members, order), ["position"], batch_size=200)
    _record("connectors_ordered", category, before, order, actor)


def _write_categories(shown: list[Category], order: list[str], actor: User | None) -> None:
    before = [each.key for each in shown]
    if order == before:
        return
    Category.objects.bulk_update(_renumber(shown, order), ["position"], batch_size=200)
    _record("categories_ordered", None, before, order, actor)


def _renumber[Placed: (Connector, Category)](rows: list[Placed], order: list[str]) -> list[Placed]:
    """Set places from 1 on; return only the rows whose place changes."""
    by_key = {row.key: row for row in rows}
    changed = []
    for number, key in enumerate(order, 1):
        if by_key[key].position != number:
            by_key[key].position = number
            changed.append(by_key[key])
    return changed


def _record(act: str, category: Category | None, before: list[str], after: list[str], actor: User | None) -> None:
    record_admin_event(
        actor=actor,
        act=act,
        target_kind="category",
        target_id=str(category.pk) if category else "",
        target_name=category.key if category else "",
        before={"order": before},
        after={"order": after},
    )
