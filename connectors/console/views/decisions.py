"""Decisions: every allow and deny, with the rule and how to get allowed."""

import uuid

from django.http import HttpResponse

from connectors.console.answer import answer
from connectors.console.log_pages import list_decisions, read_decision
from connectors.console.permissions import VIEW_AUDIT, PersonRequest, screen


@screen()
def my_decisions(request: PersonRequest) -> HttpResponse:
    log = list_decisions(request.GET, owner=request.user)
    return answer(request, "console/decisions/list.html", {"log": log}, partial="results")


@screen(VIEW_AUDIT)
def audit_decisions(request: PersonRequest) -> HttpResponse:
    log = list_decisions(request.GET, owner=None)
    return answer(request, "console/decisions/list.html", {"log": log}, partial="results")


@screen()
def decision(request: PersonRequest, decision_id: uuid.UUID) -> HttpResponse:
    return answer(request, "console/decisions/detail.html", {"page": read_decision(decision_id, request.user)})
