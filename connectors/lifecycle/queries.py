"""Reads of drains and removals."""

from datetime import timedelta
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from connectors.authorization.models import RevocationJob
from connectors.catalogue.models import Connector
from connectors.errors import ConnectorError, Fault, Invalid, NotFound
from connectors.lifecycle.models import Drain, RemovalJob

STUCK_AFTER_FAILURES = 3
OVERDUE = timedelta(minutes=10)


def find_drain(connector: Connector) -> Drain | None:
    """Return the connector's last drain, waiting or ended."""
    return Drain.objects.select_related("started_by").filter(connector=connector).first()


def failure_of(drain: Drain) -> ConnectorError | None:
    """Return the error a drain ended with, or that makes it wait longer than it should."""
    if not drain.failure:
        return None
    told = dict(drain.failure_parameters)
    faults = told.pop("faults", None)
    if faults:
        return Invalid([Fault(code, where, parameters) for code, where, parameters in faults])
    return ConnectorError(drain.failure, **told)


def find_removal(removal_id: UUID) -> RemovalJob:
    """Return a removal, under way or finished a while ago."""
    job = RemovalJob.objects.filter(pk=removal_id).first()
    if job is None:
        raise NotFound("removal_not_found")
    return job


def find_removal_of(connector: Connector) -> RemovalJob | None:
    """Return the removal that a connector is going through."""
    if connector.transition != Connector.Transition.REMOVING:
        return None
    return RemovalJob.objects.filter(connector_id=connector.pk).first()


def find_last_removal(key: str) -> RemovalJob:
    """Return the last removal of a connector that bore this key; it is remembered for a while."""
    job = RemovalJob.objects.filter(connector_key=key).first()
    if job is None:
        raise NotFound("connector_not_found", key=key)
    return job


def removals_under_way() -> QuerySet[RemovalJob]:
    """Return the removals that have not ended, the latest first."""
    return RemovalJob.objects.exclude(stage=RemovalJob.Stage.DONE)


def stuck_removals() -> QuerySet[RemovalJob]:
    """Return the removals that fail again and again, or that nobody has taken up: Health shows them."""
    failing = Q(attempts__gte=STUCK_AFTER_FAILURES)
    forgotten = Q(due_at__lt=timezone.now() - OVERDUE)
    return removals_under_way().filter(failing | forgotten)


def revocations_left(job: RemovalJob) -> int:
    """Return how many credentials are still to be revoked at their service before the removal goes on."""
    return RevocationJob.objects.filter(version__key=job.connector_key, gave_up_at=None).count()
