"""Decisions: every allow and deny, with the rule and how to get allowed."""

import uuid

from django.http import HttpResponse

from connectors.console.answer import answer
from connectors.console.log_lists import list_decisions
from connectors.console.permissions import VIEW_AUDIT, PersonRequest, screen
from connectors.console.record_pages import read_decision


@screen()
def my_decisions(request: PersonRequest) -> HttpResponse:
    log = list_decisions(request.GET, reader=request.user, everyone=False)
    return answer(request, "console/decisions/list.html", {"log": log}, partial="results")


@screen(VIEW_AUDIT)
def audit_decisions(request: PersonRequest) -> HttpResponse:
    log = list_decisions(request.GET, reader=request.user, everyone=True)
    return answer(request, "console/decisions/list.html", {"log": log}, partial="results")


@screen()
def decision(request: PersonRequest, decision_id: uuid.UUID) -> HttpResponse:
    return answer(request, "console/decisions/detail.html", {"page": read_decision(decision_id, request.user)})
