"""A process that acts on the set-up as fast as it can: `python -m tests.fakes.event_writer NAME COUNT`.

Every act takes a row that all writers want, as real ones do; every seventh is rolled back, every fifth writes two
events. It tells how many events it has committed.
"""

import sys

import django

django.setup()

from django.db import transaction  # noqa: E402 - after Django's set-up

from connectors.access.epoch import bump_catalogue  # noqa: E402
from connectors.audit.recording import record_admin_event  # noqa: E402


def act(name: str, number: int) -> int:
    with transaction.atomic():
        bump_catalogue()
        events = 2 if number % 5 == 0 else 1
        for part in range(events):
            record_admin_event(
                actor=None,
                act="tried",
                target_kind="test",
                target_id=f"{name}.{number}.{part}",
                target_name=name,
                before={"number": number, "text": "前 é"},
            )
        if number % 7 == 0:
            transaction.set_rollback(True)
            return 0
    return events


if __name__ == "__main__":
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    sys.stdout.write(f"{sum(act(sys.argv[1], number) for number in range(1, int(sys.argv[2]) + 1))}\n")
