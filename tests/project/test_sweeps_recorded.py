"""Every periodic task leaves a record of its runs."""

from connectors import tasks  # noqa: F401 - registers them, as the worker does
from connectors.console.sweep_words import SWEEPS
from poco.celery import app


def test_every_scheduled_task_is_recorded_under_its_name():
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert {name: getattr(app.tasks[name].run, "sweep_name", None) for name in scheduled} == {
        name: name for name in scheduled
    }


def test_every_scheduled_task_has_words_on_health():
    assert set(SWEEPS) == {entry["task"] for entry in app.conf.beat_schedule.values()}
