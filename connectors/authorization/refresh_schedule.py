"""When a credential is refreshed: a quarter of an hour before it expires, spread out, never in its first half."""

import random
from datetime import datetime, timedelta

from django.utils import timezone

from connectors.audit.growing_wait import growing_wait
from connectors.authorization.models import Credential, RefreshLease

AHEAD = timedelta(minutes=15)
SPREAD = timedelta(minutes=3)
COOLDOWN = timedelta(seconds=30)
LONGEST_WAIT = timedelta(hours=1)


def next_refresh(expires_at: datetime | None, *, now: datetime) -> datetime | None:
    """Return when to refresh; a credential without an expiry only when a service refuses it.

    The spread keeps accounts that were authorized together from asking together.
    """
    if expires_at is None:
        return None
    early = AHEAD + SPREAD * random.random()  # noqa: S311 - spreads load, guards nothing
    return max(expires_at - early, now + (expires_at - now) / 2)


def next_try(attempts: int, *, now: datetime) -> datetime:
    """Return when to try again after that many failures in a row: 30 s, then twice as long, an hour at most."""
    wait = growing_wait(attempts, first=COOLDOWN, longest=LONGEST_WAIT)
    return now + wait * (1 + random.random() / 10)  # noqa: S311 - spreads load, guards nothing


def schedule_refresh(credential: Credential) -> None:
    """Put the credential's next refresh on the list and forget what went wrong before, in the caller's transaction.

    A holder at work keeps its lease: its answer no longer fits the new version and is dropped.
    """
    due_at = next_refresh(credential.expires_at, now=timezone.now())
    moments = dict.fromkeys(("doubtful_since", "cooldown_until", "failing_since"))
    fresh = {"due_at": due_at, "attempts": 0, "failure": "", **moments}
    RefreshLease.objects.update_or_create(connection_id=credential.connection_id, defaults=fresh)
