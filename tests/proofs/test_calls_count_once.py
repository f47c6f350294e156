"""Calls that are written while they are rolled up, by processes that are killed in the middle, count once each."""

import os
import subprocess
import sys
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.db import connection as database
from django.utils import timezone

from connectors.audit.late_calls import read_mark
from connectors.audit.models import CallRecord
from connectors.audit.usage import usage_by_connector

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = 20
WRITERS = 2 if database.vendor == "sqlite" else 4


def start(what: str) -> subprocess.Popen[str]:
    known = database.settings_dict
    url = f"sqlite:///{known['NAME']}"
    if database.vendor == "postgresql":
        person = f"{quote(known['USER'])}:{quote(known['PASSWORD'])}"
        url = f"postgres://{person}@{known['HOST']}:{known['PORT']}/{known['NAME']}?application_name=counting"
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.counting_process", what, str(SECONDS)],
        env={**os.environ, "DATABASE_URL": url, "LOG_LEVEL": "ERROR"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def end(process: subprocess.Popen[str]) -> str:
    said, _ = process.communicate(timeout=SECONDS + 60)
    assert process.returncode == 0
    return said


def counted() -> int:
    use = usage_by_connector(["alpha", "beta"], since=timezone.now() - timedelta(hours=2))
    return sum(one.calls for one in use.values())


def test_every_call_counts_once_however_late_it_is_and_whoever_is_killed():
    processes = [start("write") for _ in range(WRITERS)]
    rollers = [start("roll"), start("roll")]
    killed = sum(int(end(roller)) for roller in rollers)
    for process in processes:
        end(process)
    if database.vendor == "postgresql":
        with database.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'counting'"
            )

    assert killed > 10
    written = CallRecord.objects.count()
    rolled = CallRecord.objects.filter(pk__lt=read_mark().counted_to).count()
    assert written > 200
    assert rolled > 0
    assert counted() == written
