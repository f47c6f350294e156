"""Calls whose process ended before they did: every decision and call has an ending in the log (safety §40)."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from uuid_utils.compat import uuid7

from connectors.audit.call_log import subject_of
from connectors.audit.late_calls import insert_calls
from connectors.audit.models import CallRecord, DecisionRecord
from connectors.gateway.claims import BUDGET
from connectors.gateway.models import Invocation

State = Invocation.State
GRACE: Final = BUDGET + timedelta(minutes=1)


def end_lost_calls() -> int:
    """End every claim nobody can still be working on, and return how many.

    What stopped at `claimed` was not sent and failed; what stopped at `sent` may have happened.
    """
    lost = Invocation.objects.filter(
        state__in=(State.CLAIMED, State.SENT), claimed_at__lt=timezone.now() - GRACE
    ).values_list("pk", flat=True)
    return sum(_end(pk) for pk in list(lost))


@transaction.atomic
def _end(pk: UUID) -> int:
    claim = Invocation.objects.select_for_update().filter(pk=pk, state__in=(State.CLAIMED, State.SENT)).first()
    if claim is None:
        return 0
    sent = claim.state == State.SENT
    code = "connector_action_outcome_unknown" if sent else "unavailable"
    outcome = CallRecord.Outcome.UNKNOWN if sent else CallRecord.Outcome.FAILED
    claim.state = State.UNKNOWN if sent else State.FAILED
    claim.ended_at = timezone.now()
    claim.outcome = {"state": outcome, "code": code}
    claim.save(update_fields=["state", "ended_at", "outcome"])
    decision = DecisionRecord.objects.filter(pk=claim.pk).first()
    if decision is not None:
        insert_calls([_record(claim, decision, outcome, code)])
    return 1


def _record(claim: Invocation, decision: DecisionRecord, outcome: str, code: str) -> CallRecord:
    """The call as it can have been at most: it ended within its budget, however much later somebody came to see.

    Its id is of that time too. A log is read by its ids, so under one of now it would be found neither among the calls
    of its time nor beside its decision.
    """
    ended_at = min(claim.claimed_at + BUDGET, timezone.now())
    return CallRecord(
        id=uuid7(nanoseconds=int(ended_at.timestamp() * 1000) * 1_000_000),
        **subject_of(decision),
        decision_id=decision.pk,
        invocation_id=claim.invocation_id,
        started_at=claim.claimed_at,
        ended_at=ended_at,
        elapsed_us=_microseconds(claim.claimed_at, ended_at),
        upstream_us=_microseconds(claim.sent_at, ended_at) if claim.sent_at else 0,
        arguments_bytes=claim.arguments_bytes,
        arguments_digest=claim.arguments_digest,
        outcome=outcome,
        error_code=code,
    )


def _microseconds(since: datetime, until: datetime) -> int:
    return max(0, (until - since) // timedelta(microseconds=1))
