"""Verify & export: is the administrative log as it was written, where does it end, and everything as files."""

import uuid

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache

from connectors.audit.checks import last_check, ongoing_check, request_check
from connectors.audit.heads import export_head, last_head
from connectors.audit.models import AdminEvent
from connectors.audit.tasks import check_chain
from connectors.console.acts import EventLine, describe_event
from connectors.console.answer import answer
from connectors.console.chain_words import tell_fault
from connectors.console.logs.kinds import ALL_CALLS, ALL_DECISIONS, ALL_EVENTS
from connectors.console.permissions import VIEW_AUDIT, PersonRequest, screen
from connectors.errors import NotFound


@never_cache
@screen(VIEW_AUDIT)
def verify(request: PersonRequest) -> HttpResponse:
    check = last_check()
    context = {
        "check": check,
        "finding": tell_fault(check.fault) if check and check.fault else None,
        "fault_event": _describe(check.fault_event_id) if check and check.fault_event_id else None,
        "ongoing": ongoing_check(),
        "head": last_head(),
        "logs": (ALL_CALLS, ALL_DECISIONS, ALL_EVENTS),
    }
    return answer(request, "console/logs/verify.html", context)


@screen(VIEW_AUDIT, methods=("POST",))
def verify_run(request: PersonRequest) -> HttpResponse:
    """Ask the worker; the page shows how far it is, and so does the next one who opens it."""
    with transaction.atomic():
        request_check(actor=request.user)
        transaction.on_commit(_nudge, robust=True)  # a broker that is away only costs the time to the next sweep
    return redirect("console:verify")


@never_cache
@screen(VIEW_AUDIT)
def verify_head(_request: PersonRequest) -> HttpResponse:
    head = export_head()
    if head is None:
        raise NotFound
    name = f"chain-head-{timezone.localtime():%Y-%m-%d-%H%M}.json"
    response = HttpResponse(head, content_type="application/json")
    response.headers["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response


def _describe(event_id: uuid.UUID) -> EventLine | None:
    """What the faulty row is about, if it is still there."""
    event = AdminEvent.objects.filter(pk=event_id).first()
    return describe_event(event) if event else None


def _nudge() -> None:
    check_chain.delay()
