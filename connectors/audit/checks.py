"""Verifications of the chain: asked for, made by the worker, kept where pages and notices can read them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from connectors.audit.chain import verify_chain
from connectors.audit.heads import Head
from connectors.audit.models import ChainCheck, ChainSegment, ChainTip
from connectors.audit.recording import Actor, record_admin_event

EVERY: Final = timedelta(days=1)
LOST_AFTER: Final = timedelta(minutes=2)  # without a sign of life somebody else takes it up
KEPT: Final = 400  # a year of daily ones and some by hand


@dataclass(frozen=True, slots=True)
class Ongoing:
    """A verification that was asked for. `checked` of about `total` events are done, 0 while it waits."""

    requested_at: datetime
    checked: int
    total: int


def check_chain(*, heads: Sequence[Head] = ()) -> ChainCheck:
    """Verify the chain now and keep what came of it."""
    check = ChainCheck(requested_at=timezone.now(), ongoing=None)
    check.save(force_insert=True)
    return _run(check, heads)


@transaction.atomic
def request_check(*, actor: Actor) -> None:
    """Ask the worker for a verification; while one is under way, that is the one."""
    _, is_new = ChainCheck.objects.get_or_create(ongoing=True, defaults={"requested_at": timezone.now()})
    if is_new:
        record_admin_event(
            actor=actor, act="chain_check_requested", target_kind="log", target_id="events", target_name="events"
        )


def run_due_check() -> int:
    """Make the verification that was asked for, was left by a worker that died, or is due by the day; how many."""
    now = timezone.now()
    check = ChainCheck.objects.filter(ongoing=True).first()
    if check is None:
        last = last_check()
        if last is not None and last.at is not None and now - last.at < EVERY:
            return 0
        check, _ = ChainCheck.objects.get_or_create(ongoing=True, defaults={"requested_at": now})
    if check.touched_at is not None and now - check.touched_at < LOST_AFTER:
        return 0
    if not ChainCheck.objects.filter(pk=check.pk, touched_at=check.touched_at, at=None).update(touched_at=now):
        return 0
    _run(check)
    return 1


def last_check() -> ChainCheck | None:
    """Return the newest verification that is done, None before the first."""
    return ChainCheck.objects.filter(at__isnull=False).first()


def ongoing_check() -> Ongoing | None:
    check = ChainCheck.objects.filter(ongoing=True).first()
    return Ongoing(check.requested_at, check.checked, check.total) if check else None


def _run(check: ChainCheck, heads: Sequence[Head] = ()) -> ChainCheck:
    check.total = _count_links()
    ChainCheck.objects.filter(pk=check.pk).update(total=check.total)
    report = verify_chain(heads=heads, tell=lambda checked: _tell(check, checked))
    fault = report.first_fault
    check.ok, check.checked, check.unchained = report.ok, report.checked, report.unchained
    check.head_sequence = report.head_sequence
    check.fault = fault.code if fault else ""
    check.fault_sequence = fault.sequence if fault else None
    check.fault_event_id = fault.event_id if fault else None
    check.ongoing, check.at = None, timezone.now()
    check.touched_at = check.at
    check.save()
    kept = ChainCheck.objects.values_list("pk", flat=True)[:KEPT]
    ChainCheck.objects.exclude(pk__in=list(kept)).delete()
    return check


def _tell(check: ChainCheck, checked: int) -> None:
    ChainCheck.objects.filter(pk=check.pk).update(checked=checked, touched_at=timezone.now())


def _count_links() -> int:
    tip = ChainTip.objects.values_list("sequence", flat=True).first() or 0
    gone = ChainSegment.objects.order_by("-last_sequence").values_list("last_sequence", flat=True).first() or 0
    return max(0, tip - gone)
