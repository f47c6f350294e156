"""What is due is looked for: every sweep has its time, and every time a task."""

from connectors import tasks
from poco.celery import app


def test_every_task_of_the_list_is_scheduled_and_nothing_else():
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert scheduled == {getattr(tasks, name).name for name in tasks.__all__}
    assert scheduled <= set(app.tasks)
