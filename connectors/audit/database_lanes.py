"""Database work of the event loop: in threads of our own, each with its own connection.

`sync_to_async(thread_sensitive=True)` costs three times as much and queues everything behind one thread. Three lanes
keep short things from waiting for long ones: look-ups (a token), writes (the logs), and the rest.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

from django.db import close_old_connections, connections

LOOKUPS = ThreadPoolExecutor(1, thread_name_prefix="lookups")
WRITES = ThreadPoolExecutor(1, thread_name_prefix="writes")
WORK = ThreadPoolExecutor(2, thread_name_prefix="work")
_LANES = (LOOKUPS, WRITES, WORK)


async def in_database[T](function: Callable[..., T], /, *args: object, lane: ThreadPoolExecutor = WORK) -> T:
    """Run a function that uses the ORM in a lane's thread and return what it returns."""
    return await asyncio.get_running_loop().run_in_executor(lane, partial(_run, function, *args))


def _run[T](function: Callable[..., T], /, *args: object) -> T:
    drop_broken_connections()
    return function(*args)


def drop_broken_connections() -> None:
    """Before work in a lane: let go of a connection that failed, keep one that works.

    A lane's threads live as long as the process, so their connections do too; elsewhere each ends with its request.
    """
    for connection in connections.all(initialized_only=True):
        connection.close_at = None
    close_old_connections()


def close_lane_connections() -> None:
    """Close every lane's database connections, waiting for what is running; the lanes stay usable."""
    for lane in _LANES:
        workers = lane._max_workers  # noqa: SLF001 - no public size
        together = Barrier(workers)  # else one free thread would do the closing of all
        for done in [lane.submit(_close_after, together) for _ in range(workers)]:
            done.result()


def _close_after(together: Barrier) -> None:
    together.wait()
    connections.close_all()
