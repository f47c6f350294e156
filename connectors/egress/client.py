"""The only door out: one HTTP client per event loop, for life."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from connectors.vault.secret import Secret

type Headers = Mapping[str, str | Secret]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: `total` is the one deadline through all phases; the others bound their phase within it."""

    total: float
    connect: float = 10.0
    read: float | None = None  # between two chunks of an answer


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds each phase took; None when it did not happen (pooled connection, plain HTTP, address literal)."""

    dns: float | None = None
    connect: float | None = None
    tls: float | None = None
    first_byte: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; header names are lower case, repeated ones joined by a comma."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str = ""  # the last hop's
    remote_address: str = ""
    timings: Timings = field(default_factory=Timings)


class StreamedAnswer:
    """An answer whose body is still coming; iterate it for chunks, capped at max_bytes."""

    status: int
    headers: Mapping[str, str]
    url: str
    remote_address: str
    timings: Timings

    def __aiter__(self) -> AsyncIterator[bytes]:
        raise NotImplementedError


class EgressClient:
    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Headers | None = None,
        body: bytes | None = None,
        timeout: Timeouts,
        max_bytes: int,
        redirects: int = 0,
    ) -> Answer:
        """Send one request and return its whole answer, inflated and at most max_bytes long."""
        raise NotImplementedError

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        url: str,
        *,
        headers: Headers | None = None,
        body: bytes | None = None,
        timeout: Timeouts,
        max_bytes: int,
        redirects: int = 0,
    ) -> AsyncIterator[StreamedAnswer]:
        """Send one request and yield its answer as soon as the headers are in."""
        raise NotImplementedError
        yield StreamedAnswer()


def get_client() -> EgressClient:
    """Return the running event loop's client, made on first use; it ends with the loop."""
    raise NotImplementedError


async def close_client() -> None:
    """Close the running loop's client, when there is one."""
