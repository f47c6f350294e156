"""How many programs run at once in this process, and who is next (handbook §8: sixteen, the rest wait).

Waiting is first come, first served, across the event loops and threads of the process.
"""

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from connectors.runtime.deadline import Deadline

SLOT_COUNT = 16


class _Waiter:
    """One caller in the queue. The number is the truth, set under the lock; the future only wakes its loop."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.woken: asyncio.Future[None] = self.loop.create_future()
        self.number: int | None = None

    def wake(self) -> None:
        if not self.woken.done():
            self.woken.set_result(None)


class Slots:
    """Numbered places; a number is held by one program at a time."""

    def __init__(self, count: int = SLOT_COUNT) -> None:
        self._lock = threading.Lock()
        self._free = deque(range(count))
        self._waiting: deque[_Waiter] = deque()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @asynccontextmanager
    async def hold(self, deadline: Deadline) -> AsyncIterator[int]:
        """Hold a place while the body runs; TimeoutError when none came free before the deadline."""
        number = await self._take(deadline)
        try:
            yield number
        finally:
            self._give(number)

    async def _take(self, deadline: Deadline) -> int:
        with self._lock:
            if self._free:
                return self._free.popleft()
            waiter = _Waiter()
            self._waiting.append(waiter)
        try:
            async with asyncio.timeout(deadline.remaining()):
                await waiter.woken
        except (TimeoutError, asyncio.CancelledError):
            self._leave(waiter)
            raise
        assert waiter.number is not None
        return waiter.number

    def _leave(self, waiter: _Waiter) -> None:
        """Stop waiting; a place given in the same moment goes to the next."""
        with self._lock:
            if waiter.number is None:
                self._waiting.remove(waiter)
                return
        self._give(waiter.number)

    def _give(self, number: int) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._free.append(number)
                    return
                waiter = self._waiting.popleft()
                waiter.number = number
            with contextlib.suppress(RuntimeError):  # its loop has closed: nobody is there any more, so the next one
                waiter.loop.call_soon_threadsafe(waiter.wake)
                return


SLOTS = Slots()
