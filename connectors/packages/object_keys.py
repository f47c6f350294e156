"""Keys of stored objects: plain relative paths, so that a folder and a bucket understand the same one."""

import re

_KEY = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


def check_key(key: str) -> str:
    """Return the key; one that is not a plain relative path is a programming error."""
    if not _KEY.fullmatch(key):
        msg = f"not an object key: {key!r}"
        raise ValueError(msg)
    return key
