"""A form that makes something shown once must not make it twice: a second click, Back, or reload submits nothing."""

import uuid

from django.http import HttpRequest

FIELD = "submission"
SESSION_KEY = "submissions_used"
REMEMBERED = 50


def new_submission() -> str:
    return uuid.uuid4().hex


def claim_submission(request: HttpRequest) -> bool:
    """True for the first request with this form's mark; a form without one is as good as a repeated one."""
    mark = request.POST.get(FIELD, "")
    used: list[str] = request.session.get(SESSION_KEY, [])
    if not mark or mark in used:
        return False
    request.session[SESSION_KEY] = [*used, mark][-REMEMBERED:]
    request.session.save()
    return True
