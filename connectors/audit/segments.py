"""Retention of admin events: whole signed stretches of the chain go, and their digest stays.

A stretch ends at a head that was set down, so nothing goes that was not signed for; it is walked once more before it
goes, so a stretch that was tampered with stays where it can be looked at.
"""

import hashlib
import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils import timezone

from connectors.audit.chain_lock import lock_chain
from connectors.audit.heads import segment_statement, sign
from connectors.audit.links import BEGINNING, hash_link
from connectors.audit.models import AdminEvent, ChainHead, ChainSegment

log = logging.getLogger(__name__)
LONGEST: Final = 2000


def remove_old_events(*, before: datetime) -> int:
    """Remove events older than `before`, and return how many; the newest stretch up to a signed head goes last.

    A stretch that does not fit its hashes stays, with everything after it; `verify_chain` names the place.
    """
    removed = AdminEvent.objects.filter(sequence=None, at__lt=before).delete()[0]
    while True:
        gone = _remove_stretch(before)
        if not gone:
            return removed
        removed += gone


@transaction.atomic
def _remove_stretch(before: datetime) -> int:
    lock_chain()
    last = ChainSegment.objects.order_by("-last_sequence").first()
    sequence, hash_ = (last.last_sequence, last.last_hash) if last else (0, BEGINNING)
    stretch = _old_stretch(sequence, before)
    if not stretch:
        return 0
    digest = hashlib.sha256()
    previous = hash_
    for place, event in enumerate(stretch, sequence + 1):
        if (event.sequence, event.previous_hash, event.hash) != (place, previous, hash_link(event)):
            log.error("the administrative log is kept from sequence %d on: it was changed there", place)
            return 0
        previous = event.hash
        digest.update(bytes.fromhex(event.hash))
    _keep_digest(stretch, previous=hash_, digest=digest.hexdigest())
    AdminEvent.objects.filter(sequence__gt=sequence, sequence__lte=stretch[-1].sequence).delete()
    return len(stretch)


def _old_stretch(after: int, before: datetime) -> Sequence[AdminEvent]:
    """Return the oldest events that are all old enough, up to a signed head that stands."""
    found = list(AdminEvent.objects.filter(sequence__gt=after).order_by("sequence")[:LONGEST])
    old = next((place for place, event in enumerate(found) if event.at >= before), len(found))
    hashes = {event.sequence: event.hash for event in found[:old]}
    heads = ChainHead.objects.filter(sequence__gt=after, sequence__in=list(hashes)).order_by("-sequence")
    end = next((head.sequence for head in heads if hashes[head.sequence] == head.hash), None)
    return [event for event in found[:old] if end is not None and (event.sequence or 0) <= end]


def _keep_digest(stretch: Sequence[AdminEvent], *, previous: str, digest: str) -> None:
    first, last = stretch[0], stretch[-1]
    assert first.sequence is not None
    assert last.sequence is not None
    segment = ChainSegment(
        first_sequence=first.sequence,
        last_sequence=last.sequence,
        first_at=first.at,
        last_at=last.at,
        previous_hash=previous,
        last_hash=last.hash,
        digest=digest,
        removed_at=timezone.now(),
    )
    segment.key_name, segment.signature = sign(segment_statement(segment))
    segment.save(force_insert=True)
