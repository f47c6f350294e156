"""Signing in at a service: away from here, and the page that says how it went."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from connectors.authorization import sessions
from connectors.authorization.cancelling import cancel_attempt
from connectors.authorization.models import AuthorizationSession
from connectors.authorization.other_account import take_other_account
from connectors.console.answer import answer
from connectors.console.authorization_pages import read_attempt
from connectors.console.connection_welcome import welcome_connection
from connectors.console.permissions import PersonRequest, screen

Status = AuthorizationSession.Status
WELCOMED = "authorization_welcomed"


@screen()
def authorization(request: PersonRequest, session_id: uuid.UUID) -> HttpResponse:
    """How an attempt went; one that went well leads on to its connection, the first time it is looked at."""
    attempt = sessions.find_own(request.user, session_id)
    if attempt.status == Status.DONE and attempt.connection and request.session.get(WELCOMED) != str(attempt.pk):
        request.session[WELCOMED] = str(attempt.pk)
        return welcome_connection(request, attempt.connection)
    return answer(request, "console/authorizations/attempt.html", {"page": read_attempt(attempt)})


@screen(methods=("POST",))
def authorization_take(request: PersonRequest, session_id: uuid.UUID) -> HttpResponse:
    """The account that came back is the one that is meant."""
    session = take_other_account(person=request.user, session_id=session_id)
    return redirect("console:authorization", session.pk)


@screen(methods=("POST",))
def authorization_cancel(request: PersonRequest, session_id: uuid.UUID) -> HttpResponse:
    attempt = sessions.find_own(request.user, session_id)
    if cancel_attempt(attempt):
        messages.info(request, gettext("Nothing was changed."))
    if attempt.connection_id:
        return redirect("console:connection", attempt.connection_id)
    return redirect("console:catalogue_connector", attempt.connector.key)


@screen()
def authorization_lost(request: PersonRequest) -> HttpResponse:
    """Somebody came back with an answer that is none of theirs, or none any more."""
    return answer(request, "console/authorizations/lost.html", {}, status=404)
