"""A long answer in pieces: never held in memory whole, and no server is kept from others while it is made."""

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header

_END = b""


def stream(
    request: HttpRequest, pieces: Iterator[bytes], *, content_type: str, file_name: str
) -> StreamingHttpResponse:
    """Return the pieces as a file to be kept; a generator is closed at the end, also when the reader goes away.

    An asynchronous server takes them from the request's own thread, so that they may read the database.
    """
    taken = _take(pieces) if isinstance(request, ASGIRequest) else pieces
    response = StreamingHttpResponse(taken, content_type=content_type)
    response.headers["Content-Disposition"] = content_disposition_header(True, file_name) or "attachment"
    response.headers["Cache-Control"] = "private, no-store"
    return response


async def _take(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """An empty piece would end it early: there is none to send anyway."""
    try:
        while piece := await sync_to_async(_next)(pieces):
            yield piece
    finally:
        close = getattr(pieces, "close", None)
        if close is not None:
            await sync_to_async(close)()


def _next(pieces: Iterator[bytes]) -> bytes:
    return next(pieces, _END)
