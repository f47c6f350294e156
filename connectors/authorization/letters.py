"""The one shape of every e-mail this console writes: what it is about, a line each, and where to go."""

from collections.abc import Sequence

from django.conf import settings
from django.core.mail import EmailMessage

from connectors.access.models import User


def write_letter(person: User, *, subject: str, opening: str, lines: Sequence[str], path: str) -> EmailMessage:
    """Return a letter to a person, in the active language; `path` is the page that helps."""
    body = "\n".join([opening, "", *(f"- {line}" for line in lines), "", f"{settings.BACKEND_URL}{path}"])
    return EmailMessage(subject, body, settings.MAIL_FROM, [person.email])
