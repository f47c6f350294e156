"""What administrators do to categories: name them in each language, give them an icon, merge two, separate them."""

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from django.conf import settings
from django.db import transaction

from connectors.access.models import User
from connectors.audit.recording import record_admin_event
from connectors.catalogue import fault_words  # noqa: F401 - registers what the faults below say
from connectors.catalogue.categories import lock_categories, next_position
from connectors.catalogue.models import Category, Connector
from connectors.catalogue.versions import manifest_of
from connectors.errors import Conflict, Fault, Invalid, NotFound

LONGEST = 64
ICONS: Final = (
    "academic-cap", "banknotes", "beaker", "book-open", "briefcase", "building-office", "calendar-days", "chart-bar",
    "chat-bubble-left-right", "circle-stack", "clipboard-document-check", "cloud", "code-bracket", "command-line",
    "cube", "document-text", "envelope", "film", "folder", "globe-alt", "heart", "key", "light-bulb", "map-pin",
    "megaphone", "musical-note", "newspaper", "paint-brush", "phone", "photo", "puzzle-piece", "rocket-launch", "scale",
    "server-stack", "shield-check", "shopping-cart", "sparkles", "squares-2x2", "table-cells", "tag", "truck", "users",
    "wrench-screwdriver",
)  # fmt: skip


def edition_of(category: Category) -> str:
    """Return a mark of a category's names and icon as they are: who changes them says which they saw."""
    seen = json.dumps([category.names, category.icon], sort_keys=True)
    return hashlib.sha256(seen.encode()).hexdigest()[:16]


@transaction.atomic
def rename_category(
    *, category: Category, names: Mapping[str, str], icon: str, actor: User | None, edition: str | None = None
) -> Category:
    """Give a category its names, by language, and its icon; a language left blank falls back to another's name.

    Raises `Invalid` with a fault per field, and `Conflict("category_changed")` when it is no longer what `edition` saw.
    """
    current = _lock(category)
    named = _parse(current, names, icon)
    before = {"names": current.names, "icon": current.icon}
    after = {"names": named, "icon": icon}
    if after != before:  # the same sent twice is no conflict
        if edition not in (None, edition_of(current)):
            raise Conflict("category_changed", key=current.key)
        current.names, current.icon = named, icon
        current.save(update_fields=["names", "icon"])
        _record("category_renamed", current, actor, before=before, after=after)
    return current


@transaction.atomic
def merge_categories(*, source: Category, target: Category, actor: User | None) -> Category:
    """Move every connector of one category behind those of another; what names the first means the second from now on.

    The source stays as a row without connectors, so that `separate_category` can undo it. Returns the target.
    """
    if source.pk == target.pk:
        raise Conflict("category_merged_with_itself", key=source.key)
    locked = lock_categories({source.key, target.key})
    for category in (source, target):
        if category.key not in locked:
            raise Conflict("category_gone", key=category.key)
    source, target = locked[source.key], locked[target.key]
    moved = _move(list(source.connectors.order_by("position", "key")), target)
    Category.objects.filter(merged_into=source).update(merged_into=target)
    source.merged_into = target
    source.save(update_fields=["merged_into"])
    _record("categories_merged", source, actor, before={"connectors": moved}, after={"merged_into": target.key})
    return target


@transaction.atomic
def separate_category(*, category: Category, actor: User | None) -> Category:
    """Undo a merge: connectors whose manifest names this category return, except those an administrator placed."""
    # What it was merged into is locked first, as merging that one further does.
    target = Category.objects.select_for_update(no_key=True).filter(merged__pk=category.pk).first()
    merged = Category.objects.select_for_update(no_key=True).filter(pk=category.pk).first()
    if merged is None:
        raise NotFound("category_not_found")
    if merged.merged_into_id is None or target is None:
        return merged
    if merged.merged_into_id != target.pk:
        raise Conflict("category_gone", key=merged.key)
    merged.merged_into = None
    merged.save(update_fields=["merged_into"])
    candidates = target.connectors.filter(category_overridden=False).select_related("version")
    named = [each for each in candidates.order_by("position", "key") if _names(each) == merged.key]
    returned = _move(named, merged)
    _record("category_separated", merged, actor, before={"merged_into": target.key}, after={"connectors": returned})
    return merged


def _names(connector: Connector) -> str:
    return manifest_of(connector.version).presentation.category


def _move(connectors: list[Connector], target: Category) -> list[str]:
    """Put connectors behind those a category has, in their own order; return their keys.

    A category nobody has ordered yet stays sorted by key.
    """
    first = next_position(target)
    for number, connector in enumerate(connectors):
        connector.category = target
        connector.position = first + number if first else 0
    Connector.objects.bulk_update(connectors, ["category", "position"], batch_size=200)
    return [connector.key for connector in connectors]


def _parse(category: Category, names: Mapping[str, str], icon: str) -> dict[str, str]:
    """Return the names there are, tidied; raise `Invalid` with every fault."""
    known = {code for code, _name in settings.LANGUAGES}
    tidy = {language: " ".join(name.split()) for language, name in names.items()}
    faults = [Fault("category_language_unknown", f"name-{language}") for language in tidy if language not in known]
    faults += [
        Fault("name_invalid", f"name-{language}", {"longest": LONGEST})
        for language, name in tidy.items()
        if name and (len(name) > LONGEST or not name.isprintable())
    ]
    if icon and icon not in ICONS:
        faults.append(Fault("category_icon_unknown", "icon", {"icon": icon[:LONGEST]}))
    faults += [Fault("category_name_taken", f"name-{language}") for language in _taken(category, tidy)]
    if faults:
        raise Invalid(faults)
    return {language: name for language, name in tidy.items() if name}


def _taken(category: Category, names: Mapping[str, str]) -> list[str]:
    """Return the languages in which another category that people see has this name."""
    others = Category.objects.filter(merged_into=None).exclude(pk=category.pk).order_by()
    return [
        language
        for language, name in names.items()
        if name and any(other.display_name(language).casefold() == name.casefold() for other in others)
    ]


def _lock(category: Category) -> Category:
    locked = lock_categories({category.key}).get(category.key)
    if locked is None:
        raise NotFound("category_not_found", key=category.key)
    return locked


def _record(
    act: str, category: Category, actor: User | None, *, before: Mapping[str, object], after: Mapping[str, object]
) -> None:
    record_admin_event(
        actor=actor,
        act=act,
        target_kind="category",
        target_id=str(category.pk),
        target_name=category.key,
        before=before,
        after=after,
    )
