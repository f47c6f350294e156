"""Categories: one is made when a manifest first names it (handbook §2)."""

from connectors.catalogue.models import Category


def ensure_category(key: str) -> Category:
    """Return the category with this key, made under the same name on first sight; safe when two meet."""
    Category.objects.bulk_create([Category(key=key)], ignore_conflicts=True)
    return Category.objects.get(key=key)
