"""Keep what a probe found: how the endpoints stand now, and for how long they were up or down on each day."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from connectors.ledger.models import Probe, ProbeDay
from connectors.ledger.probe_times import holds_for

GOOD: Final = (Probe.Outcome.LISTED, Probe.Outcome.ASKS_AUTHORIZATION)
# Nobody knows what happened while the worker did not ask: that time is not counted, and one that failed before and
# after a longer stretch of it is not said to have failed all the while.
LONGEST_GAP: Final = timedelta(days=2)
KEPT_DAYS: Final = 400

type NextDue = Callable[["Finding", int, datetime], datetime]


@dataclass(frozen=True, slots=True)
class Finding:
    """What asking one connector's endpoints came to; the stage, code and detail are those of a connection test."""

    outcome: Probe.Outcome
    stage: str = ""
    code: str = ""
    detail: str = ""
    milliseconds: int = 0
    certificate_expires_at: datetime | None = None

    @property
    def is_good(self) -> bool:
        return self.outcome in GOOD


@transaction.atomic
def record_finding(connector_id: UUID, configuration_revision: int, finding: Finding, *, next_due: NextDue) -> None:
    """Keep a finding; of another configuration than the last one it begins anew. A removed connector keeps nothing."""
    probe = Probe.objects.select_for_update(of=("self",)).defer("tools").filter(pk=connector_id).first()
    if probe is None:
        return
    now = timezone.now()
    if probe.configuration_revision != configuration_revision:
        probe.configuration_revision, probe.outcome, probe.probed_at = configuration_revision, "", None
        probe.failing_since, probe.failures, probe.last_good_at = None, 0, None
    known_until = _known_until(probe, now)
    _count(probe, finding, known_until, now)
    if now - known_until > LONGEST_GAP:
        probe.failing_since, probe.failures = None, 0
    _apply(probe, finding, now)
    probe.due_at = next_due(finding, probe.failures, now)
    probe.save(update_fields=_WRITTEN)


_WRITTEN: Final = [
    *("configuration_revision", "outcome", "stage", "code", "detail", "milliseconds", "probed_at", "last_good_at"),
    *("failing_since", "failures", "certificate_expires_at", "due_at"),
]


def _apply(probe: Probe, finding: Finding, now: datetime) -> None:
    probe.outcome, probe.stage, probe.code = finding.outcome, finding.stage[:16], finding.code[:48]
    probe.detail, probe.milliseconds, probe.probed_at = finding.detail[:200], finding.milliseconds, now
    if finding.is_good:
        probe.last_good_at, probe.failing_since, probe.failures = now, None, 0
        probe.certificate_expires_at = finding.certificate_expires_at
    elif finding.outcome == Probe.Outcome.FAILED:
        probe.failing_since, probe.failures = probe.failing_since or now, probe.failures + 1
        probe.certificate_expires_at = finding.certificate_expires_at or probe.certificate_expires_at
    else:
        probe.failing_since, probe.failures, probe.certificate_expires_at = None, 0, None


def _known_until(probe: Probe, now: datetime) -> datetime:
    """Return until when what was found last is taken to have held; now, where nothing was."""
    if probe.probed_at is None:
        return now
    return min(now, probe.probed_at + holds_for(probe.outcome, probe.failures))


def _count(probe: Probe, finding: Finding, known_until: datetime, now: datetime) -> None:
    """Add this asking to its day, and the time the last one's finding held to the days it went through."""
    if finding.outcome == Probe.Outcome.NOTHING_TO_ASK:
        return
    _add(probe.connector_id, now.astimezone(UTC).date(), asked=1, answered=int(finding.is_good))
    before = probe.probed_at
    if before is None or probe.outcome not in (*GOOD, Probe.Outcome.FAILED):
        return
    field = "up_seconds" if probe.outcome in GOOD else "down_seconds"
    for day, seconds in split_by_day(before, known_until):
        _add(probe.connector_id, day, **{field: seconds})


def split_by_day(start: datetime, end: datetime) -> Iterator[tuple[date, int]]:
    """Yield the UTC days of a stretch of time with the whole seconds that fall on each."""
    while start < end:
        day = start.astimezone(UTC).date()
        midnight = datetime.combine(day + timedelta(days=1), time(), UTC)
        until = min(midnight, end)
        yield day, round((until - start).total_seconds())
        start = until


def _add(connector_id: UUID, day: date, **amounts: int) -> None:
    row, _ = ProbeDay.objects.get_or_create(connector_id=connector_id, day=day)
    ProbeDay.objects.filter(pk=row.pk).update(**{name: F(name) + amount for name, amount in amounts.items()})


def forget_old_days(today: date) -> int:
    """Delete the days nobody looks at any more, and return how many."""
    deleted, _ = ProbeDay.objects.filter(day__lt=today - timedelta(days=KEPT_DAYS)).delete()
    return deleted
