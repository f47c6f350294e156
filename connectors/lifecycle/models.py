"""Changes that wait for a connector to be free, and removals that outlive the connector."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from uuid_utils.compat import uuid7

from connectors.vault.fields import SealedField


class Drain(models.Model):
    """A change that is made by itself once nothing occupies the connector; the last one of each connector is kept.

    While it waits, `Connector.transition` is `draining`. Everything the change needs is here: the archive as an object
    of its own, what was typed sealed; both are wiped when the drain ends.
    """

    class Kind(models.TextChoices):
        UPDATE = "update"
        ROLLBACK = "rollback"
        REMOVAL = "removal"

    class State(models.TextChoices):
        WAITING = "waiting"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    connector = models.OneToOneField("Connector", on_delete=models.CASCADE, related_name="drain")
    kind = models.CharField(max_length=8, choices=Kind)
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    target_version = models.CharField(max_length=32, blank=True)  # what an update or a roll back goes to
    archive_sha256 = models.CharField(max_length=64, blank=True)
    object_key = models.CharField(max_length=255, blank=True)
    sealed = SealedField(null=True, bound_to=("connector_id",))  # what was typed (`drain_payload`)
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True, db_index=True)
    runs_end_at = models.DateTimeField(null=True, blank=True)  # runs that are open then are ended; none: waited for
    attempts = models.PositiveSmallIntegerField(default=0)  # that failed for a reason that may pass
    failure = models.CharField(max_length=64, blank=True)
    failure_parameters = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"


class RemovalJob(models.Model):
    """A removal on its way: its connector is out of use, and what is left of it goes step by step.

    It names the connector by copies, because it outlives it; the row stays readable for a while after its end.
    """

    class Stage(models.TextChoices):
        LETTING_GO = "letting_go"  # connections and credentials are deleted, revocations ordered
        REVOKING = "revoking"  # services are told; the package versions stay for that
        CLEANING = "cleaning"  # the rows are gone; archives and caches follow
        DONE = "done"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    connector_id = models.UUIDField(unique=True)
    connector_key = models.CharField(max_length=64, db_index=True)
    connector_name = models.CharField(max_length=255, blank=True)
    stage = models.CharField(max_length=10, choices=Stage, default=Stage.LETTING_GO)
    archives = models.JSONField(default=list, blank=True)  # [{object_key, manifest_revision}] still to be cleaned
    removed_by_name = models.CharField(max_length=150, blank=True)
    removed_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField(null=True, blank=True, db_index=True)
    attempts = models.PositiveSmallIntegerField(default=0)  # failed ones in a row
    failure = models.CharField(max_length=64, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-removed_at"]

    def __str__(self) -> str:
        return f"{self.connector_key} {self.stage}"
