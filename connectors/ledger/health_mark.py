"""How a connector's endpoints stand, in one word, from what the probes found."""

from datetime import timedelta
from enum import StrEnum

from django.conf import settings

from connectors.ledger.models import Probe


class HealthMark(StrEnum):
    """`ASKS` answers too: it wants a credential, which a probe has none of. `DEAD` failed for all of the set days."""

    ANSWERS = "answers"
    ASKS = "asks_authorization"
    FAILING = "failing"
    DEAD = "dead"
    NOT_ASKED = "not_asked"
    OFF = "probes_off"
    PROGRAM = "runs_a_program"


_GOOD = {Probe.Outcome.LISTED: HealthMark.ANSWERS, Probe.Outcome.ASKS_AUTHORIZATION: HealthMark.ASKS}


def mark_health(probe: Probe | None) -> HealthMark:
    """Return the mark of a connector; without a row, or before its first answer, it was not asked."""
    if probe is None or not probe.outcome:
        return HealthMark.NOT_ASKED if probe is None or probe.enabled else HealthMark.OFF
    if probe.outcome == Probe.Outcome.NOTHING_TO_ASK:
        return HealthMark.PROGRAM
    if not probe.enabled:
        return HealthMark.OFF
    if probe.outcome == Probe.Outcome.FAILED:
        return HealthMark.DEAD if is_dead(probe) else HealthMark.FAILING
    return _GOOD[Probe.Outcome(probe.outcome)]


def is_dead(probe: Probe) -> bool:
    """Whether it was asked and failed, and nothing else, for POCO_DEAD_AFTER_DAYS; time alone kills nothing."""
    if probe.failing_since is None or probe.probed_at is None:
        return False
    return probe.probed_at - probe.failing_since >= timedelta(days=settings.DEAD_AFTER_DAYS)
