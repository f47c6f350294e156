"""What the worker does for the logs."""

from celery import shared_task

from connectors.audit import capture, checks, heads, retention, rollups
from connectors.audit.sweeps import sweep


@shared_task(name="audit.set_down_head")
@sweep("audit.set_down_head")
def set_down_head() -> None:
    heads.renew_signatures()
    heads.set_down_head()


@shared_task(name="audit.check_chain")
@sweep("audit.check_chain")
def check_chain() -> int:
    return checks.run_due_check()


@shared_task(name="audit.sweep_captured")
@sweep("audit.sweep_captured")
def sweep_captured() -> int:
    return capture.sweep_captured()


@shared_task(name="audit.roll_up")
@sweep("audit.roll_up")
def roll_up() -> int:
    return rollups.roll_up()


@shared_task(name="audit.remove_old_rows")
@sweep("audit.remove_old_rows")
def remove_old_rows() -> int:
    return retention.remove_old_rows()
