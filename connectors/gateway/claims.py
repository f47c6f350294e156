"""At most once: a call that is not a read is a row before it is a request.

`claimed → sent → succeeded | failed | unknown`, each committed before the next step begins, so that a crash at any
edge leaves the truth behind: what stopped at `claimed` was not sent, what stopped at `sent` may have happened. A
claim's id is its decision's id: one decision, one claim.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import orjson
from django.utils import timezone

from connectors.gateway.models import Invocation
from connectors.gateway.outcomes import Outcome, refuse
from connectors.runtime.passing_on import can_be_kept
from connectors.vault.fingerprint import matches_digest

State = Invocation.State
BUDGET: Final = timedelta(seconds=120)  # a call's whole budget and a little: what stands longer has been lost
KEPT_RESULT_BYTES: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed: one business call of one agent."""

    id: UUID
    agent_id: UUID
    invocation_id: UUID
    connection_id: UUID
    tool: str
    arguments: bytes
    arguments_digest: str

    def insert(self) -> None:
        """Write the claim; a second one under the same invocation id is an IntegrityError."""
        Invocation.objects.create(
            id=self.id,
            agent_id=self.agent_id,
            invocation_id=self.invocation_id,
            connection_id=self.connection_id,
            tool=self.tool[:255],
            arguments_digest=self.arguments_digest,
            arguments_bytes=len(self.arguments),
        )

    def mark_sent(self) -> None:
        Invocation.objects.filter(pk=self.id, state=State.CLAIMED).update(state=State.SENT, sent_at=timezone.now())

    def end(self, outcome: Outcome, *, keep_result: bool) -> None:
        """Write the ending; the result is kept only for a caller who can ask for it again."""
        state = {"unknown": State.UNKNOWN, "failed": State.FAILED}.get(outcome.state, State.SUCCEEDED)
        kept: dict[str, Any] = {"state": outcome.state, "code": outcome.code}
        if keep_result and can_be_kept(outcome.result) and len(orjson.dumps(outcome.result)) <= KEPT_RESULT_BYTES:
            kept["result"] = outcome.result
        Invocation.objects.filter(pk=self.id).update(state=state, ended_at=timezone.now(), outcome=kept)


def find_recorded(claim: Claim) -> Outcome | None:
    """Return what an invocation id was answered with, or None when it is new to this agent."""
    known = Invocation.objects.filter(agent_id=claim.agent_id, invocation_id=claim.invocation_id).first()
    if known is None:
        return None
    if not _is_same(claim, known):
        return _told("invocation_reused")
    if known.outcome is not None:
        return _recorded(known.outcome)
    if timezone.now() - known.claimed_at < BUDGET:
        return _told("invocation_in_progress")
    # Lost at `claimed`, nothing was sent; but whoever lost it cannot know that, and neither may we guess.
    return _told("connector_action_outcome_unknown" if known.state == State.SENT else "unavailable")


def _is_same(claim: Claim, known: Invocation) -> bool:
    """Also when the key of digests was rotated between the two: told otherwise, the agent would call it anew."""
    if (known.connection_id, known.tool) != (claim.connection_id, claim.tool[:255]):
        return False
    return known.arguments_digest == claim.arguments_digest or matches_digest(claim.arguments, known.arguments_digest)


def _recorded(kept: dict[str, Any]) -> Outcome:
    if "result" in kept:
        return Outcome(kept["state"], kept["result"], kept["code"])
    if kept["code"]:
        return Outcome(kept["state"], refuse(kept["code"]), kept["code"])
    done = {"content": [{"type": "text", "text": "This call was made before and succeeded; its result is not kept."}]}
    return Outcome(kept["state"], done)


def _told(code: str) -> Outcome:
    return Outcome("failed", refuse(code), code)
