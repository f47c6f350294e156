"""What is kept of calls when they are counted, and of the tasks that count, remove and sweep."""

from typing import ClassVar

from django.db import models


class UsageSubject(models.Model):
    """What use is counted for: one combination that calls had. Names are the latest seen; it outlives the calls.

    `level` says which columns tell it apart; the others are empty. `digest` is those columns in one.
    """

    class Level(models.IntegerChoices):
        ALL = 0
        CONNECTOR = 1
        TOOL = 2  # connector, server, tool, public tool
        CONNECTION = 3  # connector, person, connection
        CODE = 4  # connector, error code
        EACH = 5  # everything

    level = models.PositiveSmallIntegerField(choices=Level)
    digest = models.UUIDField(unique=True)
    connector_key = models.CharField(max_length=64, blank=True)
    server = models.CharField(max_length=64, blank=True)
    tool = models.CharField(max_length=255, blank=True)  # as the connector names it
    public_tool = models.CharField(max_length=255, blank=True)
    person_id = models.BigIntegerField(null=True, blank=True)
    person_name = models.CharField(max_length=150, blank=True)
    agent_id = models.UUIDField(null=True, blank=True)
    agent_name = models.CharField(max_length=100, blank=True)
    connection_id = models.UUIDField(null=True, blank=True)
    alias = models.CharField(max_length=64, blank=True)
    origin = models.CharField(max_length=12, blank=True)
    effect = models.CharField(max_length=11, blank=True)
    outcome = models.CharField(max_length=10, blank=True)
    error_code = models.CharField(max_length=48, blank=True)
    last_used_at = models.DateTimeField()
    last_person_name = models.CharField(max_length=150, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["level", "connector_key"], name="usage_by_connector"),
            models.Index(fields=["person_id", "level"], name="usage_by_person"),
            models.Index(fields=["connection_id", "level"], name="usage_by_connection"),
        ]

    def __str__(self) -> str:
        return f"{self.connector_key} {self.tool}"


class UsageCell(models.Model):
    """The calls of one subject in one stretch of time, by when they started; `latency` is a packed histogram.

    No key of its own and no second index: a call is counted in three or four cells.
    """

    pk = models.CompositePrimaryKey("subject_id", "start")
    subject = models.ForeignKey(
        UsageSubject, on_delete=models.CASCADE, db_index=False, db_constraint=False, related_name="+"
    )
    start = models.DateTimeField()
    calls = models.PositiveIntegerField()
    errors = models.PositiveIntegerField()
    latency = models.BinaryField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.start:%Y-%m-%d %H} {self.calls}"


class UsageHour(UsageCell):
    """The calls of one subject in one UTC hour."""


class UsageDay(UsageCell):
    """The calls of one subject in one UTC day, where days are kept (`tally.DAILY`): a table that is read in sums.

    `level` is the subject's, so that one level's days are found without its subjects.
    """

    level = models.PositiveSmallIntegerField(choices=UsageSubject.Level)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["level", "start"], name="usage_day_by_level")]


class RollupMark(models.Model):
    """How far calls are counted: ids below `counted_to` are in the rollups, save those in `LateCall`. One row.

    A call whose id is below `sealed_to` when it is written is late, and its writer says so in `LateCall`.
    """

    counted_to = models.UUIDField()
    sealed_to = models.UUIDField()
    version = models.PositiveBigIntegerField(default=0)  # rises with every change of the rollups

    def __str__(self) -> str:
        return str(self.counted_to)


class LateCall(models.Model):
    """A call that was written after its stretch was sealed, until it is counted."""

    call_id = models.UUIDField(primary_key=True)

    def __str__(self) -> str:
        return str(self.call_id)


class SweepRecord(models.Model):
    """When a periodic task last ran and how it ended."""

    name = models.CharField(max_length=64, primary_key=True)
    expected_since = models.DateTimeField()
    last_started_at = models.DateTimeField(null=True, blank=True)
    last_succeeded_at = models.DateTimeField(null=True, blank=True)
    last_failed_at = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=64, blank=True)  # a code or an exception's name; the log has the rest
    last_count = models.PositiveIntegerField(null=True, blank=True)  # what it did, where it counts

    def __str__(self) -> str:
        return self.name
