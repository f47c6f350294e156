"""Use by the hour and use by the day get a table each; what was counted moves over, none of it is counted anew."""

import django.db.models.deletion
from django.db import migrations, models

COLUMNS = "subject_id, start, calls, errors, latency"
LEVELS = [(0, "All"), (1, "Connector"), (2, "Tool"), (3, "Connection"), (4, "Code"), (5, "Each")]
# In the order of the key, for an index that is filled in any order is several times as slow to make.
HOURS = (
    f"INSERT INTO connectors_usagehour ({COLUMNS}) SELECT {COLUMNS} FROM connectors_usagerollup "
    "WHERE hours = 1 ORDER BY subject_id, start"
)
# Days of one level are read together.
DAYS = (
    f"INSERT INTO connectors_usageday ({COLUMNS}, level) "
    "SELECT r.subject_id, r.start, r.calls, r.errors, r.latency, s.level FROM connectors_usagerollup r "
    "JOIN connectors_usagesubject s ON s.id = r.subject_id WHERE r.hours = 24 ORDER BY s.level, r.start, r.subject_id"
)


def cells() -> list[tuple[str, object]]:
    subject = models.ForeignKey(
        db_constraint=False,
        db_index=False,
        on_delete=django.db.models.deletion.CASCADE,
        related_name="+",
        to="connectors.usagesubject",
    )
    return [
        (
            "pk",
            models.CompositePrimaryKey(
                "subject_id", "start", blank=True, editable=False, primary_key=True, serialize=False
            ),
        ),
        ("start", models.DateTimeField()),
        ("calls", models.PositiveIntegerField()),
        ("errors", models.PositiveIntegerField()),
        ("latency", models.BinaryField()),
        ("subject", subject),
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("connectors", "0003_ended_runs"),
    ]

    operations = [
        migrations.CreateModel(name="UsageHour", fields=cells(), options={"abstract": False}),
        migrations.CreateModel(
            name="UsageDay",
            fields=[*cells(), ("level", models.PositiveSmallIntegerField(choices=LEVELS))],
        ),
        migrations.RunSQL(HOURS),
        migrations.RunSQL(DAYS),
        migrations.DeleteModel(name="UsageRollup"),
        migrations.AddIndex(
            model_name="usageday", index=models.Index(fields=["level", "start"], name="usage_day_by_level")
        ),
    ]
