"""What came back: a whole answer, or one that is still coming."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from aiohttp import ClientError, ClientResponse

from connectors.egress.attempt import Attempt
from connectors.egress.failures import translate_failure
from connectors.egress.timings import Timings
from connectors.errors import UpstreamFault

NOT_TIMED: Final = Timings()

_LINGER_SECONDS: Final = 0.2
_LINGER_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, inflated. Header names compare without regard to case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str = ""  # of the last hop
    remote_address: str = ""
    timings: Timings = field(default=NOT_TIMED)


class StreamedAnswer:
    """An answer whose body is still coming: iterate it once for inflated chunks, `max_bytes` of them at most."""

    __slots__ = ("_attempt", "_max_bytes", "_response", "headers", "remote_address", "status", "url")

    def __init__(self, response: ClientResponse, attempt: Attempt, *, url: str, max_bytes: int) -> None:
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers
        self.url = url
        self.remote_address = attempt.remote_address
        self._response = response
        self._attempt = attempt
        self._max_bytes = max_bytes

    @property
    def timings(self) -> Timings:
        return self._attempt.timings

    @property
    def certificate_expires_at(self) -> datetime | None:
        """When the server's certificate ends; None for a pooled connection and for plain HTTP."""
        return self._attempt.certificate_expires_at

    async def __aiter__(self) -> AsyncIterator[bytes]:
        self._refuse_announced_excess()
        left = self._max_bytes
        content = self._response.content
        while True:
            try:
                chunk = await content.readany()
            except (ClientError, OSError) as error:
                raise translate_failure(error, self._attempt, started=True) from error
            if not chunk:
                return
            left -= len(chunk)
            if left < 0:
                raise UpstreamFault("response_too_large", host=self._attempt.host, limit=self._max_bytes)
            yield chunk

    async def read(self) -> bytes:
        """Return the whole body."""
        return b"".join([chunk async for chunk in self])

    @property
    def is_finished(self) -> bool:
        """Whether the body was read to its end, so that the connection went back to the pool."""
        return self._response.connection is None

    def close(self) -> None:
        """Drop the connection unless the body was read to its end."""
        self._response.close()

    async def finish(self) -> None:
        """Read the rest if it comes at once, for the sake of the connection; drop the connection otherwise.

        A server that answers as an event stream ends it right after the message its client was waiting for.
        """
        left = _LINGER_BYTES
        try:
            async with asyncio.timeout(_LINGER_SECONDS):
                while left > 0 and (chunk := await self._response.content.readany()):
                    left -= len(chunk)
        except (ClientError, OSError):
            return
        finally:
            self._response.close()

    def _refuse_announced_excess(self) -> None:
        """Refuse before reading what says itself that it is too large; what it says less of is counted anyway."""
        announced = self._response.content_length
        if announced is not None and announced > self._max_bytes and "Content-Encoding" not in self.headers:
            raise UpstreamFault("response_too_large", host=self._attempt.host, limit=self._max_bytes)
