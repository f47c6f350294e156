"""What a person should know ahead of time: an account that stops working on a day that is already known."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.utils import timezone

from connectors.authorization.accounts import STANDING
from connectors.authorization.models import Connection, Credential

AHEAD = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Expiry:
    """`credential`: nothing can renew it after that. `renewal`: it is renewed until then, and not beyond."""

    of: Literal["credential", "renewal"]
    at: datetime


def find_expiry(connection: Connection, *, now: datetime | None = None) -> Expiry | None:
    """Return the known end of a standing connection, when it is less than a week away."""
    credential: Credential | None = getattr(connection, "credential", None)
    soon = (now or timezone.now()) + AHEAD
    if credential is None or connection.state not in STANDING:
        return None
    if credential.renewable:
        end = credential.refresh_expires_at
        return Expiry("renewal", end) if end is not None and end <= soon else None
    end = credential.expires_at
    return Expiry("credential", end) if end is not None and end <= soon else None
