"""Moving connectors and categories within the order people see: by drag, by keys, by buttons without JavaScript."""

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from connectors.catalogue.category_queries import find_category
from connectors.catalogue.ordering import Spot, move_category, move_connector
from connectors.catalogue.queries import find_connector
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.errors import Conflict

_SPOTS = frozenset(Spot)


@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_order(request: PersonRequest) -> HttpResponse:
    """Move one connector within its category; `move` is a `Spot` and its key, `neighbour` the key beside it."""
    spot, key = _read_move(request)
    neighbour = request.POST.get("neighbour", "")
    move_connector(connector=find_connector(key), to=spot, neighbour=neighbour, actor=request.user)
    return _answer(request, "console:connector_list")


@screen(MANAGE_CONNECTORS, methods=("POST",))
def category_order(request: PersonRequest) -> HttpResponse:
    spot, key = _read_move(request)
    neighbour = request.POST.get("neighbour", "")
    move_category(category=find_category(key), to=spot, neighbour=neighbour, actor=request.user)
    return _answer(request, "console:categories")


def _read_move(request: PersonRequest) -> tuple[Spot, str]:
    spot, _colon, key = request.POST.get("move", "").partition(":")
    if spot not in _SPOTS:
        raise Conflict("move_unknown")
    return Spot(spot), key


def _answer(request: PersonRequest, route: str) -> HttpResponse:
    """The script that moved the row shows it already; a plain form gets the list as it is now."""
    if request.headers.get("X-Order"):
        return HttpResponse(status=204)
    messages.success(request, gettext("The order was saved."))
    back = QueryDict(request.POST.get("back", "")).urlencode()
    return redirect(f"{reverse(route)}?{back}" if back else reverse(route))
