"""Runs, the tools they may call, and the calls that must not happen twice."""

from typing import ClassVar

from django.db import models
from uuid_utils.compat import uuid7


class Toolset(models.Model):
    """What a connection's servers listed last: raw tool definitions by server key ("" for a single endpoint)."""

    connection = models.OneToOneField("Connection", on_delete=models.CASCADE, related_name="toolset", primary_key=True)
    tools = models.JSONField(default=dict)
    malformed = models.JSONField(default=list, blank=True)  # [{server, name, reason}]: left out, and shown
    digest = models.CharField(max_length=64)
    manifest_revision = models.CharField(max_length=64)
    configuration_revision = models.PositiveIntegerField()
    grant_revision = models.PositiveIntegerField(default=0)
    discovered_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.digest[:12]


class Run(models.Model):
    """One task of one agent: its origin, its conversation, and the connector versions it began with."""

    class Origin(models.TextChoices):
        CHAT = "chat"
        EXPERT_CHAT = "expert_chat"
        SCHEDULED = "scheduled"
        OPENAPI = "openapi"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    agent = models.ForeignKey("Agent", on_delete=models.CASCADE, related_name="runs")
    person = models.ForeignKey("User", on_delete=models.CASCADE, related_name="+")
    origin = models.CharField(max_length=12, choices=Origin, default=Origin.CHAT)
    conversation = models.CharField(max_length=128, blank=True)
    connector_versions = models.JSONField(default=dict)  # {connector key: manifest_revision}
    started_at = models.DateTimeField(auto_now_add=True)
    idle_ends_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    stopped_at = models.DateTimeField(null=True, blank=True)  # ended for a change that waited, not by itself

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["agent", "conversation"], condition=models.Q(ended_at=None), name="run_open_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["idle_ends_at"], condition=models.Q(ended_at=None), name="run_open_by_idle_end"),
            models.Index(fields=["stopped_at"], condition=models.Q(stopped_at__isnull=False), name="run_stopped"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class Invocation(models.Model):
    """A call that is not a read: claimed and sent before the request goes out, ended exactly once."""

    class State(models.TextChoices):
        CLAIMED = "claimed"
        SENT = "sent"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        UNKNOWN = "unknown"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    agent = models.ForeignKey("Agent", on_delete=models.CASCADE, related_name="+")
    invocation_id = models.UUIDField()
    connection_id = models.UUIDField()
    tool = models.CharField(max_length=255)
    arguments_digest = models.CharField(max_length=64)
    arguments_bytes = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State, default=State.CLAIMED)
    claimed_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.JSONField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["agent", "invocation_id"], name="invocation_once")]

    def __str__(self) -> str:
        return str(self.invocation_id)
