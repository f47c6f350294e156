"""Where the chain ends, signed: what was seen once can be held against the chain for good.

Ed25519, with a key derived from the vault's ring, so that whoever holds an exported head can check its signature
without any secret of ours (decision 15). Every event moves the signed tip; every hour a head is set down and written
to the log; `manage.py audit head` exports one to keep elsewhere.
"""

import json
import logging
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.db import transaction
from django.utils import timezone

from connectors.audit.chain_lock import lock_chain
from connectors.audit.links import canonical_json, canonical_moment
from connectors.audit.models import ChainHead, ChainSegment, ChainTip, SignedHead
from connectors.errors import Refused
from connectors.vault.key_ring import Key, get_key_ring

log = logging.getLogger(__name__)
FORMAT: Final = "poco-chain-head/1"
MAX_HEAD_BYTES: Final = 4096
_PURPOSE: Final = b"poco audit: signing of chain heads, version 1"


@dataclass(frozen=True, slots=True)
class Head:
    """A head as it is checked: `public_key` (hexadecimal) is its file's own word, "" when it came from the database."""

    sequence: int
    hash: str
    signed_at: datetime
    key_name: str
    signature: str
    public_key: str = ""


def sign(statement: dict[str, Any]) -> tuple[str, str]:
    """Return the active key's name and its signature (hexadecimal) of a statement."""
    key = get_key_ring().active
    return key.name, _private_key(key).sign(canonical_json(statement)).hex()


def is_signed(statement: dict[str, Any], *, key_name: str, signature: str, public_key: str = "") -> bool:
    """Tell whether the named key signed this; one that has left the ring counts by the public key given, if any."""
    known = get_key_ring().keys.get(key_name)
    public = _private_key(known).public_key().public_bytes_raw() if known else _unhex(public_key)
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(_unhex(signature), canonical_json(statement))
    except (InvalidSignature, ValueError):
        return False
    return True


def head_statement(head: "Head | SignedHead") -> dict[str, Any]:
    return {
        "format": FORMAT,
        "sequence": head.sequence,
        "hash": head.hash,
        "signed_at": canonical_moment(head.signed_at),
    }


def segment_statement(segment: ChainSegment) -> dict[str, Any]:
    names = ("first_sequence", "last_sequence", "previous_hash", "last_hash", "digest")
    moments = {name: canonical_moment(getattr(segment, name)) for name in ("first_at", "last_at", "removed_at")}
    return {"format": "poco-chain-segment/1", **{name: getattr(segment, name) for name in names}, **moments}


def sign_head(head: SignedHead) -> None:
    """Sign a head as it stands, now."""
    head.signed_at = timezone.now()
    head.key_name, head.signature = sign(head_statement(head))


@transaction.atomic
def set_down_head() -> ChainHead | None:
    """Keep a signed head of where the chain ends now, unless the last one kept is that already; None without a chain.

    The log gets it too: a copy that no database backup takes back.
    """
    lock_chain()
    tip = ChainTip.objects.first()
    last = last_head()
    if tip is None or (last is not None and (last.sequence, last.hash) == (tip.sequence, tip.hash)):
        return last if tip is not None else None
    head = ChainHead(sequence=tip.sequence, hash=tip.hash)
    sign_head(head)
    head.save(force_insert=True)
    log.info("the administrative log's chain ends at %d %s, signed %s", head.sequence, head.hash, head.signature)
    return head


@transaction.atomic
def renew_signatures(*, unseen: bool = False) -> int:
    """Sign anew, with the active key, what other keys of the ring have signed, so that those can be retired; how many.

    A signature that is not right stays as it is. With `unseen`, those of keys that are lost are signed as they stand.
    """
    lock_chain()
    ring = get_key_ring()
    renewed = 0
    signed: list[type[ChainTip | ChainHead | ChainSegment]] = [ChainTip, ChainHead, ChainSegment]
    for model in signed:
        for row in model.objects.exclude(key_name=ring.active.name).order_by("pk"):
            statement = segment_statement(row) if isinstance(row, ChainSegment) else head_statement(row)
            lost = unseen and row.key_name not in ring.keys
            if lost or is_signed(statement, key_name=row.key_name, signature=row.signature):
                row.key_name, row.signature = sign(statement)
                row.save(update_fields=["key_name", "signature"])
                renewed += 1
    return renewed


def last_head() -> ChainHead | None:
    """Return the newest head that was set down."""
    return ChainHead.objects.first()


def export_head() -> bytes | None:
    """Return a file that says where the chain ends now; None without a chain."""
    head = set_down_head()
    if head is None:
        return None
    key = get_key_ring().get(head.key_name)
    public = _private_key(key).public_key().public_bytes_raw().hex()
    told = {**head_statement(head), "key": head.key_name, "public_key": public, "signature": head.signature}
    return json.dumps(told, indent=2).encode() + b"\n"


def read_head(data: bytes) -> Head:
    """Return the head in an exported file; raise `Refused` when it is none."""
    try:
        told = json.loads(data[: MAX_HEAD_BYTES + 1])
        if told["format"] != FORMAT or len(data) > MAX_HEAD_BYTES:
            raise Refused("head_unreadable")
        return Head(
            sequence=int(told["sequence"]),
            hash=str(told["hash"]),
            signed_at=datetime.fromisoformat(told["signed_at"]),
            key_name=str(told["key"]),
            signature=str(told["signature"]),
            public_key=str(told["public_key"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise Refused("head_unreadable") from error


def _unhex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


@lru_cache(maxsize=8)
def _private_key(key: Key) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(key.derive(_PURPOSE))
