"""Give up attempts to sign in: what they kept is wiped, and an account that waited in a question is turned away."""

import logging

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from connectors.access.models import User
from connectors.authorization.models import AuthorizationSession
from connectors.authorization.other_account import open_question
from connectors.authorization.turned_away import turn_away
from connectors.catalogue.models import Connector
from connectors.vault.errors import CannotOpen

log = logging.getLogger(__name__)
Status = AuthorizationSession.Status
WAITING = (Status.PENDING, Status.ASKING)
MOST_ATTEMPTS = 10  # of one person at once; more than anybody has tabs for


def cancel_attempt(session: AuthorizationSession) -> bool:
    """End an attempt that its owner gives up; False when it has ended already or is being exchanged."""
    with transaction.atomic():
        return _cancel(_waiting().filter(pk=session.pk)) == 1


def cancel_attempts(connector: Connector) -> int:
    """End every attempt at a connector that nobody has submitted, in the caller's transaction (§9); return how many."""
    return _cancel(_waiting().filter(connector=connector))


def bound_attempts(person: User) -> int:
    """End a person's oldest attempts beyond those they may have at once, in the caller's transaction."""
    User.objects.select_for_update(no_key=True).get(pk=person.pk)  # two tabs count one after the other
    mine = _waiting().filter(person=person).order_by("-created_at", "-pk")
    kept = list(mine.values_list("pk", flat=True)[:MOST_ATTEMPTS])
    return _cancel(_waiting().filter(person=person).exclude(pk__in=kept))


def let_go(session: AuthorizationSession) -> None:
    """Turn away the account that waits in a question, in the transaction that ends it."""
    if session.status != Status.ASKING:
        return
    try:
        verified = open_question(session)
    except CannotOpen as error:  # it cannot be told to anybody, and ending must work all the same
        log.warning("what waits in the attempt %s does not open and is not revoked: %s", session.pk, error.code)
        return
    turn_away(verified, person=session.person, granted_under=session.authorization_fingerprint)


def _waiting() -> QuerySet[AuthorizationSession]:
    rows = AuthorizationSession.objects.filter(status__in=WAITING)
    return rows.select_related("person", "connector__version")


def _cancel(attempts: QuerySet[AuthorizationSession]) -> int:
    ended = 0
    for session in attempts.select_for_update(of=("self",)):
        let_go(session)
        session.status, session.sealed, session.used_at = Status.CANCELLED, None, timezone.now()
        session.save(update_fields=["status", "sealed", "used_at"])
        ended += 1
    return ended
