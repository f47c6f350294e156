"""Seal a secret for one place, and open it there and nowhere else (safety §31, §33).

A sealed value describes itself:

    version 1 · length of key name 1 · key name · salt 32 · commitment 32 · AES-256-GCM ciphertext with tag · checksum 8

From the named key and the random salt HKDF-SHA256 derives the value's own AES key and a key commitment. As the AES key
serves one value only, its nonce is zero. The commitment tells another key from damage and leaves no ciphertext that two
keys open. The additional data bind version, table, row, field, key name and salt. The checksum is not protection: it
tells bytes that rotted from bytes that were moved, so that the error names what to look for.
"""

import hashlib
import hmac
import secrets
import uuid
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from connectors.vault.errors import (
    CannotOpen,
    SealedValueDamaged,
    SealedValueMisplaced,
    VaultKeyMissing,
    VaultKeyWrong,
)
from connectors.vault.key_ring import Key, find_key, get_key_ring
from connectors.vault.secret import Secret

__all__ = [
    "CannotOpen",
    "Place",
    "SealedValueDamaged",
    "SealedValueMisplaced",
    "VaultKeyMissing",
    "VaultKeyWrong",
    "key_name_of",
    "open_sealed",
    "seal",
]

_VERSION = 1
_SALT = 32
_COMMITMENT = 32
_TAG = 16
_CHECKSUM = 8
_NONCE = bytes(12)
_PURPOSE = b"poco vault: sealed value, version 1"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sealed value lives; bound into it. For a row with a SealedField use `fields.place_of`."""

    table: str
    row: uuid.UUID
    field: str


@dataclass(frozen=True, slots=True)
class _Parts:
    key_name: str
    salt: bytes
    commitment: bytes
    ciphertext: bytes


def seal(secret: Secret, *, place: Place, key: Key | None = None) -> bytes:
    """Return the secret sealed for this place, with the ring's active key unless another one is named."""
    key = key or get_key_ring().active
    salt = secrets.token_bytes(_SALT)
    value_key, commitment = _derive(key, salt)
    plain = secret.reveal().encode("utf-8", "surrogatepass")
    ciphertext = AESGCM(value_key).encrypt(_NONCE, plain, _additional_data(place, key.name, salt))
    name = key.name.encode("ascii")
    sealed = bytes((_VERSION, len(name))) + name + salt + commitment + ciphertext
    return sealed + _checksum(sealed)


def open_sealed(sealed: bytes | memoryview, *, place: Place) -> Secret:
    """Return what was sealed for this place; raise one of CannotOpen's errors otherwise."""
    parts = _parse(bytes(sealed))
    value_key, commitment = _derive(find_key(parts.key_name), parts.salt)
    if not hmac.compare_digest(commitment, parts.commitment):
        raise VaultKeyWrong(key=parts.key_name)
    try:
        aad = _additional_data(place, parts.key_name, parts.salt)
        plain = AESGCM(value_key).decrypt(_NONCE, parts.ciphertext, aad)
    except InvalidTag:
        raise SealedValueMisplaced(table=place.table, row=str(place.row)) from None
    return Secret(plain.decode("utf-8", "surrogatepass"))


def key_name_of(sealed: bytes | memoryview) -> str:
    """Return the name of the key a value was sealed with, or raise SealedValueDamaged."""
    return _parse(bytes(sealed)).key_name


def _parse(sealed: bytes) -> _Parts:
    body, checksum = sealed[:-_CHECKSUM], sealed[-_CHECKSUM:]
    start = 2 + (body[1] if len(body) > 1 else 0)
    if len(body) < start + _SALT + _COMMITMENT + _TAG:
        raise SealedValueDamaged(reason="too_short")
    if not hmac.compare_digest(_checksum(body), checksum):
        raise SealedValueDamaged(reason="checksum")
    if body[0] != _VERSION:
        raise SealedValueDamaged(reason="unknown_version", version=body[0])
    name = body[2:start].decode("ascii", "replace")
    salt, commitment = body[start : start + _SALT], body[start + _SALT : start + _SALT + _COMMITMENT]
    return _Parts(name, salt, commitment, body[start + _SALT + _COMMITMENT :])


def _derive(key: Key, salt: bytes) -> tuple[bytes, bytes]:
    material = key.derive(_PURPOSE, salt=salt, length=32 + _COMMITMENT)
    return material[:32], material[32:]


def _additional_data(place: Place, key_name: str, salt: bytes) -> bytes:
    parts = (bytes((_VERSION,)), place.table.encode(), place.row.bytes, place.field.encode(), key_name.encode(), salt)
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def _checksum(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()[:_CHECKSUM]
