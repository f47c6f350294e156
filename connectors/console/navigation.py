"""What the sidebar offers whom, with the letter that follows `g` on the keyboard."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from connectors.console.permissions import MANAGE_CONNECTORS, MANAGE_PEOPLE, VIEW_AUDIT


@dataclass(frozen=True, slots=True)
class Destination:
    """`within` names further routes that belong to the same place in the sidebar.

    A page that belongs now here, now there says which by `request.place`, a route.
    """

    route: str
    title: str | Promise
    icon: str
    key: str
    permission: str = ""
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    url: str
    title: str | Promise
    icon: str
    key: str
    current: bool


@dataclass(frozen=True, slots=True)
class Group:
    title: str | Promise
    items: tuple[Link, ...]


DESTINATIONS: tuple[tuple[str | Promise, tuple[Destination, ...]], ...] = (
    (
        "",
        (
            Destination("home", _("Home"), "home", "h"),
            Destination("catalogue", _("Catalogue"), "squares-2x2", "c", within=("catalogue_connector", "connect")),
            Destination("connections", _("My connections"), "link", "m", within=("connection", "disconnect", "unused")),
            Destination(
                "agents",
                _("My agents"),
                "cpu-chip",
                "a",
                within=("agent", "agent_create", "agent_retire", "grant", "token_create", "token_revoke"),
            ),
            Destination("my_calls", _("My calls"), "queue-list", "l", within=("my_decisions",)),
        ),
    ),
    (
        _("Administration"),
        (
            Destination(
                "connector_list",
                _("Connectors"),
                "puzzle-piece",
                "i",
                MANAGE_CONNECTORS,
                within=(
                    "install",
                    "install_preview",
                    "install_configure",
                    "install_commit",
                    "connector_overview",
                    "connector_ledger",
                    "connector_configuration",
                    "connector_tools",
                    "connector_visibility",
                    "connector_publish",
                    "connector_test",
                    "connector_bulk",
                    "connector_connections",
                    "connector_skills",
                    "connector_versions",
                    "connector_version",
                    "connector_update",
                    "connector_update_decide",
                    "connector_remove",
                    "version_roll_back",
                    "removal",
                    "view_as",
                    "view_as_catalogue",
                    "view_as_connector",
                ),
            ),
            Destination(
                "ledger",
                _("Ledger"),
                "book-open",
                "b",
                MANAGE_CONNECTORS,
                within=("reviews", "review_line", "review_report"),
            ),
            Destination(
                "categories",
                pgettext_lazy("administration", "Categories"),
                "tag",
                "t",
                MANAGE_CONNECTORS,
                within=("category",),
            ),
            Destination(
                "people",
                _("People & teams"),
                "users",
                "p",
                MANAGE_PEOPLE,
                within=("person", "person_create", "teams", "team", "team_create"),
            ),
            Destination("health", _("Health"), "heart", "s", MANAGE_CONNECTORS),
        ),
    ),
    (
        _("Audit"),
        (
            Destination("audit_decisions", _("Decisions"), "scale", "d", VIEW_AUDIT),
            Destination("audit_calls", _("Calls"), "arrows-right-left", "o", VIEW_AUDIT),
            Destination("admin_events", _("Admin events"), "clipboard-document-list", "e", VIEW_AUDIT),
            Destination("verify", _("Verify & export"), "shield-check", "v", VIEW_AUDIT),
        ),
    ),
)


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Give every template `navigation`, `search_url` and `theme`."""
    user = getattr(request, "user", None)
    context: dict[str, Any] = {"theme": getattr(request, "theme", "system"), "navigation": (), "search_url": ""}
    if user is not None and user.is_authenticated:
        manages = user.has_perm(MANAGE_CONNECTORS)
        context["navigation"] = _groups(request)
        context["search_url"] = _address("connector_list" if manages else "catalogue")
    return context


def _groups(request: HttpRequest) -> tuple[Group, ...]:
    matched = request.resolver_match.url_name if request.resolver_match else ""
    here = getattr(request, "place", "") or matched or ""
    groups = (
        Group(title, tuple(_link(place, here) for place in places if _may_open(request, place)))
        for title, places in DESTINATIONS
    )
    return tuple(group for group in groups if group.items)


def _may_open(request: HttpRequest, place: Destination) -> bool:
    return not place.permission or request.user.has_perm(place.permission)


def _link(place: Destination, here: str) -> Link:
    current = here == place.route or here in place.within
    return Link(_address(place.route), place.title, place.icon, place.key, current)


def _address(route: str) -> str:
    return reverse(f"console:{route}")
