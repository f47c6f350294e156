"""Digests that tell two values apart without telling what they are.

They are keyed, so that a short argument cannot be guessed from its digest, by a key derived from the ring's active key.
Rotation therefore changes them: a digest is a fact of the day it was made. What was recorded before a rotation is
compared with `matches_digest`, which tries every key of the ring, and stays comparable until that key is retired. The
alternative, a digest key that never changes, would be the one key nobody can rotate.
"""

import hmac
from functools import lru_cache

from connectors.vault.key_ring import Key, get_key_ring
from connectors.vault.secret import Secret

_PURPOSE = b"poco vault: digest, version 1"


def keyed_digest(data: bytes) -> str:
    """Return 64 hexadecimal digits for arguments and results."""
    return _digest(get_key_ring().active, data)


def matches_digest(data: bytes, digest: str) -> bool:
    """Tell whether the digest was made of this data, under any key still in the ring."""
    return any(hmac.compare_digest(_digest(key, data), digest) for key in get_key_ring().keys.values())


def fingerprint_secret(secret: Secret) -> str:
    """Return the last six characters of the secret's keyed digest."""
    return keyed_digest(secret.reveal().encode("utf-8", "surrogatepass"))[-6:]


def _digest(key: Key, data: bytes) -> str:
    return hmac.digest(_digest_key(key), data, "sha256").hex()


@lru_cache(maxsize=8)  # a Key is compared by identity first, so this is one dictionary look-up
def _digest_key(key: Key) -> bytes:
    return key.derive(_PURPOSE)
