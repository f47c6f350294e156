"""What a link of the chain says, as bytes: an event's canonical form, the same on every database (decision 15).

    hash = SHA-256( canonical JSON of version, sequence, previous hash and every field of the event )

Canonical JSON: keys sorted, no spaces, everything beyond ASCII escaped, moments in UTC with all six digits. What a
database could give back otherwise than it was given (a float, a NUL, half a surrogate pair) is made plain first.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from connectors.audit.models import AdminEvent
from connectors.vault.redaction import redact_text

LINK_VERSION: Final = 1
BEGINNING: Final = "0" * 64
MAX_TEXT: Final = 2000
MAX_ITEMS: Final = 200
MAX_SIDE_BYTES: Final = 16 * 1024
_DEEPEST: Final = 8
_NAMED: Final = 10
_UNKEEPABLE: Final = re.compile("[\0\ud800-\udfff]")


def hash_link(event: AdminEvent) -> str:
    """Return the hash this event must carry at its sequence, after the hash before it."""
    return hashlib.sha256(canonical_json(_told(event))).hexdigest()


def canonical_json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def canonical_moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def keepable_text(text: str, longest: int = MAX_TEXT) -> str:
    """Return a text that every database keeps as it is, at most `longest` characters of it."""
    kept = _UNKEEPABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    return kept if len(kept) <= longest else f"{kept[: longest - 1]}…"


def keepable_side(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what changed as it is kept: masked by what it looks like, plain, and bounded.

    Of a side that is too large the largest fields go first; `cut` names them and says how long they were.
    """
    kept: dict[str, Any] = _plain(values, _DEEPEST)
    left = len(canonical_json(kept))
    if left <= MAX_SIDE_BYTES:
        return kept
    sizes = sorted(((len(canonical_json(value)), name) for name, value in kept.items()), reverse=True)
    cut = []
    for size, name in sizes:
        if left <= MAX_SIDE_BYTES:
            break
        del kept[name]
        left -= size + len(name)
        cut.append(f"{name}: {size} bytes")
    return {**kept, "cut": [*cut[:_NAMED], *([f"… +{len(cut) - _NAMED}"] if len(cut) > _NAMED else [])]}


def _plain(value: Any, depth: int) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if -(2**53) < value < 2**53 else str(value)
    if depth and isinstance(value, Mapping):
        return {keepable_text(str(key), 255): _plain(inner, depth - 1) for key, inner in value.items()}
    if depth and isinstance(value, list | tuple | set | frozenset):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else list(value)
        kept = [_plain(inner, depth - 1) for inner in items[:MAX_ITEMS]]
        return kept if len(items) <= MAX_ITEMS else [*kept, f"… +{len(items) - MAX_ITEMS}"]
    return keepable_text(redact_text(str(value)))


def _told(event: AdminEvent) -> dict[str, Any]:
    return {
        "version": LINK_VERSION,
        "sequence": event.sequence,
        "previous": event.previous_hash,
        "id": str(event.id),
        "at": canonical_moment(event.at),
        "actor_id": event.actor_id,
        "actor_name": event.actor_name,
        "act": event.act,
        "target_kind": event.target_kind,
        "target_id": event.target_id,
        "target_name": event.target_name,
        "before": event.before,
        "after": event.after,
        "remote_address": event.remote_address,
    }
