"""The quarterly review: start it, walk it with one key a row, finish it, read its report."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from connectors.console.answer import answer
from connectors.console.messages import describe_error
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.review_pages import (
    ANSWER_KEYS,
    choose_connectors,
    find_last,
    find_line,
    first_open,
    read_report,
    read_step,
)
from connectors.errors import Conflict, Invalid, NotFound
from connectors.ledger.models import Review
from connectors.ledger.queries import connectors_due, find_review, list_reviews, open_review
from connectors.ledger.review import answer_line, finish_review, start_review
from connectors.ledger.rows import ledger_row

PAST_SHOWN = 40
_MOST_DIGITS = 10  # no revision is longer


@screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
def reviews(request: PersonRequest) -> HttpResponse:
    if request.method == "POST":
        connectors, names = choose_connectors(request.POST.get("scope", ""))
        try:
            started = start_review(connectors=connectors, names=names, actor=request.user)
            return redirect("console:review", started.pk)
        except Conflict as refused:
            messages.error(request, str(describe_error(refused)))
            return redirect("console:reviews")
    all_of_them, _names = choose_connectors("")
    context = {
        "reviews": list_reviews()[:PAST_SHOWN],
        "under_way": open_review(),
        "installed": len(all_of_them),
        "due": connectors_due().count(),
    }
    return answer(request, "console/reviews/list.html", context)


@screen(MANAGE_CONNECTORS)
def review(request: PersonRequest, review_id: uuid.UUID) -> HttpResponse:  # noqa: ARG001 - a view
    """On to the next connector without an answer, or to the report."""
    return _go_on(find_review(review_id), after=0)


@screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
def review_line(request: PersonRequest, review_id: uuid.UUID, position: int) -> HttpResponse:
    found = find_review(review_id)
    if found.state != Review.State.OPEN:
        return redirect("console:review_report", found.pk)
    fault, status = None, 200
    if request.method == "POST":
        try:
            _answer(request, found, position)
            return _go_on(found, after=position, told=True)
        except (Conflict, Invalid, NotFound) as refused:  # not found: the connector was removed meanwhile
            fault, status = refused, 422
    step = read_step(found, find_line(found, position))
    context = {
        "review": found,
        "step": step,
        "keys": ANSWER_KEYS,
        "fault": describe_error(fault) if fault else None,
        "attempted": request.POST.get("answer", "") if isinstance(fault, Invalid) else "",
        "reason": request.POST.get("reason", step.kept.reason),
        "last": find_last(found, request.GET.get("after", "")),
    }
    return answer(request, "console/reviews/step.html", context, status=status)


@screen(MANAGE_CONNECTORS, methods=("POST",))
def review_finish(request: PersonRequest, review_id: uuid.UUID) -> HttpResponse:
    try:
        finish_review(review=find_review(review_id), actor=request.user)
        messages.success(request, gettext("The review is finished. This is its report."))
    except Conflict as refused:
        messages.error(request, str(describe_error(refused)))
    return redirect("console:review_report", review_id)


@screen(MANAGE_CONNECTORS)
def review_report(request: PersonRequest, review_id: uuid.UUID) -> HttpResponse:
    found = find_review(review_id)
    last = find_last(found, request.GET.get("after", ""))
    return answer(request, "console/reviews/report.html", {"review": found, "report": read_report(found), "last": last})


def _answer(request: PersonRequest, found: Review, position: int) -> None:
    line, told = find_line(found, position), request.POST
    revision = told.get("revision", "")
    if not revision.isdecimal() or len(revision) > _MOST_DIGITS:
        raise Conflict("conflict")
    answer_line(
        line=line,
        answer=told.get("answer", ""),
        reason=told.get("reason", ""),
        expected_revision=int(revision),
        row=ledger_row(line.connector) if line.connector else None,
        actor=request.user,
    )


def _go_on(found: Review, *, after: int, told: bool = False) -> HttpResponse:
    """On to the next line that is open, or the report; `told` lets that page offer the way back to the one answered."""
    position = first_open(found, after=after) if found.state == Review.State.OPEN else None
    query = {"after": after} if told else None
    if position is None:
        return redirect(reverse("console:review_report", args=[found.pk], query=query))
    return redirect(reverse("console:review_line", args=[found.pk, position], query=query))
