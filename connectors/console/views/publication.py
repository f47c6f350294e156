"""Publish, withdraw, and say who may see a connector, with how many people that is."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext

from connectors.catalogue.models import Connector
from connectors.catalogue.publication import disable_connector, publish_connector
from connectors.catalogue.queries import find_connector, reach
from connectors.catalogue.visibility import set_visibility
from connectors.console.answer import answer
from connectors.console.audience import count_audience
from connectors.console.connector_pages import frame_connector
from connectors.console.forms.visibility import VisibilityForm
from connectors.console.people_picker import draw_picker, read_ticked
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen


@screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
def connector_publish(request: PersonRequest, key: str) -> HttpResponse:
    connector = find_connector(key)
    form = VisibilityForm(request.POST or None, connector)
    if not form.is_valid():
        return _show(request, connector, form, template="publish")
    with transaction.atomic():
        connector = _save(request, connector, form)
        publish_connector(connector=connector, actor=request.user)
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
    _save(request, connector, form)
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
    )


def _show(request: PersonRequest, connector: Connector, form: VisibilityForm, *, template: str) -> HttpResponse:
    ticked = read_ticked(request.POST) if form.is_bound else list(connector.people.all())
    context = frame_connector(connector, "visibility") | {
        "form": form,
        "picker": draw_picker(ticked, request.GET.get("find", "")),
        "people": reach(connector),
    }
    status = 422 if form.is_bound else 200
    return answer(request, f"console/connectors/{template}.html", context, status=status)
