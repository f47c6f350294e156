"""Work that arrives while a thread is busy is done together by its next turn.

Idle, an item goes at once; under load, items share one hand-over to the thread and one transaction. The queue is
bounded: who comes to a full one waits, so pressure reaches the client instead of memory.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from connectors.audit.database_lanes import drop_broken_connections

type Handler[T, R] = Callable[[Sequence[T]], Sequence[R | Exception]]


class Grouping[T, R]:
    """Hand items to `handle` in groups, in order of arrival; it returns one result (or exception) an item.

    Belongs to the event loop it is first used in.
    """

    def __init__(
        self, handle: Handler[T, R], *, lane: ThreadPoolExecutor, largest: int = 64, waiting: int = 2048
    ) -> None:
        self._handle, self._lane = handle, lane
        self._largest, self._limit = largest, waiting
        self._queue: deque[tuple[T, asyncio.Future[R]]] = deque()
        self._room: deque[asyncio.Future[None]] = deque()
        self._running: set[asyncio.Future[R]] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    async def submit(self, item: T) -> R:
        """Return the item's result once its group is through. Cancelling the wait does not take the item back."""
        loop = asyncio.get_running_loop()
        while len(self._queue) >= self._limit:
            room = loop.create_future()
            self._room.append(room)
            await room
        future: asyncio.Future[R] = loop.create_future()
        self._queue.append((item, future))
        if self._idle.is_set():
            self._idle.clear()
            self._next(loop)
        return await future

    async def drain(self) -> None:
        """Return when everything that was submitted is through."""
        await self._idle.wait()

    def _next(self, loop: asyncio.AbstractEventLoop) -> None:
        group = [self._queue.popleft() for _ in range(min(self._largest, len(self._queue)))]
        self._make_room()
        handed = self._lane.submit(self._run, [item for item, _ in group])
        handed.add_done_callback(lambda done: loop.call_soon_threadsafe(self._finish, loop, group, done))

    def _make_room(self) -> None:
        free = self._limit - len(self._queue)
        while self._room and free > 0:
            room = self._room.popleft()
            if not room.done():
                room.set_result(None)
                free -= 1

    def _run(self, items: list[T]) -> Sequence[R | Exception]:
        drop_broken_connections()
        return self._handle(items)

    def _finish(
        self,
        loop: asyncio.AbstractEventLoop,
        group: list[tuple[T, asyncio.Future[R]]],
        done: "Future[Sequence[R | Exception]]",
    ) -> None:
        failure = done.exception()
        results: Sequence[R | BaseException] = [failure] * len(group) if failure is not None else done.result()
        for (_, future), result in zip(group, results, strict=True):
            if future.done():
                continue
            if isinstance(result, BaseException):
                future.set_exception(result)
            else:
                future.set_result(result)
        if self._queue:
            self._next(loop)
        else:
            self._idle.set()
