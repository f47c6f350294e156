"""When an endpoint is asked again: the set interval after an answer, ever later after failures, never on the dot."""

import random
from datetime import timedelta
from typing import Final

from django.conf import settings

from connectors.audit.growing_wait import growing_wait
from connectors.ledger.models import Probe

FIRST_WAIT: Final = timedelta(minutes=15)
LONGEST_WAIT: Final = timedelta(days=1)
PROGRAM_WAIT: Final = timedelta(days=1)
JITTER: Final = 0.2
LATENESS: Final = timedelta(minutes=30)  # a worker with a full sweep is not one that is off


def wait_after(outcome: str, failures: int) -> timedelta:
    """Return how long an endpoint is left alone: the set interval; after the nth failure in a row a quarter of an hour
    doubled n-1 times, a day at most (or the interval, where that is longer)."""
    interval = timedelta(minutes=settings.PROBE_MINUTES)
    if outcome == Probe.Outcome.NOTHING_TO_ASK:
        return PROGRAM_WAIT
    if outcome == Probe.Outcome.FAILED:
        return growing_wait(failures, first=min(FIRST_WAIT, interval), longest=max(LONGEST_WAIT, interval))
    return interval


def jittered(wait: timedelta) -> timedelta:
    """Return a wait, give or take a fifth."""
    return wait * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - spreading load, guarding nothing


def holds_for(outcome: str, failures: int) -> timedelta:
    """Return for how long after it was found a finding is taken to hold: until the next asking could have been made.
    Whatever time goes by after that, nobody asked, and nobody knows."""
    return wait_after(outcome, failures) * (1 + JITTER) + LATENESS
