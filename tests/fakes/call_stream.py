"""Calls as the gateway logs them, at a steady rate: `python -m tests.fakes.call_stream USERNAME RATE SECONDS [TOOL]`.

Each goes through the log writer, as a call's own process would write it. Prints how many it wrote.
"""

import asyncio
import os
import sys
import time
from datetime import timedelta

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poco.settings")

import django

django.setup()

from asgiref.sync import sync_to_async  # noqa: E402 - after Django's set-up
from django.utils import timezone  # noqa: E402
from uuid_utils.compat import uuid7  # noqa: E402

from connectors.access.models import User  # noqa: E402
from connectors.audit.call_log import drain_call_log, record_call, subject_of  # noqa: E402
from connectors.audit.models import CallRecord, DecisionRecord  # noqa: E402


def make_pair(person: User, tool: str) -> tuple[DecisionRecord, CallRecord]:
    at = timezone.now()
    decision = DecisionRecord(
        id=uuid7(),
        at=at,
        allowed=True,
        rule="granted",
        person_id=person.pk,
        person_name=person.name,
        agent_name="Stream",
        connector_key="workbench",
        tool=f"workbench__{tool}",
        upstream_tool=tool,
        effect="read",
    )
    call = CallRecord(
        id=uuid7(),
        **subject_of(decision),
        decision_id=decision.pk,
        started_at=at,
        ended_at=at + timedelta(milliseconds=20),
        elapsed_us=20_000,
        upstream_us=18_000,
        arguments_bytes=80,
        arguments_digest="a" * 64,
        result_bytes=900,
        result_digest="b" * 64,
        outcome="succeeded",
    )
    return decision, call


async def stream(username: str, rate: float, seconds: float, tool: str) -> int:
    person = await sync_to_async(User.objects.get)(username=username)
    started, written, pending = time.monotonic(), 0, set()
    while time.monotonic() - started < seconds:
        due = int((time.monotonic() - started) * rate) + 1
        while written < due:
            pending.add(asyncio.ensure_future(record_call(*make_pair(person, tool))))
            written += 1
        await asyncio.sleep(1 / rate)
    await asyncio.gather(*pending)
    await drain_call_log()
    return written


if __name__ == "__main__":
    name, rate, seconds, *rest = sys.argv[1:]
    sys.stdout.write(f"{asyncio.run(stream(name, float(rate), float(seconds), rest[0] if rest else 'echo'))}\n")
