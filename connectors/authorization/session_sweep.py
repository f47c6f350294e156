"""End attempts nobody came back from, and forget those that ended a while ago."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from connectors.authorization.cancelling import let_go
from connectors.authorization.models import AuthorizationSession

LONGEST_EXCHANGE = timedelta(minutes=10)
REMEMBERED = timedelta(days=1)
BATCH = 200
Status = AuthorizationSession.Status


def sweep_sessions() -> int:
    """Return how many attempts were ended; what they kept sealed is wiped."""
    now = timezone.now()
    ended = sum(_end_question(pk, now) for pk in _late(now, Status.ASKING).values_list("pk", flat=True)[:BATCH])
    ended += _late(now, Status.PENDING).update(**_ending("authorization_expired"))
    stuck = AuthorizationSession.objects.filter(status=Status.EXCHANGING, used_at__lt=now - LONGEST_EXCHANGE)
    ended += stuck.update(**_ending("sign_in_interrupted"))
    old = AuthorizationSession.objects.filter(created_at__lt=now - REMEMBERED)
    old.exclude(status__in=[Status.PENDING, Status.ASKING, Status.EXCHANGING]).delete()
    return ended


@transaction.atomic
def _end_question(session_id: UUID, now: datetime) -> int:
    """Nobody answered: the connection stays as it was, and the other account is turned away."""
    late = _late(now, Status.ASKING).filter(pk=session_id).select_related("person", "connector__version")
    session = late.select_for_update(of=("self",)).first()
    if session is None:
        return 0
    let_go(session)
    return AuthorizationSession.objects.filter(pk=session_id).update(**_ending("authorization_expired"))


def _late(now: datetime, status: str) -> QuerySet[AuthorizationSession]:
    return AuthorizationSession.objects.filter(status=status, expires_at__lt=now)


def _ending(outcome: str) -> dict[str, Any]:
    return {"status": Status.FAILED, "outcome": outcome, "outcome_parameters": {}, "sealed": None}
