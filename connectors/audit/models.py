"""The logs: rows are written once. People and things are named by copied id and name, so history outlives them."""

from typing import ClassVar

from django.db import models
from uuid_utils.compat import uuid7

from connectors.vault.fields import SealedField


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
    approval_id = models.UUIDField(null=True, blank=True)  # what a person approved; none where nobody was asked

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
            models.Index(fields=["run_id"], name="decision_by_run", condition=models.Q(run_id__isnull=False)),
            models.Index(fields=["trace_id"], name="decision_by_trace", condition=~models.Q(trace_id="")),
            models.Index(
                fields=["approval_id"], name="decision_by_approval", condition=models.Q(approval_id__isnull=False)
            ),
            models.Index(fields=["-id"], name="decision_denied", condition=models.Q(allowed=False)),
        ]


class CallRecord(Subject):
    """One call that was handed to a connector, written once at its end; times in UTC, durations in microseconds.

    `elapsed_us` holds its parts and what lies between them: waiting for a free connection or a program's place
    (`queue_us`), renewing the credential (`refresh_us`), DNS, TCP and TLS of new connections (`connect_us`), the
    service or the program itself (`upstream_us`, without the three before).
    """

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
    queue_us = models.PositiveBigIntegerField(default=0)
    refresh_us = models.PositiveBigIntegerField(default=0)
    connect_us = models.PositiveBigIntegerField(default=0)
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
    captured = models.BooleanField(default=False)  # its content was kept for a while: `CapturedContent`

    class Meta:
        ordering: ClassVar = ["-id"]
        permissions: ClassVar = [("view_audit", "Read every decision, call and administrative event")]
        indexes: ClassVar = [
            models.Index(fields=["person_id", "-id"], name="call_by_person"),
            models.Index(fields=["connector_key", "-id"], name="call_by_connector"),
            models.Index(fields=["run_id"], name="call_by_run", condition=models.Q(run_id__isnull=False)),
            models.Index(fields=["trace_id"], name="call_by_trace", condition=~models.Q(trace_id="")),
            models.Index(
                fields=["approval_id"], name="call_by_approval", condition=models.Q(approval_id__isnull=False)
            ),
            models.Index(fields=["outcome", "-id"], name="call_failed", condition=~models.Q(outcome="succeeded")),
            models.Index(fields=["error_code", "-id"], name="call_by_code", condition=~models.Q(error_code="")),
        ]


class CapturedContent(models.Model):
    """What one call said and was answered, kept sealed for a few days because an administrator asked for it.

    Each side is cut after a bound; `*_bytes` on the call's record say how long it was.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    call_id = models.UUIDField(unique=True)
    connector_key = models.CharField(max_length=64)
    captured_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    arguments = SealedField(bound_to=("call_id",))
    arguments_cut = models.BooleanField(default=False)
    result = SealedField(bound_to=("call_id",))
    result_cut = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"of {self.call_id}"


class AdminEvent(models.Model):
    """One act of a person on the set-up, with what it changed; secrets are masked before they get here.

    Each is a link of a chain: `hash` is made of the event and of the hash before it. Events of before there was a
    chain have no sequence.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    at = models.DateTimeField()
    actor_id = models.BigIntegerField(null=True, blank=True)
    actor_name = models.CharField(max_length=150)
    act = models.CharField(max_length=48)
    target_kind = models.CharField(max_length=32)
    target_id = models.CharField(max_length=64)
    target_name = models.CharField(max_length=255)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    remote_address = models.CharField(max_length=45, blank=True)
    sequence = models.PositiveBigIntegerField(null=True, unique=True, editable=False)
    previous_hash = models.CharField(max_length=64, null=True, unique=True, editable=False)
    hash = models.CharField(max_length=64, blank=True, editable=False)

    class Meta:
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return f"{self.act} {self.target_name}"


class SignedHead(models.Model):
    """Where the chain ended at a moment, signed with a key of the vault's ring."""

    sequence = models.PositiveBigIntegerField()
    hash = models.CharField(max_length=64)
    signed_at = models.DateTimeField()
    key_name = models.CharField(max_length=64)
    signature = models.CharField(max_length=128)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.sequence} {self.hash[:12]}"


class ChainTip(SignedHead):
    """The one row that says where the chain ends now; written with every event, so that the newest cannot vanish."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)


class ChainHead(SignedHead):
    """Where the chain ended at some hour; what is verified must still lead there."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)

    class Meta:
        ordering: ClassVar = ["-id"]


class ChainSegment(models.Model):
    """A stretch of the chain whose events went by retention: their digest stays, and the chain goes on from it."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    first_sequence = models.PositiveBigIntegerField(unique=True)
    last_sequence = models.PositiveBigIntegerField(unique=True)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    previous_hash = models.CharField(max_length=64)
    last_hash = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)  # SHA-256 over the hashes of its events, in order
    removed_at = models.DateTimeField()
    key_name = models.CharField(max_length=64)
    signature = models.CharField(max_length=128)

    class Meta:
        ordering: ClassVar = ["first_sequence"]

    def __str__(self) -> str:
        return f"{self.first_sequence}–{self.last_sequence}"


class ChainCheck(models.Model):
    """One verification of the chain: asked for, under way, or done (`at`). The newest that is done is what counts."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    requested_at = models.DateTimeField()
    ongoing = models.BooleanField(null=True, default=True, unique=True)  # true or null: one at a time
    touched_at = models.DateTimeField(null=True, blank=True)  # its last sign of life
    at = models.DateTimeField(null=True, blank=True)
    ok = models.BooleanField(default=False)
    checked = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    unchained = models.PositiveBigIntegerField(default=0)
    head_sequence = models.PositiveBigIntegerField(default=0)
    fault = models.CharField(max_length=32, blank=True)
    fault_sequence = models.PositiveBigIntegerField(null=True, blank=True)
    fault_event_id = models.UUIDField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return self.fault or "ok"


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
