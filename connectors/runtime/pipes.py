"""Our ends of a process's pipes, served by the event loop: written or read whenever the other side is ready."""

import asyncio
import os
from contextlib import suppress
from types import TracebackType
from typing import Self

CHUNK = 256 * 1024


class Feed:
    """Writes all of `data`, then closes. `written` counts what the pipe has taken."""

    def __init__(self, handle: int, data: bytes) -> None:
        os.set_blocking(handle, False)
        self._handle = handle
        self._data = memoryview(data)
        self._loop = asyncio.get_running_loop()
        self._open = True
        self.written = 0

    def __enter__(self) -> Self:
        self._loop.add_writer(self._handle, self._write)
        return self

    def _write(self) -> None:
        try:
            self.written += os.write(self._handle, self._data[self.written : self.written + CHUNK])
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._close()
            return
        if self.written == len(self._data):
            self._close()

    def _close(self) -> None:
        if self._open:
            self._open = False
            self._loop.remove_writer(self._handle)
            os.close(self._handle)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()


class Drain:
    """Reads to the end, keeping at most `limit` bytes: the first, or with `tail` the last.

    One byte more than a head's limit sets `flooded` and is not kept.
    """

    def __init__(self, handle: int, limit: int, *, tail: bool = False) -> None:
        os.set_blocking(handle, False)
        self._handle = handle
        self._limit = limit
        self._tail = tail
        self._kept = bytearray()
        self._loop = asyncio.get_running_loop()
        self._open = True
        self.closed = asyncio.Event()
        self.flooded = asyncio.Event()

    @property
    def content(self) -> bytes:
        return bytes(self._kept)

    def __enter__(self) -> Self:
        self._loop.add_reader(self._handle, self._read)
        return self

    def _read(self) -> None:
        chunk = b""
        with suppress(BlockingIOError):
            chunk = os.read(self._handle, CHUNK)
            if not chunk:
                self._close()
        self._keep(chunk)

    def _keep(self, chunk: bytes) -> None:
        if self.flooded.is_set():
            return
        self._kept += chunk
        if len(self._kept) <= self._limit:
            return
        if self._tail:
            del self._kept[: len(self._kept) - self._limit]
        else:
            del self._kept[self._limit :]
            self.flooded.set()

    def _close(self) -> None:
        if self._open:
            self._open = False
            self._loop.remove_reader(self._handle)
            os.close(self._handle)
            self.closed.set()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
