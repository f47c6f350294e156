"""The five logs: their lists, what comes in while one looks, exports, and saved views."""

import uuid

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.html import escape
from django.utils.translation import gettext as _

from connectors.audit.saved_views import delete_view, get_view, rename_view, save_view
from connectors.console.answer import answer
from connectors.console.forms.saved_views import SavedViewForm
from connectors.console.logs import log_pages, tailing
from connectors.console.logs.addresses import address_of
from connectors.console.logs.exporting import export_log
from connectors.console.logs.kinds import (
    ALL_CALLS,
    ALL_DECISIONS,
    ALL_EVENTS,
    LOGS,
    MY_CALLS,
    MY_DECISIONS,
    Log,
    open_log,
)
from connectors.console.permissions import VIEW_AUDIT, PersonRequest, screen
from connectors.console.typed_ids import read_id


@screen()
def my_calls(request: PersonRequest) -> HttpResponse:
    return _show(request, MY_CALLS)


@screen()
def my_decisions(request: PersonRequest) -> HttpResponse:
    return _show(request, MY_DECISIONS)


@screen(VIEW_AUDIT)
def audit_calls(request: PersonRequest) -> HttpResponse:
    return _show(request, ALL_CALLS)


@screen(VIEW_AUDIT)
def audit_decisions(request: PersonRequest) -> HttpResponse:
    return _show(request, ALL_DECISIONS)


@screen(VIEW_AUDIT)
def admin_events(request: PersonRequest) -> HttpResponse:
    return _show(request, ALL_EVENTS)


@screen()
def log_export(request: PersonRequest, log: str) -> HttpResponseBase:
    return export_log(request, open_log(log, request.user))


@screen(methods=("POST",))
def view_save(request: PersonRequest, log: str) -> HttpResponse:
    found = open_log(log, request.user)
    form = SavedViewForm(found, request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect(f"console:{found.route}")
    values = form.cleaned_data
    view = save_view(owner=request.user, log=log, name=values["name"], query=values["query"], shared=form.shares)
    messages.success(request, _("The view %(name)s is saved.") % {"name": view.name})
    return _back(found, view.query)


@screen(methods=("POST",))
def view_rename(request: PersonRequest, view_id: uuid.UUID) -> HttpResponse:
    view = get_view(view_id, owner=request.user)
    form = SavedViewForm(LOGS[view.log], request.POST)
    if form.is_valid():
        view = rename_view(view_id=view_id, actor=request.user, name=form.cleaned_data["name"])
        messages.success(request, _("The view %(name)s is saved.") % {"name": view.name})
    else:
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
    return _back(LOGS[view.log], view.query)


@screen(methods=("POST",))
def view_delete(request: PersonRequest, view_id: uuid.UUID) -> HttpResponse:
    view = delete_view(view_id=view_id, actor=request.user)
    messages.success(request, _("The view %(name)s is deleted.") % {"name": view.name})
    return _back(LOGS[view.log], "")


def _show(request: PersonRequest, log: Log) -> HttpResponse:
    """The page, or what it asks for once it is there."""
    query, reader = request.GET, request.user
    match request.headers.get("HX-Target"):
        case tailing.TAIL:
            tail = tailing.tail_log(log, query, reader, since=read_id(query.get(tailing.SINCE, "")))
            return answer(request, "console/logs/rows.html", {"rows": tail.rows, "skipped": tail.skipped})
        case log_pages.COUNT:
            return HttpResponse(escape(log_pages.count_log(log, query, reader)))
        case log_pages.CHARTS:
            return answer(request, "console/logs/charts.html", {"insight": log_pages.read_charts(log, query, reader)})
        case log_pages.TOPS:
            return answer(request, "console/logs/tops.html", {"tops": log_pages.read_tops(log, query, reader)})
    page = log_pages.read_log_page(log, query, reader)
    return answer(request, "console/logs/list.html", {"page": page, "log": log}, partial="results")


def _back(log: Log, query: str) -> HttpResponseRedirect:
    return HttpResponseRedirect(address_of(log, query))
