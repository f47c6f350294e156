"""The logs: rows are written once. People and things are named by copied id and name, so history outlives them."""

from typing import ClassVar

from django.db import models
from uuid_utils.compat import uuid7


class Subject(models.Model):
    """Who asked for what; shared by decisions and calls."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    person_id = models.BigIntegerField(null=True, blank=True)
    person_name = models.CharField(max_length=150, blank=True)
    agent_id = models.UUIDField(null=True, blank=True)
    agent_name = models.CharField(max_length=100, blank=True)
    run_id = models.UUIDField(null=True, blank=True)
    origin = models.CharField(max_length=12, blank=True)
    remote_address = models.CharField(max_length=45, blank=True)
    connector_key = models.CharField(max_length=64, blank=True)
    package_version = models.CharField(max_length=32, blank=True)
    connection_id = models.UUIDField(null=True, blank=True)
    alias = models.CharField(max_length=64, blank=True)
    server = models.CharField(max_length=64, blank=True)
    tool = models.CharField(max_length=255)  # the name the agent used
    upstream_tool = models.CharField(max_length=255, blank=True)
    effect = models.CharField(max_length=11, blank=True)
    trace_id = models.CharField(max_length=64, blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.person_name} {self.tool}"


class DecisionRecord(Subject):
    """One allow or deny, with the rule that decided and its reason; ids rise with time, so they page."""

    at = models.DateTimeField()
    allowed = models.BooleanField()
    rule = models.CharField(max_length=48)
    reason = models.CharField(max_length=64, blank=True)
    manifest_revision = models.CharField(max_length=64, blank=True)
    tool_digest = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [
            models.Index(fields=["person_id", "-id"], name="decision_by_person"),
            models.Index(fields=["connector_key", "-id"], name="decision_by_connector"),
        ]


class CallRecord(Subject):
    """One call that was handed to a connector, written once at its end; times in UTC, durations in microseconds."""

    class Outcome(models.TextChoices):
        SUCCEEDED = "succeeded"
        TOOL_ERROR = "tool_error"
        FAILED = "failed"
        UNKNOWN = "unknown"

    decision_id = models.UUIDField()
    invocation_id = models.UUIDField(null=True, blank=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    elapsed_us = models.PositiveBigIntegerField()
    upstream_us = models.PositiveBigIntegerField(default=0)
    server_address = models.CharField(max_length=255, blank=True)  # host:port, no credentials, no query
    arguments_bytes = models.PositiveIntegerField()
    arguments_digest = models.CharField(max_length=64)
    result_bytes = models.PositiveIntegerField(default=0)
    result_digest = models.CharField(max_length=64, blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome)
    error_code = models.CharField(max_length=48, blank=True)
    retries = models.PositiveSmallIntegerField(default=0)
    credential_fingerprint = models.CharField(max_length=6, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        permissions: ClassVar = [("view_audit", "Read every decision, call and administrative event")]
        indexes: ClassVar = [
            models.Index(fields=["person_id", "-id"], name="call_by_person"),
            models.Index(fields=["connector_key", "-id"], name="call_by_connector"),
        ]


class AdminEvent(models.Model):
    """One act of a person on the set-up, with what it changed; secrets are masked before they get here."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    at = models.DateTimeField(auto_now_add=True)
    actor_id = models.BigIntegerField(null=True, blank=True)
    actor_name = models.CharField(max_length=150)
    act = models.CharField(max_length=48)
    target_kind = models.CharField(max_length=32)
    target_id = models.CharField(max_length=64)
    target_name = models.CharField(max_length=255)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    remote_address = models.CharField(max_length=45, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return f"{self.act} {self.target_name}"


class SavedView(models.Model):
    """A name for the filters and columns of a log page; `query` is its query string as the page's form cleaned it."""

    class Log(models.TextChoices):
        CALLS = "calls"
        DECISIONS = "decisions"
        EVENTS = "events"
        MY_CALLS = "my_calls"
        MY_DECISIONS = "my_decisions"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey("User", on_delete=models.CASCADE, related_name="+")
    log = models.CharField(max_length=12, choices=Log)
    name = models.CharField(max_length=80)
    query = models.TextField(blank=True, max_length=2000)
    shared = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["owner", "log", "name"], name="saved_view_unique")]
        indexes: ClassVar = [models.Index(fields=["log"], condition=models.Q(shared=True), name="saved_view_shared")]

    def __str__(self) -> str:
        return self.name
