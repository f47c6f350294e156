"""Remove a connector: what it touches, the key typed, then how far it is."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from connectors.catalogue.models import Connector
from connectors.console.answer import answer
from connectors.console.change_pages import tell_occupants
from connectors.console.connector_pages import frame_connector
from connectors.console.drain_deadline import offer_deadlines, read_deadline
from connectors.console.forms.faults import place_error
from connectors.console.forms.removal import RemovalForm
from connectors.console.messages import describe_error
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.removal_pages import read_removal
from connectors.errors import Conflict, Invalid
from connectors.lifecycle.drain import RemovalChange, start_drain
from connectors.lifecycle.queries import find_last_removal, find_removal, find_removal_of
from connectors.lifecycle.removal import preview_removal, remove_connector

_NOTHING_NEW = 204


@never_cache
@screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
def connector_remove(request: PersonRequest, key: str) -> HttpResponse:
    connector = Connector.objects.filter(key=key).select_related("version", "category").first()
    if connector is None:  # removed since: Back, a second tab, a bookmark
        return redirect("console:removal", find_last_removal(key).pk)
    under_way = find_removal_of(connector)
    if under_way is not None:  # also what a second click finds
        return redirect("console:removal", under_way.pk)
    form = RemovalForm(request.POST or None)
    if not form.is_valid():
        return _show(request, connector, form, status=422 if form.is_bound else 200)
    try:
        return _drain(request, connector, form) if "drain" in request.POST else _remove(request, connector, form)
    except Invalid as error:
        place_error(form, error)
        return _show(request, connector, form, status=422)
    except Conflict as error:
        return _show(request, connector, form, status=409, error=error)


@never_cache
@screen(MANAGE_CONNECTORS)
def removal(request: PersonRequest, removal_id: uuid.UUID) -> HttpResponse:
    """Nothing for htmx when it is still as the page shows it."""
    state = read_removal(find_removal(removal_id))
    if request.headers.get("HX-Target") == "progress" and request.GET.get("seen") == state.mark:
        return HttpResponse(status=_NOTHING_NEW)
    return answer(request, "console/removal/progress.html", {"state": state, "job": state.job}, partial="progress")


def _remove(request: PersonRequest, connector: Connector, form: RemovalForm) -> HttpResponse:
    job = remove_connector(connector=connector, typed_key=form.cleaned_data["typed_key"], actor=request.user)
    messages.success(request, gettext("It is out of use. What is left of it goes step by step."))
    return redirect("console:removal", job.pk)


def _drain(request: PersonRequest, connector: Connector, form: RemovalForm) -> HttpResponse:
    start_drain(
        connector=connector,
        change=RemovalChange(form.cleaned_data["typed_key"]),
        end_runs_after=read_deadline(request.POST),
        actor=request.user,
    )
    messages.success(request, gettext("Draining has begun. You may leave; it goes on by itself."))
    return redirect("console:connector_overview", connector.key)


def _show(
    request: PersonRequest, connector: Connector, form: RemovalForm, *, status: int, error: Conflict | None = None
) -> HttpResponse:
    preview = preview_removal(connector=connector)
    context = frame_connector(connector, "") | {
        "form": form,
        "preview": preview,
        "occupants": tell_occupants(preview.occupants),
        "deadlines": offer_deadlines(request.POST),
        "told": describe_error(error) if error else None,
    }
    return answer(request, "console/removal/remove.html", context, status=status)
