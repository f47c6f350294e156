"""What the worker does for the ledger: nudges only, what is due stands in the database."""

from datetime import UTC

from celery import shared_task
from django.utils import timezone

from connectors.audit.sweeps import sweep
from connectors.ledger import digests, notices, probe_record, probing, tool_changes


@shared_task(name="ledger.probe_due")
@sweep("ledger.probe_due")
def probe_due() -> int:
    return probing.probe_due()


@shared_task(name="ledger.note_tool_changes")
@sweep("ledger.note_tool_changes")
def note_tool_changes() -> int:
    return tool_changes.note_tool_changes()


@shared_task(name="ledger.refresh_notices")
@sweep("ledger.refresh_notices")
def refresh_notices() -> int:
    """Also what only has to happen now and then: digests for what is new, and old days of the probes."""
    probe_record.forget_old_days(timezone.now().astimezone(UTC).date())
    standing = notices.refresh_notices()
    digests.queue_digests()
    return standing


@shared_task(name="ledger.deliver_digests")
@sweep("ledger.deliver_digests")
def deliver_digests() -> int:
    return digests.deliver_due()
