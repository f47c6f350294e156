"""A change that waits: its state, asked again and again by the pages that show it, and its cancelling."""

from urllib.parse import urlsplit
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

from connectors.catalogue.queries import find_connector
from connectors.console.drain_pages import read_drain
from connectors.console.messages import describe_error
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.errors import Conflict, NotFound
from connectors.lifecycle.drain import cancel_drain
from connectors.lifecycle.queries import find_last_removal
from connectors.lifecycle.run_ending import end_runs

_NOTHING_NEW = 204


@never_cache
@screen(MANAGE_CONNECTORS)
def connector_drain(request: PersonRequest, key: str) -> HttpResponse:
    """The state for htmx, nothing when it is still as the page shows it; without htmx, the page that shows it."""
    asked_in_part = request.headers.get("HX-Target") == "drain"
    try:
        connector = find_connector(key)
    except NotFound:
        return _lead_to_removal(key, in_part=asked_in_part)
    if not asked_in_part:
        return redirect("console:connector_overview", key)
    state = read_drain(connector, tell_end=True)
    if state is not None and state.mark == request.GET.get("seen"):
        return HttpResponse(status=_NOTHING_NEW)
    if not connector.transition and _shows_only_facts(request, key):
        return HttpResponseClientRefresh()  # the change is made or given up: all of the page is old
    return render(request, "console/drain/state.html", {"connector": connector, "drain": state, "stale": True})


@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_drain_cancel(request: PersonRequest, key: str) -> HttpResponse:
    try:
        cancel_drain(connector=find_connector(key), actor=request.user)
    except Conflict as error:  # it has ended meanwhile: its page says how
        messages.warning(request, str(describe_error(error)))
    else:
        messages.success(request, gettext("Cancelled. Nothing was changed, and it takes new runs again."))
    return redirect("console:connector_overview", key)


@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_drain_end_run(request: PersonRequest, key: str, run_id: UUID) -> HttpResponse:
    return _end_runs(request, key, run_id)


@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_drain_end_runs(request: PersonRequest, key: str) -> HttpResponse:
    """All of them: those the page listed, and those that were too many for it."""
    return _end_runs(request, key, None)


def _end_runs(request: PersonRequest, key: str, run_id: UUID | None) -> HttpResponse:
    try:
        ended = end_runs(connector=find_connector(key), run_id=run_id, actor=request.user)
    except Conflict as error:
        messages.warning(request, str(describe_error(error)))
    else:
        messages.success(request, _tell_ended(ended))
    return redirect("console:connector_overview", key)


def _tell_ended(runs: int) -> str:
    if not runs:
        return gettext("It had ended by itself.")
    told = ngettext(
        "%(count)d run was ended. What it had begun comes to its end within two minutes.",
        "%(count)d runs were ended. What they had begun comes to its end within two minutes.",
        runs,
    )
    return told % {"count": runs}


def _shows_only_facts(request: PersonRequest, key: str) -> bool:
    """Whether the page that asks holds nothing anybody may have typed."""
    try:
        shown = urlsplit(request.headers.get("HX-Current-URL", "")).path
    except ValueError:
        return False
    return shown == reverse("console:connector_overview", args=[key])


def _lead_to_removal(key: str, *, in_part: bool) -> HttpResponse:
    """A drained removal has ended with the connector: its progress has a page of its own."""
    address = reverse("console:removal", args=[find_last_removal(key).pk])
    return HttpResponseClientRedirect(address) if in_part else redirect(address)
