"""What people write down about connectors, what the worker finds at their endpoints, and what it tells whom."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from uuid_utils.compat import uuid7

from connectors.vault.fields import SealedField


class Verdict(models.TextChoices):
    """What shall become of a connector; the words of the ledger's last column."""

    KEEP = "keep"
    OBSERVE = "observe"
    UNINSTALL = "uninstall"


class LedgerEntry(models.Model):
    """What only people know of a connector; without a row nobody has written anything. `revision` rises with each edit.

    `checklist` maps an item of `checklist.ITEMS` to "yes" or "no"; one that nobody answered is absent.
    """

    connector = models.OneToOneField(
        "Connector", on_delete=models.CASCADE, related_name="ledger_entry", primary_key=True
    )
    purpose = models.CharField(max_length=500, blank=True)  # empty: the package's description
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    source = models.CharField(max_length=500, blank=True)
    checklist = models.JSONField(default=dict, blank=True)
    checklist_note = models.CharField(max_length=1000, blank=True)
    revision = models.PositiveIntegerField(default=0)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.purpose


class Disposition(models.Model):
    """One decision about a connector: the row that nothing superseded is what holds, the others are its history."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    connector = models.ForeignKey("Connector", on_delete=models.CASCADE, related_name="dispositions")
    verdict = models.CharField(max_length=9, choices=Verdict)
    suggested = models.CharField(max_length=16)  # what its use suggested then
    reason = models.CharField(max_length=500, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    decided_by_name = models.CharField(max_length=150)
    decided_at = models.DateTimeField()
    next_review_on = models.DateField(db_index=True)
    superseded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-decided_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["connector"], condition=models.Q(superseded_at=None), name="disposition_holds_once"
            )
        ]

    def __str__(self) -> str:
        return self.verdict

    @property
    def is_due(self) -> bool:
        """Whether its review date has come."""
        return self.next_review_on <= timezone.localdate()


class Review(models.Model):
    """One walk through the ledger; one is open at a time, and whoever may review can take part in it."""

    class State(models.TextChoices):
        OPEN = "open"
        FINISHED = "finished"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    started_by_name = models.CharField(max_length=150)
    started_at = models.DateTimeField()
    finished_by_name = models.CharField(max_length=150, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-started_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["state"], condition=models.Q(state="open"), name="review_open_once")
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.started_at:%Y-%m-%d}"


class ReviewLine(models.Model):
    """One connector in a review, named by copies so that the report outlives it; figures are those of the decision.

    `revision` rises with each answer: of two reviewers the second is told what the first decided.
    """

    class Answer(models.TextChoices):
        KEEP = "keep"
        OBSERVE = "observe"
        UNINSTALL = "uninstall"
        SKIPPED = "skipped"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="lines")
    position = models.PositiveIntegerField()
    connector = models.ForeignKey("Connector", on_delete=models.SET_NULL, null=True, related_name="+")
    connector_key = models.CharField(max_length=64)
    connector_name = models.CharField(max_length=255)
    version = models.CharField(max_length=32)
    answer = models.CharField(max_length=9, choices=Answer, blank=True)
    suggested = models.CharField(max_length=16, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    calls = models.PositiveBigIntegerField(default=0)  # in the 90 days before the decision
    errors = models.PositiveBigIntegerField(default=0)
    last_used_at = models.DateTimeField(null=True, blank=True)
    decided_by_name = models.CharField(max_length=150, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    next_review_on = models.DateField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["review", "position"], name="review_line_position_unique"),
            models.UniqueConstraint(fields=["review", "connector_key"], name="review_line_connector_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.connector_key} {self.answer}"


class Probe(models.Model):
    """What the worker knows of a connector's endpoints, and when it asks again; the row is the queue.

    A server that asks for a credential answers: `outcome` says so, and its tools stay unknown.
    """

    class Outcome(models.TextChoices):
        LISTED = "listed"
        ASKS_AUTHORIZATION = "asks_authorization"
        FAILED = "failed"
        NOTHING_TO_ASK = "nothing_to_ask"  # a program has no server to be asked

    connector = models.OneToOneField("Connector", on_delete=models.CASCADE, related_name="probe", primary_key=True)
    enabled = models.BooleanField(default=True)
    due_at = models.DateTimeField(null=True, blank=True, db_index=True)
    configuration_revision = models.PositiveIntegerField(default=0)  # of the answer: another one begins anew
    outcome = models.CharField(max_length=18, choices=Outcome, blank=True)
    stage = models.CharField(max_length=16, blank=True)
    code = models.CharField(max_length=48, blank=True)
    detail = models.CharField(max_length=200, blank=True)
    milliseconds = models.PositiveIntegerField(default=0)
    probed_at = models.DateTimeField(null=True, blank=True)
    last_good_at = models.DateTimeField(null=True, blank=True)
    failing_since = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)  # in a row
    certificate_expires_at = models.DateTimeField(null=True, blank=True)
    tools = models.JSONField(default=dict, blank=True)  # {tool key: digests of its definitions}, as accounts list them
    toolset_digests = models.JSONField(default=list, blank=True)  # of the accounts' lists `tools` was read from
    noted_version_id = models.UUIDField(null=True, blank=True)  # the package version these were read under
    context_tokens = models.PositiveIntegerField(null=True, blank=True)  # see `context_cost`; none: no list was seen

    def __str__(self) -> str:
        return self.outcome or "not asked yet"


class ProbeDay(models.Model):
    """How often a connector's endpoints were asked on one day (UTC), how often they answered, and for how long they
    were up or down: from one answer to the next, what was found first is taken to hold."""

    connector = models.ForeignKey("Connector", on_delete=models.CASCADE, related_name="probe_days")
    day = models.DateField()
    asked = models.PositiveIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)
    up_seconds = models.PositiveIntegerField(default=0)
    down_seconds = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["connector", "day"], name="probe_day_unique")]

    def __str__(self) -> str:
        return f"{self.day}: {self.answered}/{self.asked}"


class ToolChange(models.Model):
    """What changed in what a connector's endpoints list; definitions count, not only names (safety §27)."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    connector = models.ForeignKey("Connector", on_delete=models.CASCADE, related_name="tool_changes")
    noticed_at = models.DateTimeField()
    added = models.JSONField(default=list, blank=True)
    removed = models.JSONField(default=list, blank=True)
    redefined = models.JSONField(default=list, blank=True)

    class Meta:
        ordering: ClassVar = ["-noticed_at"]

    def __str__(self) -> str:
        return f"+{len(self.added)} -{len(self.removed)} ~{len(self.redefined)}"


class Notice(models.Model):
    """Something people should look at: open until the worker finds it mended; `notices.KINDS` says who sees which."""

    class Kind(models.TextChoices):
        CONNECTOR_DEAD = "connector_dead"
        CERTIFICATE_ENDING = "certificate_ending"
        REVIEW_DUE = "review_due"
        REFRESH_FAILING = "refresh_failing"
        CHAIN_BROKEN = "chain_broken"
        REMOVAL_STUCK = "removal_stuck"
        SWEEP_OVERDUE = "sweep_overdue"
        NARROWING_ASKED = "narrowing_asked"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    kind = models.CharField(max_length=18, choices=Kind)
    subject = models.CharField(max_length=64, blank=True)  # a connector's key, a sweep's name
    connector = models.ForeignKey("Connector", on_delete=models.CASCADE, null=True, related_name="+")
    parameters = models.JSONField(default=dict, blank=True)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True, db_index=True)

    class Meta:
        ordering: ClassVar = ["-opened_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["kind", "subject"], condition=models.Q(closed_at=None), name="notice_open_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class NoticeReader(models.Model):
    """What a person has seen of the notices, and whether they want a digest by e-mail."""

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_reader", primary_key=True
    )
    seen_at = models.DateTimeField(null=True, blank=True)
    wants_mail = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"seen {self.seen_at}"


class DigestWebhook(models.Model):
    """Where the daily digest of notices is posted to, signed with a secret that was shown once."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    url = models.CharField(max_length=2048)
    sealed = SealedField(bound_to=("url",))
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    set_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.url


class DigestDelivery(models.Model):
    """One digest on its way: to the webhook, or to a person by e-mail; one a day and recipient at most."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    webhook = models.ForeignKey(DigestWebhook, on_delete=models.CASCADE, null=True, related_name="deliveries")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+")
    day = models.DateField()
    notices = models.JSONField(default=list)  # ids of the notices it tells of
    due_at = models.DateTimeField(null=True, blank=True, db_index=True)  # none: delivered, or given up
    attempts = models.PositiveSmallIntegerField(default=0)
    failure = models.CharField(max_length=64, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-day"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["webhook", "day"], name="digest_once_a_day"),
            models.UniqueConstraint(fields=["person", "day"], name="digest_mail_once_a_day"),
        ]

    def __str__(self) -> str:
        return f"{self.day}, {self.attempts} attempts"
