"""The quarterly review: a walk through the ledger, one decision a row, by as many reviewers as like to take part.

One review is open at a time; it can be left and gone on with. Each answer names the revision of the line it was given
on, so that of two reviewers the second is told what the first decided and overwrites nothing unknowingly. A review
removes nothing.
"""

from collections.abc import Collection, Mapping
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from connectors.access.models import User
from connectors.audit.recording import record_admin_event
from connectors.catalogue.models import Connector
from connectors.errors import Conflict, Fault, Invalid, NotFound
from connectors.ledger.disposition import LONGEST_REASON, decide_disposition
from connectors.ledger.models import Review, ReviewLine
from connectors.ledger.rows import LedgerRow
from connectors.manifest.free_text import text_faults


def start_review(*, connectors: Collection[Connector], names: Mapping[UUID, str], actor: User) -> Review:
    """Begin to walk through these connectors in their order; `names` is how the report calls them.

    Raises Conflict("review_open") while another is open, Conflict("review_empty") without connectors.
    """
    if not connectors:
        raise Conflict("review_empty")
    try:
        with transaction.atomic():
            review = Review.objects.create(started_by_name=actor.name, started_at=timezone.now())
            ReviewLine.objects.bulk_create(
                ReviewLine(
                    review=review,
                    position=position,
                    connector=connector,
                    connector_key=connector.key,
                    connector_name=names.get(connector.pk, connector.key)[:255],
                    version=connector.version.version,
                )
                for position, connector in enumerate(connectors, start=1)
            )
            _record("review_started", review, actor, {"connectors": len(connectors)})
    except IntegrityError as error:
        raise Conflict("review_open") from error
    return review


@transaction.atomic
def answer_line(
    *, line: ReviewLine, answer: str, reason: str, expected_revision: int, row: LedgerRow | None, actor: User
) -> ReviewLine:
    """Decide about one connector, or skip it; a decision is recorded as its disposition.

    `row` is the connector's ledger row now, None once it is removed (then it can only be skipped). Raises
    Conflict("review_line_decided", name, answer) when somebody answered since the page was shown.
    """
    review = Review.objects.select_for_update().get(pk=line.review_id)  # nobody finishes it meanwhile
    if review.state != Review.State.OPEN:
        raise Conflict("review_finished")
    current = ReviewLine.objects.select_for_update().get(pk=line.pk)
    if current.revision != expected_revision:
        raise Conflict("review_line_decided", name=current.decided_by_name, answer=current.answer)
    if answer not in ReviewLine.Answer.values:
        raise Invalid([Fault("not_an_option", "answer")])
    if faults := text_faults("reason", reason, longest=LONGEST_REASON):
        raise Invalid(faults)
    if answer == ReviewLine.Answer.SKIPPED:
        if current.answer in ("", ReviewLine.Answer.SKIPPED):  # skipping one that was decided leaves it decided
            _keep(current, answer, reason, actor)
        return current
    if row is None:
        raise NotFound("connector_not_found")
    decided = decide_disposition(
        connector=row.connector, verdict=answer, reason=reason, suggestion=row.suggestion, actor=actor
    )
    current.suggested, current.next_review_on = decided.suggested, decided.next_review_on
    current.calls, current.errors = row.quarter.calls, row.quarter.errors
    current.last_used_at, current.version = row.last_used_at, row.connector.version.version
    _keep(current, answer, reason, actor)
    return current


@transaction.atomic
def finish_review(*, review: Review, actor: User) -> Review:
    """End the walk; lines without an answer stay open in the report. Raises Conflict when it is finished already."""
    current = Review.objects.select_for_update().filter(pk=review.pk).first()
    if current is None:
        raise NotFound("review_not_found")
    if current.state != Review.State.OPEN:
        raise Conflict("review_finished")
    current.state, current.finished_at = Review.State.FINISHED, timezone.now()
    current.finished_by_name = actor.name
    current.save()
    answered = ReviewLine.objects.filter(review=current).exclude(answer="").count()
    _record("review_finished", current, actor, {"answered": answered})
    return current


def _keep(line: ReviewLine, answer: str, reason: str, actor: User) -> None:
    line.answer, line.reason, line.revision = answer, reason.strip(), line.revision + 1
    line.decided_by_name, line.decided_at = actor.name, timezone.now()
    line.save()


def _record(act: str, review: Review, actor: User, after: Mapping[str, int]) -> None:
    record_admin_event(
        actor=actor,
        act=act,
        target_kind="review",
        target_id=review.pk,
        target_name=f"{review.started_at:%Y-%m-%d}",
        after=after,
    )
