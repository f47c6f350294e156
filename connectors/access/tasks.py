"""Background work of people's sign-in."""

from celery import shared_task

from connectors.access import sign_in
from connectors.audit.sweeps import sweep


@shared_task(name="access.sweep_sign_in_links")
@sweep("access.sweep_sign_in_links")
def sweep_sign_in_links() -> None:
    sign_in.sweep_sign_in_links()
