"""A form that makes something shown once must not make it twice: a second click, Back, or reload submits nothing."""

import uuid

from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest

FIELD = "form-mark"  # a manifest's fields may be in the same form; theirs have no hyphen
SESSION_KEY = "submissions_used"
REMEMBERED = 50


def new_submission() -> str:
    return uuid.uuid4().hex


def claim_submission(request: HttpRequest) -> bool:
    """True for the first request with this form's mark; a form without one is as good as a repeated one.

    Two clicks arrive as two requests at once: the session's row is held while the mark is looked for and left.
    """
    mark = request.POST.get(FIELD, "")[: len(new_submission())]
    if not mark:
        return False
    with transaction.atomic():
        held = Session.objects.select_for_update().filter(session_key=request.session.session_key).first()
        if held is None:
            return False
        request.session.clear()  # what was loaded before may lack the other click's mark, and would be saved over it
        request.session.update(held.get_decoded())
        used: list[str] = request.session.get(SESSION_KEY, [])
        if mark in used:
            return False
        request.session[SESSION_KEY] = [*used, mark][-REMEMBERED:]
        request.session.save()
    return True
