"""End attempts nobody came back from, and forget those that ended a while ago."""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from connectors.authorization.models import AuthorizationSession

LONGEST_EXCHANGE = timedelta(minutes=10)
REMEMBERED = timedelta(days=1)
Status = AuthorizationSession.Status


def sweep_sessions() -> int:
    """Return how many attempts were ended; what they kept sealed is wiped."""
    now = timezone.now()
    AuthorizationSession.objects.filter(created_at__lt=now - REMEMBERED).delete()
    late = Q(status__in=[Status.PENDING, Status.ASKING], expires_at__lt=now)
    stuck = Q(status=Status.EXCHANGING, used_at__lt=now - LONGEST_EXCHANGE)
    ended = AuthorizationSession.objects.filter(late).update(
        status=Status.FAILED, outcome="authorization_expired", outcome_parameters={}, sealed=None
    )
    return ended + AuthorizationSession.objects.filter(stuck).update(
        status=Status.FAILED, outcome="sign_in_interrupted", outcome_parameters={}, sealed=None
    )
