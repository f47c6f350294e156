"""Which category a connector is in (handbook §2): the manifest's, made on first sight, or an administrator's choice."""

from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from connectors.access.models import User
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import Category, Connector
from connectors.catalogue.versions import manifest_of
from connectors.errors import Conflict


def ensure_category(key: str) -> Category:
    """Return the category a manifest's key means, made under the same name on first sight; safe when two meet.

    The key of a category that was merged means the one it was merged into.
    """
    found = Category.objects.select_related("merged_into").filter(key=key).first()
    if found is None:
        Category.objects.bulk_create([Category(key=key, position=_next_position())], ignore_conflicts=True)
        found = Category.objects.select_related("merged_into").get(key=key)
    return found.merged_into or found


def settle_category(connector: Connector, key: str) -> None:
    """Set the category of a connector, new or updated, from what its manifest names; an administrator's choice stays.

    Nothing is saved: install and update write `category` and `position` with what else they change. They hold the
    connector's row, so they may not wait for a category's (see `lock_categories`): should the category be merged before
    they commit, the connector follows at once after it.
    """
    if not connector.category_overridden:
        _put_last(connector, ensure_category(key))
        transaction.on_commit(partial(follow_merge, connector.pk))


@transaction.atomic
def set_connector_category(*, connector: Connector, category: Category | None, actor: User | None) -> Connector:
    """Put a connector into a category of the administrator's choice, last in it; None takes back the manifest's."""
    chosen = _lock_category(category or _named_by_manifest(connector))
    current = lock_connector(connector.pk)
    if category is None and _named_by_manifest(current) != chosen:  # it was updated meanwhile
        raise Conflict("category_gone", key=chosen.key)
    before = _describe(current)
    current.category_overridden = category is not None
    _put_last(current, chosen)
    after = _describe(current)
    if after != before:
        current.save(update_fields=["category", "category_overridden", "position"])
        record_connector_event("category_set", current, actor, before=before, after=after)
    return current


@transaction.atomic
def follow_merge(connector_id: UUID) -> None:
    """Move a connector out of a category that was merged, into the one it was merged into."""
    found = Connector.objects.filter(pk=connector_id).exclude(category__merged_into=None)
    target = found.values_list("category__merged_into__key", flat=True).first()
    if target is None:
        return
    category = lock_categories({target}).get(target)
    if category is not None:
        found.update(category=category, position=next_position(category))


def lock_categories(keys: set[str]) -> dict[str, Category]:
    """Return these categories by key, locked in one order until the transaction ends; without those merged or absent.

    Whoever changes the order within a category, or what it holds, holds its row: two such acts happen one after the
    other. Installing a connector, which only points at it, waits for none. A connector is locked after its category.
    """
    found = Category.objects.filter(key__in=keys, merged_into=None).order_by("pk").select_for_update(no_key=True)
    return {category.key: category for category in found}


def _named_by_manifest(connector: Connector) -> Category:
    return ensure_category(manifest_of(connector.version).presentation.category)


def _lock_category(category: Category) -> Category:
    locked = lock_categories({category.key}).get(category.key)
    if locked is None:
        raise Conflict("category_gone", key=category.key)
    return locked


def _put_last(connector: Connector, category: Category) -> None:
    if connector.category_id == category.pk:
        return
    connector.category = category
    connector.position = next_position(category)


def next_position(category: Category) -> int:
    """Return the last place in a category; until somebody orders it, all share one place and the key decides."""
    last: int = category.connectors.order_by().aggregate(last=Max("position"))["last"] or 0
    return last + 1 if last else 0


def _next_position() -> int:
    last: int = Category.objects.order_by().aggregate(last=Max("position"))["last"] or 0
    return last + 1 if last else 0


def _describe(connector: Connector) -> dict[str, object]:
    return {"category": connector.category.key, "overridden": connector.category_overridden}
