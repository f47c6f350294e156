"""How much of a request's body is taken in before anything looks at it: Django writes all of it to disk first.

Anybody may send one, signed in or not, and say nothing of its length. What is over the limit is let go by unread, and
the page that answers is told a length it refuses.
"""

import re
from typing import Final

from django.conf import settings

from connectors.api.reply import Message, Receive, Scope

UPLOADS: Final = re.compile(r"/(install|connectors/[^/]+/update)/")
FORM_OVERHEAD: Final = 64 * 1024  # boundaries, the token and the file's name
_MIB: Final = 1024 * 1024
_LENGTH: Final = b"content-length"
_END: Final[Message] = {"type": "http.request", "body": b"", "more_body": False}


def limit_of(path: str) -> int:
    """Return how many bytes a request to this path may bring."""
    if UPLOADS.fullmatch(path):
        return settings.MAX_UPLOAD_SIZE_MB * _MIB + FORM_OVERHEAD
    return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0) + FORM_OVERHEAD


def bound_body(scope: Scope, receive: Receive) -> Receive:
    """Return a `receive` that hands on the body up to its limit, and nothing of one that says it is longer."""
    limit = limit_of(scope["path"])
    taken, ended = 0, False

    async def bounded() -> Message:
        nonlocal taken, ended
        if not ended and _declared(scope) > limit:
            ended = True
            return dict(_END)
        message = await receive()
        while ended and message["type"] == "http.request":  # what is left of it goes nowhere
            message = await receive()
        if message["type"] != "http.request":
            return message
        taken += len(message.get("body", b""))
        if taken > limit:
            scope["headers"] = [*scope["headers"], (_LENGTH, str(taken).encode())]
            message = dict(_END)
        ended = not message.get("more_body", False)
        return message

    return bounded


def _declared(scope: Scope) -> int:
    """Return the length a request says it has; the server refuses one that is no number."""
    found = next((value for name, value in scope["headers"] if name == _LENGTH), b"0")
    return int(found) if found.isdigit() and len(found) < 20 else 0  # noqa: PLR2004 - more digits than any body has
