"""What the worker does for drains and removals: nudges only, what is due stands in the database."""

from celery import shared_task

from connectors.audit.sweeps import sweep
from connectors.lifecycle import drain_finishing, removal_steps


@shared_task(name="lifecycle.finish_drains")
@sweep("lifecycle.finish_drains")
def finish_drains() -> int:
    return drain_finishing.finish_drains()


@shared_task(name="lifecycle.finish_removals")
@sweep("lifecycle.finish_removals")
def finish_removals() -> int:
    return removal_steps.advance_removals()


@shared_task(name="lifecycle.sweep_copies")
@sweep("lifecycle.sweep_copies")
def sweep_copies() -> int:
    return drain_finishing.sweep_copies()
