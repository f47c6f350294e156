"""Reads of drains and removals."""

from datetime import timedelta
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from connectors.catalogue.models import Connector
from connectors.errors import NotFound
from connectors.lifecycle.models import Drain, RemovalJob

STUCK_AFTER_FAILURES = 3
OVERDUE = timedelta(minutes=10)


def find_drain(connector: Connector) -> Drain | None:
    """Return the connector's last drain, waiting or ended."""
    return Drain.objects.select_related("started_by").filter(connector=connector).first()


def find_removal(removal_id: UUID) -> RemovalJob:
    """Return a removal, under way or finished a while ago."""
    job = RemovalJob.objects.filter(pk=removal_id).first()
    if job is None:
        raise NotFound("removal_not_found")
    return job


def removals_under_way() -> QuerySet[RemovalJob]:
    """Return the removals that have not ended, the latest first."""
    return RemovalJob.objects.exclude(stage=RemovalJob.Stage.DONE)


def stuck_removals() -> QuerySet[RemovalJob]:
    """Return the removals that fail again and again, or that nobody has taken up: Health shows them."""
    failing = Q(attempts__gte=STUCK_AFTER_FAILURES)
    forgotten = Q(due_at__lt=timezone.now() - OVERDUE)
    return removals_under_way().filter(failing | forgotten)
