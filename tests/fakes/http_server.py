"""A small HTTP/1.1 server in this process, on loopback, that does exactly what a test says, sane or not.

    async with serve(answer(b"hello")) as server:
        await client.request("GET", server.url + "/x", …)
        assert server.received[0].headers["accept"] == "*/*"

A handler gets the request and the raw writer, so it can also answer nonsense, stall, or hang up half way.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

type Handler = Callable[[Received, asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Received:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass
class FakeServer:
    host: str
    port: int
    scheme: str
    received: list[Received] = field(default_factory=list)
    connections: int = 0
    first_request: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"

    def named(self, name: str) -> str:
        """Return the address under another name: a resolver of the test's must know it."""
        return f"{self.scheme}://{name}:{self.port}"


def head(status: int = 200, headers: Mapping[str, str] | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status} Status", *(f"{name}: {value}" for name, value in (headers or {}).items())]
    return "\r\n".join([*lines, "", ""]).encode()


def answer(body: bytes = b"", status: int = 200, headers: Mapping[str, str] | None = None) -> Handler:
    """Answer every request the same, with a Content-Length."""

    async def handle(_request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(head(status, {"Content-Length": str(len(body)), **(headers or {})}) + body)

    return handle


def answer_chunked(chunks: list[bytes], headers: Mapping[str, str] | None = None) -> Handler:
    """Answer in chunks, without a Content-Length."""

    async def handle(_request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, {"Transfer-Encoding": "chunked", **(headers or {})}))
        for chunk in chunks:
            writer.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
            await writer.drain()
        writer.write(b"0\r\n\r\n")

    return handle


def by_path(handlers: Mapping[str, Handler]) -> Handler:
    async def handle(request: Received, writer: asyncio.StreamWriter) -> None:
        await handlers[request.target](request, writer)

    return handle


async def hang(_request: Received, _writer: asyncio.StreamWriter) -> None:
    """Never answer."""
    await asyncio.Event().wait()


async def hang_up(_request: Received, writer: asyncio.StreamWriter) -> None:
    """Close without an answer."""
    writer.close()


@asynccontextmanager
async def serve(
    handler: Handler, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1"
) -> AsyncIterator[FakeServer]:
    """Serve until the block ends; connections that are still open then are dropped."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            request = await _read_request(reader)
            fake.received.append(request)
            fake.first_request.set()
            await handler(request, writer)
            await writer.drain()

    async with serve_raw(converse, tls=tls, host=host) as fake:
        yield fake


@asynccontextmanager
async def serve_raw(
    converse: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
    *,
    tls: ssl.SSLContext | None = None,
    host: str = "127.0.0.1",
) -> AsyncIterator[FakeServer]:
    """Hand each connection to the test's own function; whatever it leaves open is dropped in the end."""
    tasks: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        fake.connections += 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await converse(reader, writer)
        finally:
            writer.close()
            with suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    server = await asyncio.start_server(accept, host, 0, ssl=tls)
    fake = FakeServer(host, server.sockets[0].getsockname()[1], "https" if tls else "http")
    try:
        yield fake
    finally:
        server.close()
        for task in tasks.copy():
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read_request(reader: asyncio.StreamReader) -> Received:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", "0"))
    return Received(method, target, headers, await reader.readexactly(length))
