"""Background work of the packages room."""

from celery import shared_task

from connectors.audit.sweeps import sweep
from connectors.packages.staging import sweep_staged


@shared_task(name="packages.sweep_staged")
@sweep("packages.sweep_staged")
def sweep_staged_packages() -> None:
    """Forget uploads that were not committed within their hour."""
    sweep_staged()
