"""A process of the proof that calls count once: `write` calls whose ids are up to five minutes old, or `roll` them up and be killed."""

import os
import random
import signal
import sys
import time
from datetime import timedelta
from uuid import UUID

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poco.settings")
django.setup()

from django.utils import timezone  # noqa: E402

from connectors.audit.call_log import Entry, write_entries  # noqa: E402
from connectors.audit.models import CallRecord  # noqa: E402
from connectors.audit.rollups import roll_up  # noqa: E402
from tests.builders.logs import uuid_at  # noqa: E402


def call() -> CallRecord:
    """Ids are of before the call is written, some by longer than the seal stays behind."""
    at = timezone.now() - timedelta(seconds=random.choice((0, 5, 9, 10, 11, 30, 300)))
    return CallRecord(
        id=UUID(int=uuid_at(at).int | random.getrandbits(60)),
        decision_id=uuid_at(at),
        started_at=at,
        ended_at=at,
        elapsed_us=1000,
        person_id=1,
        person_name="ann",
        connector_key=random.choice(("alpha", "beta")),
        tool="search",
        arguments_bytes=1,
        arguments_digest="a" * 64,
        outcome="succeeded",
    )


def write(until: float) -> None:
    while time.monotonic() < until:
        if failures := [error for error in write_entries([Entry(call=call()) for _ in range(8)]) if error]:
            raise failures[0]
        time.sleep(0.1)  # whoever rolls up keeps up, so that late calls come after their stretch was counted


def roll(until: float) -> None:
    """Roll up in a child that is killed wherever it happens to be, and in another one after it."""
    killed = 0
    while time.monotonic() < until:
        child = os.fork()
        if not child:
            while True:
                roll_up()
        time.sleep(random.uniform(0.05, 0.8))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        killed += 1
    sys.stdout.write(f"{killed}\n")


if __name__ == "__main__":
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    {"write": write, "roll": roll}[sys.argv[1]](time.monotonic() + float(sys.argv[2]))
