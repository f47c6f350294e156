"""Calls: my own, everybody's for who may audit, and one with its timeline."""

import uuid

from django.http import HttpResponse

from connectors.console.answer import answer
from connectors.console.log_lists import list_calls
from connectors.console.permissions import VIEW_AUDIT, PersonRequest, screen
from connectors.console.record_pages import read_call


@screen()
def my_calls(request: PersonRequest) -> HttpResponse:
    log = list_calls(request.GET, owner=request.user)
    return answer(request, "console/calls/list.html", {"log": log}, partial="results")


@screen(VIEW_AUDIT)
def audit_calls(request: PersonRequest) -> HttpResponse:
    log = list_calls(request.GET, owner=None)
    return answer(request, "console/calls/list.html", {"log": log}, partial="results")


@screen()
def call(request: PersonRequest, call_id: uuid.UUID) -> HttpResponse:
    return answer(request, "console/calls/detail.html", {"page": read_call(call_id, request.user)})
