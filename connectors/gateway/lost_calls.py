"""Calls whose process ended before they did: every decision and call has an ending in the log (safety §40)."""

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

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
        call = CallRecord(
            **subject_of(decision),
            decision_id=decision.pk,
            invocation_id=claim.invocation_id,
            started_at=claim.claimed_at,
            ended_at=claim.ended_at,
            elapsed_us=int((claim.ended_at - claim.claimed_at).total_seconds() * 1_000_000),
            arguments_bytes=claim.arguments_bytes,
            arguments_digest=claim.arguments_digest,
            outcome=outcome,
            error_code=code,
        )
        insert_calls([call])
    return 1
