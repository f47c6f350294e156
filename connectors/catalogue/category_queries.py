"""Reads of categories, as administrators see them."""

from dataclasses import dataclass

from django.db.models import Count, QuerySet

from connectors.catalogue.models import Category
from connectors.errors import NotFound


@dataclass(frozen=True, slots=True)
class CategoryHolding:
    """A category with how many connectors it holds, and the categories that were merged into it."""

    category: Category
    connectors: int
    merged: tuple[Category, ...]


def shown_categories() -> QuerySet[Category]:
    """Return every category that was not merged into another, in the order people see."""
    return Category.objects.filter(merged_into=None)


def find_category(key: str) -> Category:
    """Return a category that is shown, or raise NotFound."""
    category = shown_categories().filter(key=key).first()
    if category is None:
        raise NotFound("category_not_found", key=key)
    return category


def list_holdings() -> tuple[CategoryHolding, ...]:
    """Return every category that is shown with what it holds, in order; two queries however many there are."""
    counted = shown_categories().annotate(holds=Count("connectors")).order_by("position", "key")
    shown = counted.prefetch_related("merged")
    return tuple(CategoryHolding(each, each.holds, tuple(each.merged.all())) for each in shown)


def find_any_category(key: str) -> Category:
    """Return a category, shown or merged into another, or raise NotFound."""
    category = Category.objects.filter(key=key).first()
    if category is None:
        raise NotFound("category_not_found", key=key)
    return category
