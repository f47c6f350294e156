"""What is due is looked for: every sweep has its time, and every time a task."""

import os
import subprocess
import sys

from connectors import tasks
from poco.celery import app


def test_every_task_of_the_list_is_scheduled_and_nothing_else():
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert scheduled == {getattr(tasks, name).name for name in tasks.__all__}
    assert scheduled <= set(app.tasks)


def test_beat_has_a_folder_for_its_schedule_whatever_the_broker_is(tmp_path):
    environment = os.environ | {
        "POCO_VAR_DIR": str(tmp_path),
        "CELERY_BROKER_URL": "redis://127.0.0.1:1/0",
        "DJANGO_SETTINGS_MODULE": "poco.settings",
    }
    subprocess.run([sys.executable, "-c", "import poco.celery"], env=environment, check=True, timeout=60)

    assert (tmp_path / "beat").is_dir()
