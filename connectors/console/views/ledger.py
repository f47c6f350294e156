"""The ledger, and a connector's place in it: what people write, decide and look up there."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from connectors.catalogue.models import Connector
from connectors.catalogue.queries import find_connector
from connectors.console.answer import answer
from connectors.console.audience import suggest_people
from connectors.console.connector_pages import frame_connector
from connectors.console.forms.faults import place_error
from connectors.console.forms.ledger import ChecklistForm, DispositionForm, EntryForm
from connectors.console.ledger_pages import PAGE_SIZE, SHOWN, list_ledger, read_ledger_page
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.errors import Conflict, Invalid
from connectors.ledger.disposition import decide_disposition
from connectors.ledger.entry import answer_checklist, write_entry
from connectors.ledger.models import Verdict
from connectors.ledger.probing import ask_soon, switch_probes
from connectors.ledger.queries import find_entry, open_review
from connectors.ledger.rows import ledger_row


@screen(MANAGE_CONNECTORS)
def ledger(request: PersonRequest) -> HttpResponse:
    whole = request.GET.get("all") == "1"
    page = list_ledger(after=request.GET.get("after", ""), size=None if whole else PAGE_SIZE, parts=SHOWN)
    context = {"page": page, "lines": page.lines, "whole": whole, "review": open_review()}
    return answer(request, "console/ledger/list.html", context)


@screen(MANAGE_CONNECTORS)
def connector_ledger(request: PersonRequest, key: str) -> HttpResponse:
    return _show(request, find_connector(key))


@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_entry(request: PersonRequest, key: str) -> HttpResponse:
    connector, form = find_connector(key), EntryForm(request.POST)
    if form.is_valid():
        try:
            revision = form.cleaned_data["revision"]
            write_entry(connector=connector, writing=form.writing, expected_revision=revision, actor=request.user)
            messages.success(request, gettext("Saved."))
            return redirect("console:connector_ledger", key)
        except (Conflict, Invalid) as refused:
            place_error(form, refused)
    return _show(request, connector, entry_form=form)


@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_checklist(request: PersonRequest, key: str) -> HttpResponse:
    connector, form = find_connector(key), ChecklistForm(request.POST)
    if form.is_valid():
        told = form.cleaned_data
        try:
            answer_checklist(
                connector=connector,
                answers=form.answers,
                note=told["note"],
                expected_revision=told["revision"],
                actor=request.user,
            )
            messages.success(request, gettext("Saved."))
            return redirect("console:connector_ledger", key)
        except (Conflict, Invalid) as refused:
            place_error(form, refused)
    return _show(request, connector, checklist_form=form)


@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_disposition(request: PersonRequest, key: str) -> HttpResponse:
    connector, form = find_connector(key), DispositionForm(request.POST)
    if form.is_valid():
        try:
            suggestion = ledger_row(connector).suggestion
            decide_disposition(connector=connector, suggestion=suggestion, actor=request.user, **form.cleaned_data)
            messages.success(request, _say_decided(form.cleaned_data["verdict"]))
            return redirect("console:connector_ledger", key)
        except (Conflict, Invalid) as refused:
            place_error(form, refused)
    return _show(request, connector, disposition_form=form)


@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_probe(request: PersonRequest, key: str) -> HttpResponse:
    """Ask the endpoints soon, or switch asking them on or off."""
    connector, act = find_connector(key), request.POST.get("act")
    if act == "ask":
        ask_soon(connector)
        messages.success(request, gettext("The worker asks it within a minute; reload this page then."))
    elif act in ("on", "off"):
        switch_probes(connector=connector, enabled=act == "on", actor=request.user)
        messages.success(request, gettext("Saved."))
    return redirect("console:connector_ledger", key)


def _say_decided(verdict: str) -> str:
    if verdict == Verdict.UNINSTALL:
        return gettext("Decided. Nothing was removed yet: use Remove… for that.")
    return gettext("Decided. It is reviewed again in a quarter.")


def _show(request: PersonRequest, connector: Connector, **bound: Any) -> HttpResponse:
    entry = find_entry(connector)
    page = read_ledger_page(connector)
    held = page.line.row.disposition
    context = frame_connector(connector, "ledger") | {
        "page": page,
        "entry": entry,
        "entry_form": EntryForm(entry=entry),
        "checklist_form": ChecklistForm(entry=entry),
        "disposition_form": DispositionForm(verdict=held.verdict if held else ""),
        "suggested_people": suggest_people(),
        **bound,
    }
    return answer(request, "console/ledger/connector.html", context, status=422 if bound else 200)
