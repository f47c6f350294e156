"""What the last verification of the chain came to, kept where pages and notices can read it."""

from collections.abc import Sequence

from django.utils import timezone

from connectors.audit.chain import verify_chain
from connectors.audit.heads import Head
from connectors.audit.models import ChainCheck

KEPT = 400  # a year of daily ones and some by hand


def check_chain(*, heads: Sequence[Head] = ()) -> ChainCheck:
    """Verify the chain and keep what came of it."""
    report = verify_chain(heads=heads)
    fault = report.first_fault
    check = ChainCheck.objects.create(
        at=timezone.now(),
        ok=report.ok,
        checked=report.checked,
        unchained=report.unchained,
        head_sequence=report.head_sequence,
        fault=fault.code if fault else "",
        fault_sequence=fault.sequence if fault else None,
        fault_event_id=fault.event_id if fault else None,
    )
    kept = ChainCheck.objects.values_list("pk", flat=True)[:KEPT]
    ChainCheck.objects.exclude(pk__in=list(kept)).delete()
    return check


def last_check() -> ChainCheck | None:
    """Return the newest verification, None before the first."""
    return ChainCheck.objects.first()
