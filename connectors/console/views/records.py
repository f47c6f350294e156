"""One record of a log on a page of its own, and one run with all of its records."""

import uuid

from django.http import HttpResponse
from django.views.decorators.cache import never_cache

from connectors.console.answer import answer
from connectors.console.logs.record_pages import RecordPage, open_call, read_call, read_decision, read_event
from connectors.console.logs.run_pages import read_run
from connectors.console.permissions import VIEW_AUDIT, PersonRequest, screen


@screen()
def call(request: PersonRequest, call_id: uuid.UUID) -> HttpResponse:
    return _show(request, read_call(call_id, request.user))


@never_cache
@screen(methods=("POST",))
def call_content(request: PersonRequest, call_id: uuid.UUID) -> HttpResponse:
    return _show(request, open_call(call_id, request.user))


@screen()
def decision(request: PersonRequest, decision_id: uuid.UUID) -> HttpResponse:
    return _show(request, read_decision(decision_id, request.user))


@screen(VIEW_AUDIT)
def event(request: PersonRequest, event_id: uuid.UUID) -> HttpResponse:
    return _show(request, read_event(event_id))


@screen()
def run(request: PersonRequest, run_id: uuid.UUID) -> HttpResponse:
    page = read_run(run_id, request.user)
    request.place = "my_calls" if page.mine else "audit_calls"
    return answer(request, "console/logs/run.html", {"page": page})


def _show(request: PersonRequest, page: RecordPage) -> HttpResponse:
    request.place = page.log.route
    return answer(request, "console/logs/record.html", {"page": page})
