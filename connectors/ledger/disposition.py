"""What shall become of a connector: what its use suggests (keep, observe, uninstall), and what somebody decided."""

import calendar
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from connectors.access.models import User
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import Connector
from connectors.errors import Fault, Invalid
from connectors.ledger.models import Disposition, Verdict
from connectors.manifest.free_text import text_faults

WEEK: Final = timedelta(days=7)
IDLE: Final = timedelta(days=30)
LONG_IDLE: Final = timedelta(days=90)
NOT_YET_OBSERVED: Final = "not_yet_observed"
LONGEST_REASON: Final = 500
_QUARTER: Final = 3


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`verdict` is a Verdict or NOT_YET_OBSERVED; `code` says why, `days` for how long (used ago, idle, observed)."""

    verdict: str
    code: str
    days: int

    @property
    def is_judged(self) -> bool:
        return self.verdict != NOT_YET_OBSERVED


def suggest_disposition(
    *, last_used_at: datetime | None, observed_since: datetime | None, now: datetime, withdrawn: bool = False
) -> Suggestion:
    """Suggest by use: within 7 days keep (and so within 30), idle from 30 to 90 days observe, over 90 uninstall.

    Idleness counts only while it could be seen: from the last use or from when the connector could be used
    (`observed_since`: published, and its use recorded), whichever is later. Until that is 30 days, an unused
    connector is not judged; one that nobody could use yet has no `observed_since`. While it is withdrawn nobody can,
    so its idleness says nothing.
    """
    if last_used_at is not None and now - last_used_at < IDLE:
        ago = max(now - last_used_at, timedelta())
        return Suggestion(Verdict.KEEP, "used_this_week" if ago <= WEEK else "used_this_month", ago.days)
    if observed_since is None:
        return Suggestion(NOT_YET_OBSERVED, "nobody_could_use_it", 0)
    if withdrawn:
        return Suggestion(NOT_YET_OBSERVED, "withdrawn", 0)
    seen = max(now - max(observed_since, last_used_at or observed_since), timedelta())
    if seen < IDLE:
        return Suggestion(NOT_YET_OBSERVED, "observed_too_briefly", seen.days)
    if seen <= LONG_IDLE:
        return Suggestion(Verdict.OBSERVE, "idle", seen.days)
    return Suggestion(Verdict.UNINSTALL, "long_idle", seen.days)


def needs_reason(verdict: str, suggestion: Suggestion) -> bool:
    """Whether a verdict must be explained: it is not the suggested one, or it ends what nobody has observed."""
    if not suggestion.is_judged:
        return verdict == Verdict.UNINSTALL
    return verdict != suggestion.verdict


def next_quarter(day: date) -> date:
    """Return the same day three months on, the last of that month where it is shorter."""
    month = day.month - 1 + _QUARTER
    year, month = day.year + month // 12, month % 12 + 1
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


@transaction.atomic
def decide_disposition(
    *, connector: Connector, verdict: str, reason: str, suggestion: Suggestion, actor: User
) -> Disposition:
    """Record what somebody decided; it holds until the next decision, and is looked at again in a quarter.

    Removes nothing. Raises Invalid for an unknown verdict and for one against the suggestion without a reason.
    """
    reason = reason.strip()
    _check(verdict, reason, suggestion)
    current = lock_connector(connector.pk)
    now = timezone.now()
    before = Disposition.objects.filter(connector=current, superseded_at=None).first()
    Disposition.objects.filter(connector=current, superseded_at=None).update(superseded_at=now)
    decided = Disposition.objects.create(
        connector=current,
        verdict=verdict,
        suggested=suggestion.verdict,
        reason=reason,
        decided_by=actor,
        decided_by_name=actor.name,
        decided_at=now,
        next_review_on=next_quarter(timezone.localdate(now)),
    )
    record_connector_event("disposition_decided", current, actor, before=_describe(before), after=_describe(decided))
    return decided


def _check(verdict: str, reason: str, suggestion: Suggestion) -> None:
    faults = []
    if verdict not in Verdict.values:
        faults.append(Fault("not_an_option", "verdict"))
    elif needs_reason(verdict, suggestion) and not reason:
        faults.append(Fault("reason_needed", "reason"))
    faults += text_faults("reason", reason, longest=LONGEST_REASON)
    if faults:
        raise Invalid(faults)


def _describe(disposition: Disposition | None) -> dict[str, str]:
    if disposition is None:
        return {}
    return {"disposition": disposition.verdict, "reason": disposition.reason}
