"""Whether JSON from upstream can leave us again: to the client as it came, or into a database.

Reading goes deeper than writing (orjson: 1024 levels in, 254 out), and PostgreSQL's jsonb takes no NUL character.
"""

import re
from typing import Any

import orjson

_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def can_be_passed_on(value: Any) -> bool:
    return _encode(value) is not None


def can_be_kept(value: Any) -> bool:
    encoded = _encode(value)
    return encoded is not None and _NUL.search(encoded) is None


def _encode(value: Any) -> bytes | None:
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return None
