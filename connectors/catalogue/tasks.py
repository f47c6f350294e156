"""Background work of the catalogue."""

from celery import shared_task

from connectors.audit.sweeps import sweep
from connectors.catalogue import orphans


@shared_task(name="catalogue.sweep_orphans")
@sweep("catalogue.sweep_orphans")
def sweep_orphans() -> None:
    orphans.sweep_orphans()
