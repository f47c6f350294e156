"""What the worker does for the ledger: nudges only, what is due stands in the database."""

from celery import shared_task

from connectors.audit.sweeps import sweep
from connectors.ledger import probing, tool_changes


@shared_task(name="ledger.probe_due")
@sweep("ledger.probe_due")
def probe_due() -> int:
    return probing.probe_due()


@shared_task(name="ledger.note_tool_changes")
@sweep("ledger.note_tool_changes")
def note_tool_changes() -> int:
    return tool_changes.note_tool_changes()
