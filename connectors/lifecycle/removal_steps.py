"""What is left of a removed connector goes step by step; each is one transaction, or does no harm when it is repeated.

    letting_go  connections and credentials, in batches; what must be revoked becomes a job
    revoking    until no such job is left: they need the package version
    cleaning    connector and versions are gone; archives and caches follow

A worker may end anywhere in it: what is due stands in the database, and the next one goes on there.
"""

import logging
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from connectors.access.epoch import bump_catalogue
from connectors.audit.growing_wait import growing_wait
from connectors.authorization.models import Connection, RevocationJob
from connectors.authorization.retirement import retire_credential
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import Connector, PackageVersion
from connectors.errors import ConnectorError
from connectors.lifecycle.models import RemovalJob
from connectors.packages.cache import drop_package
from connectors.packages.storage import get_object_store

log = logging.getLogger(__name__)
Stage = RemovalJob.Stage
BATCH = 100
LOOK_AGAIN = timedelta(seconds=30)
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(hours=6)
SHOWN_FOR = timedelta(days=30)


def advance_removals() -> int:
    """Take every removal that is due as far as it goes, and return how many have ended."""
    now = timezone.now()
    RemovalJob.objects.filter(finished_at__lt=now - SHOWN_FOR).delete()
    due = RemovalJob.objects.filter(due_at__lte=now).order_by("due_at").values_list("pk", flat=True)
    return sum(_advance(job_id) for job_id in list(due))


def let_go(connector: Connector) -> bool:
    """Delete a batch of the connector's connections, in the caller's transaction; return whether that was all.

    Their credentials go with them; where the service offers it, their revocation is left behind as a job.
    """
    rows = Connection.objects.filter(connector=connector).order_by("pk").select_related("connector__version")
    batch = list(rows.select_for_update(of=("self",))[:BATCH])
    for connection in batch:
        retire_credential(connection, revoke=True)
    Connection.objects.filter(pk__in=[connection.pk for connection in batch]).delete()
    return len(batch) < BATCH


def next_try(attempts: int, now: datetime) -> datetime:
    """Return when to try again: a minute later, then twice as long each time, six hours at most."""
    return now + growing_wait(attempts, first=FIRST_WAIT, longest=LONGEST_WAIT)


def _advance(job_id: UUID) -> bool:
    try:
        while _let_go_batch(job_id):
            pass
        _delete_rows(job_id)
        return _clean(job_id)
    except (ConnectorError, OSError) as error:
        _note_failure(job_id, error.code if isinstance(error, ConnectorError) else "store_unavailable")
        log.warning("the removal %s does not get on: %s", job_id, error)
        return False


def _lock(job_id: UUID, stage: str) -> RemovalJob | None:
    """Return the job while it is at this stage; one that another worker is at is left to it."""
    return RemovalJob.objects.select_for_update(skip_locked=True).filter(pk=job_id, stage=stage).first()


@transaction.atomic
def _let_go_batch(job_id: UUID) -> bool:
    """Return whether there may be more."""
    job = _lock(job_id, Stage.LETTING_GO)
    if job is None:
        return False
    if not let_go(lock_connector(job.connector_id, removing=True)):
        return True
    job.stage = Stage.REVOKING
    job.save(update_fields=["stage"])
    return False


@transaction.atomic
def _delete_rows(job_id: UUID) -> None:
    """Delete the connector and every version of its key, once no revocation needs them any more."""
    job = _lock(job_id, Stage.REVOKING)
    if job is None:
        return
    connector = lock_connector(job.connector_id, removing=True)
    versions = list(PackageVersion.objects.filter(key=connector.key).order_by("pk").select_for_update())
    if RevocationJob.objects.filter(version__in=versions).exists():
        job.due_at = timezone.now() + LOOK_AGAIN
        job.save(update_fields=["due_at"])
        return
    job.archives = [{"object_key": each.object_key, "manifest_revision": each.manifest_revision} for each in versions]
    job.stage, job.due_at = Stage.CLEANING, timezone.now()
    job.attempts, job.failure = 0, ""
    job.save()
    before: dict[str, Any] = {"versions": sorted(each.version for each in versions)}
    target = Connector(pk=connector.pk, key=connector.key)
    connector.delete()
    PackageVersion.objects.filter(pk__in=[each.pk for each in versions]).delete()
    bump_catalogue()
    record_connector_event("connector_removal_finished", target, None, before=before)


def _clean(job_id: UUID) -> bool:
    """Remove the archives and this machine's copies; return whether the removal has ended with that."""
    job = RemovalJob.objects.filter(pk=job_id, stage=Stage.CLEANING).first()
    if job is None:
        return False
    store = get_object_store()
    for archive in job.archives:
        store.delete(archive["object_key"])
        installed_anew = PackageVersion.objects.filter(
            key=job.connector_key, manifest_revision=archive["manifest_revision"]
        )
        if not installed_anew.exists():
            drop_package(key=job.connector_key, manifest_revision=archive["manifest_revision"])
    ended = RemovalJob.objects.filter(pk=job_id, stage=Stage.CLEANING)
    now = timezone.now()
    return ended.update(stage=Stage.DONE, archives=[], finished_at=now, due_at=None, attempts=0, failure="") == 1


@transaction.atomic
def _note_failure(job_id: UUID, failure: str) -> None:
    job = RemovalJob.objects.select_for_update().filter(pk=job_id).exclude(stage=Stage.DONE).first()
    if job is None:
        return
    job.attempts += 1
    job.failure = failure[:64]
    job.due_at = next_try(job.attempts, timezone.now())
    job.save(update_fields=["attempts", "failure", "due_at"])
