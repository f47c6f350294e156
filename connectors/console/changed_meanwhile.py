"""What the second of two editors of a small form is told: who was first, when, and what it is now."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from connectors.audit.models import AdminEvent
from connectors.catalogue.models import Category, Connector


@dataclass(frozen=True, slots=True)
class ChangedMeanwhile:
    """The last change; `by` is empty and `at` None where the log no longer holds it. `now` are (label, value)."""

    by: str
    at: datetime | None
    now: tuple[tuple[str, str], ...]


def read_visibility_change(connector: Connector) -> ChangedMeanwhile:
    """Return who last said who may see a connector, and what they said."""
    if connector.everyone:
        return _tell(connector, ("visibility_set",), ((gettext("Who may see it"), gettext("Everyone")),))
    teams = ", ".join(connector.teams.order_by("name").values_list("name", flat=True))
    people = ", ".join(person.name for person in connector.people.order_by("username"))
    return _tell(connector, ("visibility_set",), ((gettext("Teams"), teams), (gettext("People"), people)))


def read_category_change(category: Category) -> ChangedMeanwhile:
    """Return who last named a category, and how."""
    names = tuple((str(language), category.names.get(code, "")) for code, language in settings.LANGUAGES)
    return _tell(category, ("category_renamed",), (*names, (gettext("Icon"), category.icon)))


def _tell(target: Any, acts: tuple[str, ...], now: tuple[tuple[str, str], ...]) -> ChangedMeanwhile:
    events = AdminEvent.objects.filter(target_id=str(target.pk), act__in=acts).order_by("-pk")
    last = events.only("actor_name", "at").first()
    return ChangedMeanwhile(last.actor_name if last else "", last.at if last else None, now)
