"""Publish, withdraw, and say who may see a connector, with how many people that is."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext

from connectors.catalogue.models import Connector
from connectors.catalogue.publication import disable_connector, publish_connector
from connectors.catalogue.queries import find_connector, reach
from connectors.catalogue.visibility import edition_of_visibility, set_visibility
from connectors.console.answer import answer
from connectors.console.audience import count_audience
from connectors.console.changed_meanwhile import ChangedMeanwhile, read_visibility_change
from connectors.console.connector_pages import frame_connector
from connectors.console.forms.visibility import VisibilityForm
from connectors.console.people_picker import draw_picker, read_ticked
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.errors import Conflict


@screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
def connector_publish(request: PersonRequest, key: str) -> HttpResponse:
    connector = find_connector(key)
    form = VisibilityForm(request.POST or None, connector)
    if not form.is_valid():
        return _show(request, connector, form, template="publish")
    try:
        with transaction.atomic():
            connector = _save(request, connector, form)
            publish_connector(connector=connector, actor=request.user)
    except Conflict as error:
        return _show_conflict(request, connector, error, template="publish")
    people = reach(connector)
    told = ngettext("Published: %(count)d person may see it.", "Published: %(count)d people may see it.", people)
    messages.success(request, told % {"count": people})
    return redirect("console:connector_overview", key)


@screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
def connector_visibility(request: PersonRequest, key: str) -> HttpResponse:
    connector = find_connector(key)
    match request.headers.get("HX-Target"):
        case "reach":
            return answer(request, "console/connectors/reach.html", {"people": count_audience(request.GET)})
        case "people-found":
            picker = draw_picker(read_ticked(request.GET), request.GET.get("find", ""))
            return answer(request, "console/connectors/people_found.html", {"picker": picker})
    form = VisibilityForm(request.POST or None, connector)
    if not form.is_valid():
        return _show(request, connector, form, template="visibility")
    try:
        _save(request, connector, form)
    except Conflict as error:
        return _show_conflict(request, connector, error, template="visibility")
    messages.success(request, gettext("Who may see it was saved."))
    return redirect("console:connector_visibility", key)


@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_disable(request: PersonRequest, key: str) -> HttpResponse:
    disable_connector(connector=find_connector(key), actor=request.user)
    messages.success(request, gettext("Withdrawn: agents' calls are refused until it is published again."))
    return redirect("console:connector_overview", key)


def _save(request: PersonRequest, connector: Connector, form: VisibilityForm) -> Connector:
    return set_visibility(
        connector=connector,
        everyone=form.everyone,
        teams=form.cleaned_data["teams"],
        people=form.chosen_people,
        actor=request.user,
        edition=form.cleaned_data["edition"] or None,
    )


def _show_conflict(request: PersonRequest, connector: Connector, error: Conflict, *, template: str) -> HttpResponse:
    """Tell who changed it meanwhile, and to what; what was chosen stays, to be sent again if it is meant."""
    if error.code != "visibility_changed":
        raise error
    current = find_connector(connector.key)
    data = request.POST.copy()
    data["edition"] = edition_of_visibility(current)
    form = VisibilityForm(data, current)
    return _show(request, current, form, template=template, status=409, meanwhile=read_visibility_change(current))


def _show(
    request: PersonRequest,
    connector: Connector,
    form: VisibilityForm,
    *,
    template: str,
    status: int = 422,
    meanwhile: ChangedMeanwhile | None = None,
) -> HttpResponse:
    ticked = read_ticked(request.POST) if form.is_bound else list(connector.people.all())
    context = frame_connector(connector, "visibility") | {
        "form": form,
        "picker": draw_picker(ticked, request.GET.get("find", "")),
        "people": count_audience(request.POST) if form.is_bound else reach(connector),
        "meanwhile": meanwhile,
    }
    return answer(request, f"console/connectors/{template}.html", context, status=status if form.is_bound else 200)
