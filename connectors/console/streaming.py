"""A long answer in pieces: never held in memory whole, and no server is kept from others while it is made."""

from collections.abc import Iterator
from typing import Self

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header

_END = b""


def stream(
    request: HttpRequest, pieces: Iterator[bytes], *, content_type: str, file_name: str
) -> StreamingHttpResponse:
    """Return the pieces as a file to be kept; what can be closed is closed, also when the reader goes away or only
    asked for the head.

    An asynchronous server takes them from the request's own thread, so that they may read the database.
    """
    taken = _Taken(pieces) if isinstance(request, ASGIRequest) else pieces
    response = StreamingHttpResponse(taken, content_type=content_type)
    response.headers["Content-Disposition"] = content_disposition_header(True, file_name) or "attachment"
    response.headers["Cache-Control"] = "private, no-store"
    return response


class _Taken:
    """The pieces for an asynchronous server. It ends at an empty piece: there is none to send anyway."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        piece = await sync_to_async(self._next)()
        if not piece:
            raise StopAsyncIteration
        return piece

    def close(self) -> None:
        """Django calls it with the response's own, in the thread the pieces are taken in."""
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()

    def _next(self) -> bytes:
        return next(self._pieces, _END)
