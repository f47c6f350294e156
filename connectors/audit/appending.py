"""Adding a link to the chain, in the transaction of the act it records.

Were the lock to fail, `previous_hash` is unique: a fork is an IntegrityError, never a second truth.
"""

from connectors.audit.heads import sign_head
from connectors.audit.links import BEGINNING, hash_link
from connectors.audit.models import AdminEvent, ChainSegment, ChainTip


def append_event(event: AdminEvent) -> None:
    """Write the event as the chain's newest link and move the signed tip. The caller holds the chain's lock."""
    tip = ChainTip.objects.first()
    sequence, previous = find_end(tip)
    event.sequence, event.previous_hash = sequence + 1, previous
    event.hash = hash_link(event)
    event.save(force_insert=True)
    moved = ChainTip(sequence=event.sequence, hash=event.hash)
    sign_head(moved)
    moved.save(force_insert=tip is None, force_update=tip is not None)


def find_end(tip: ChainTip | None) -> tuple[int, str]:
    """Return sequence and hash to go on from: the highest that is known, so that what was cut off leaves a gap."""
    newest = AdminEvent.objects.filter(sequence__isnull=False).order_by("-sequence")
    segment = ChainSegment.objects.order_by("-last_sequence").values_list("last_sequence", "last_hash").first()
    event = newest.values_list("sequence", "hash").first()
    known = [(tip.sequence, tip.hash) if tip else None, event, segment, (0, BEGINNING)]
    return max(((sequence or 0, hash_) for sequence, hash_ in filter(None, known)), key=lambda end: end[0])
