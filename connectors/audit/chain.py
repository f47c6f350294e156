"""Walking the whole chain of admin events: is everything there, as it was written, in its order, up to its end?

What is held against it: each link's own hash, the hash before it, the signed segments that retention left, the signed
tip, the heads set down every hour, and heads that were exported and kept elsewhere. The last find what no database can
know of itself: that it was put back to an older state.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from connectors.audit.heads import Head, head_statement, is_signed, segment_statement
from connectors.audit.links import BEGINNING, hash_link
from connectors.audit.models import AdminEvent, ChainCheck, ChainHead, ChainSegment, ChainTip, SignedHead
from connectors.vault.key_ring import get_key_ring

CHUNK: Final = 1000
_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class ChainFault:
    """The first thing that is wrong. `sequence` is where; `event_id` which row stands there, if any does.

    altered: the row is not what was written · removed: rows are missing from here on · reordered: the row belongs
    elsewhere · truncated: the newest rows are missing from here on · inserted: a row the chain does not know ·
    rewritten: every hash fits, but the chain once was another at this sequence · restored: the chain once went on to
    this sequence · signature: a signature is not ours · key_missing: the key that signed has left the ring.
    """

    code: str
    sequence: int
    event_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class ChainReport:
    """`checked` events are links and are right up to the fault; `unchained` ones are of before there was a chain."""

    ok: bool
    checked: int
    unchained: int
    head_sequence: int
    first_fault: ChainFault | None


def verify_chain(*, heads: Sequence[Head] = (), tell: Callable[[int], None] | None = None) -> ChainReport:
    """Verify everything and name the first fault. `heads` were exported earlier and kept elsewhere.

    The chain may grow and lose old segments meanwhile: a fault counts when it is still there at the next look.
    `tell` hears now and then how many events have been checked.
    """
    report = _Walk(heads, tell).report()
    for _ in range(_TRIES - 1):
        if report.ok:
            break
        again = _Walk(heads, tell).report()
        if again.first_fault == report.first_fault:
            return again
        report = again
    return report


class _Broken(Exception):
    def __init__(self, fault: ChainFault) -> None:
        super().__init__(fault.code)
        self.fault = fault


@dataclass(slots=True)
class _Walk:
    """One pass from the beginning to the tip."""

    exported: Sequence[Head]
    tell: Callable[[int], None] | None = None
    sequence: int = 0
    hash: str = BEGINNING
    checked: int = 0
    known: dict[int, set[str]] = field(default_factory=dict)  # what heads say a sequence's hash is
    doubts: list[ChainFault] = field(default_factory=list)  # heads nobody can vouch for; events come first

    def report(self) -> ChainReport:
        fault = None
        try:
            self._learn_heads()
            self._pass_segments()
            for event in _links(after=self.sequence):
                self._pass(event)
            self._compare_end()
            self._look_for_strays()
            fault = self.doubts[0] if self.doubts else None
        except _Broken as broken:
            fault = broken.fault
        unchained = AdminEvent.objects.filter(sequence=None).count()
        return ChainReport(fault is None, self.checked, unchained, self.sequence, fault)

    def _learn_heads(self) -> None:
        for kept in ChainHead.objects.order_by("sequence").iterator(CHUNK):
            self._learn(kept)
        for head in self.exported:
            self._learn(head, head.public_key)

    def _learn(self, head: Head | SignedHead, public_key: str = "") -> None:
        statement = head_statement(head)
        if is_signed(statement, key_name=head.key_name, signature=head.signature, public_key=public_key):
            self.known.setdefault(head.sequence, set()).add(head.hash)
        else:
            self.doubts.append(ChainFault(_signature_fault(head.key_name), head.sequence))

    def _pass_segments(self) -> None:
        for segment in ChainSegment.objects.order_by("first_sequence"):
            if not is_signed(segment_statement(segment), key_name=segment.key_name, signature=segment.signature):
                raise _Broken(ChainFault(_signature_fault(segment.key_name), segment.first_sequence))
            if (segment.first_sequence, segment.previous_hash) != (self.sequence + 1, self.hash):
                raise _Broken(ChainFault("removed", self.sequence + 1))
            self.sequence, self.hash = segment.last_sequence, segment.last_hash
            self._compare_heads()

    def _pass(self, event: AdminEvent) -> None:
        assert event.sequence is not None
        if event.sequence > self.sequence + 1:
            moved = _follower_of(self.hash)
            raise _Broken(ChainFault("reordered" if moved else "removed", self.sequence + 1, moved))
        if event.previous_hash != self.hash:
            raise _Broken(ChainFault("reordered" if _follower_of(self.hash) else "altered", event.sequence, event.pk))
        if hash_link(event) != event.hash:
            raise _Broken(ChainFault("altered", event.sequence, event.pk))
        self.sequence, self.hash = event.sequence, event.hash
        self._compare_heads(event.pk)
        self.checked += 1
        if self.tell is not None and self.checked % CHUNK == 0:
            self.tell(self.checked)

    def _compare_heads(self, event_id: UUID | None = None) -> None:
        if self.known.get(self.sequence, {self.hash}) != {self.hash}:
            raise _Broken(ChainFault("rewritten", self.sequence, event_id))

    def _compare_end(self) -> None:
        tip = ChainTip.objects.first()
        while tip is not None and tip.sequence > self.sequence:
            before = self.sequence
            for event in _links(after=self.sequence):  # written since we came to the end
                self._pass(event)
            if self.sequence == before:
                raise _Broken(ChainFault("truncated", self.sequence + 1))
            tip = ChainTip.objects.first()
        later = [sequence for sequence in (*self.known, _seen_whole()) if sequence > self.sequence]
        if later:
            raise _Broken(ChainFault("restored", max(later)))
        if tip is not None:
            self._compare_tip(tip)
        elif self.sequence:  # nobody knows what came after
            raise _Broken(ChainFault("truncated", self.sequence + 1))

    def _compare_tip(self, tip: ChainTip) -> None:
        beyond = AdminEvent.objects.filter(sequence__gt=tip.sequence).order_by("sequence").first()
        if beyond is not None and tip.sequence < self.sequence:
            assert beyond.sequence is not None
            raise _Broken(ChainFault("inserted", beyond.sequence, beyond.pk))
        if tip.hash != self.hash:
            raise _Broken(ChainFault("rewritten", self.sequence))
        if not is_signed(head_statement(tip), key_name=tip.key_name, signature=tip.signature):
            raise _Broken(ChainFault(_signature_fault(tip.key_name), tip.sequence))

    def _look_for_strays(self) -> None:
        """An event in the place of removed ones, or without a place and not older than the chain, was put there."""
        segment = ChainSegment.objects.order_by("-last_sequence").first()
        forged = AdminEvent.objects.filter(sequence__lte=segment.last_sequence if segment else 0)
        if (intruder := forged.order_by("sequence").first()) is not None:
            raise _Broken(ChainFault("inserted", intruder.sequence or 0, intruder.pk))
        first = AdminEvent.objects.filter(sequence__isnull=False).order_by("sequence").first()
        segment = ChainSegment.objects.order_by("first_sequence").first()
        begun = segment.first_at if segment else first.at if first else None
        if begun is None:
            return
        stray = AdminEvent.objects.filter(sequence=None, at__gte=begun).order_by("at").first()
        if stray is not None:
            raise _Broken(ChainFault("inserted", 0, stray.pk))


def _links(*, after: int) -> Iterator[AdminEvent]:
    """Yield the links after a sequence, in chunks, so that a long chain takes little memory and no long transaction."""
    while True:
        chunk = list(AdminEvent.objects.filter(sequence__gt=after).order_by("sequence")[:CHUNK])
        yield from chunk
        if len(chunk) < CHUNK:
            return
        assert chunk[-1].sequence is not None
        after = chunk[-1].sequence


def _seen_whole() -> int:
    """How far the chain went when it was last found whole: of a log that was emptied, heads and all, that is left."""
    checks = ChainCheck.objects.filter(ok=True).order_by("-head_sequence")
    return checks.values_list("head_sequence", flat=True).first() or 0


def _follower_of(previous: str) -> UUID | None:
    """The row that would follow, wherever it stands: when there is one, rows changed places."""
    return AdminEvent.objects.filter(previous_hash=previous).values_list("pk", flat=True).first()


def _signature_fault(key_name: str) -> str:
    return "signature" if key_name in get_key_ring().keys else "key_missing"
