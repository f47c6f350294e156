"""Agent tokens: 256 random bits behind a recognisable prefix, kept only as SHA-256."""

import hashlib
import re
import secrets

PREFIX = "poco_"
_SHAPE = re.compile(r"poco_[A-Za-z0-9_-]{43}")


def make_token() -> str:
    """Return a new token: `poco_` and 43 url-safe characters (32 random bytes)."""
    return PREFIX + secrets.token_urlsafe(32)


def digest_token(text: str) -> str:
    """Return the SHA-256 (hex) under which a token or a one-time link is kept.

    No salt and no slow hash: the text has 256 random bits, so there is nothing to guess.
    """
    return hashlib.sha256(text.encode()).hexdigest()


def has_token_shape(text: str) -> bool:
    """Return whether the text can be an agent's token at all; what cannot needs no query."""
    return _SHAPE.fullmatch(text) is not None
