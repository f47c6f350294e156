"""Tell people that accounts of theirs need them: in the console always, by e-mail where that is configured.

One e-mail a person and day at most, for all of their accounts together.
"""

import logging
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone, translation
from django.utils.translation import gettext

from connectors.access.models import User
from connectors.access.reading import as_read_by, tell_moment
from connectors.authorization.accounts import effective_state
from connectors.authorization.expiry import find_expiry
from connectors.authorization.letters import write_letter
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from connectors.catalogue.presentation import present_connector
from connectors.catalogue.queries import visible_connectors

log = logging.getLogger(__name__)
BETWEEN = timedelta(days=1)
BATCH = 500


def notify_owners() -> int:
    """Write to everybody whose accounts need them and who was not told within a day; return how many were told."""
    if not settings.MAIL_FROM:
        return 0
    now = timezone.now()
    return sum(_notify(person, now) for person in _people_in_need(now))


def _people_in_need(now: datetime) -> list[User]:
    """People with an address and an account that looks as if it needs them; `_find_needs` looks again, closely."""
    ended = Q(connections__state=Connection.State.REAUTHORIZATION_REQUIRED) | ~Q(
        connections__authorization_fingerprint=F("connections__connector__authorization_fingerprint")
    )
    ending = Q(connections__credential__expires_at__lte=now + timedelta(days=7)) | Q(
        connections__credential__refresh_expires_at__lte=now + timedelta(days=7)
    )
    people = User.objects.filter(ended | ending, is_active=True, connections__isnull=False).exclude(email="")
    told = Connection.objects.filter(noticed_at__gt=now - BETWEEN).values("person")
    return list(people.exclude(pk__in=told).distinct().order_by("pk")[:BATCH])


def _notify(person: User, now: datetime) -> bool:
    with transaction.atomic():  # noted first: a crash costs a notice and never sends two
        User.objects.select_for_update().get(pk=person.pk)
        if Connection.objects.filter(person=person, noticed_at__gt=now - BETWEEN).exists():
            return False
        with as_read_by(person):
            lines = {connection.pk: line for connection in _visible(person) if (line := _describe(connection, now))}
            letter = _write(person, list(lines.values()))
        Connection.objects.filter(pk__in=lines).update(noticed_at=now)
    if not lines:
        return False
    try:
        letter.send()
    except (OSError, SMTPException) as error:
        log.warning("a notice could not be sent: %r", error)
        return False
    return True


def _visible(person: User) -> list[Connection]:
    """Accounts at connectors the person can do something about."""
    usable = visible_connectors(person).filter(status=Connector.Status.PUBLISHED).order_by().values("pk")
    return list(
        Connection.objects.filter(person=person, connector__in=usable)
        .select_related("connector__version", "connector__category", "credential")
        .defer("credential__sealed", "credential__grant")
        .order_by("connector__key", "alias")
    )


def _describe(connection: Connection, now: datetime) -> str:
    """Return the line about one account, nothing for one that is fine or always lives for hours only."""
    name = present_connector(connection.connector, translation.get_language() or "").name
    account = f"{name} · {connection.alias}" if connection.alias else name
    if effective_state(connection) == Connection.State.REAUTHORIZATION_REQUIRED:
        return gettext("%(account)s: does not work any more. Reconnect it.") % {"account": account}
    expiry = find_expiry(connection, now=now)
    if expiry is None or connection.credential.changed_at > now - BETWEEN:
        return ""
    told = {"account": account, "at": tell_moment(expiry.at)}
    return gettext("%(account)s: works until %(at)s. Reconnect it before then.") % told


def _write(person: User, lines: list[str]) -> EmailMessage:
    return write_letter(
        person,
        subject=gettext("Accounts of yours need you"),
        opening=gettext("These accounts of yours at Poco Connectors need you:"),
        lines=lines,
        path="/connections/",
    )
