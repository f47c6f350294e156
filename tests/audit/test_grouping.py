"""Work that queues behind a busy thread is done together."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from connectors.audit.grouping import Grouping

pytestmark = pytest.mark.django_db


@pytest.fixture
def lane():
    with ThreadPoolExecutor(1) as lane:
        yield lane


class Handler:
    """Doubles numbers; holds its first group until released, and remembers its groups."""

    def __init__(self) -> None:
        self.groups: list[list[int]] = []
        self.released = threading.Event()

    def __call__(self, items):
        self.groups.append(list(items))
        self.released.wait(5)
        return [ValueError(item) if item < 0 else item * 2 for item in items]


async def start(grouping, *items):
    tasks = []
    for item in items:
        tasks.append(asyncio.ensure_future(grouping.submit(item)))
        await asyncio.sleep(0)
    return tasks


async def test_an_idle_thread_starts_at_once_and_the_rest_goes_together(lane):
    handler = Handler()
    grouping = Grouping(handler, lane=lane)
    tasks = await start(grouping, 1, 2, 3, 4)
    handler.released.set()
    assert await asyncio.gather(*tasks) == [2, 4, 6, 8]
    assert handler.groups == [[1], [2, 3, 4]]


async def test_a_group_has_a_largest_size(lane):
    handler = Handler()
    grouping = Grouping(handler, lane=lane, largest=2)
    tasks = await start(grouping, 1, 2, 3, 4)
    handler.released.set()
    await asyncio.gather(*tasks)
    assert handler.groups == [[1], [2, 3], [4]]


async def test_a_full_queue_makes_callers_wait_and_loses_nobody(lane):
    handler = Handler()
    grouping = Grouping(handler, lane=lane, largest=2, waiting=2)
    tasks = await start(grouping, *range(1, 9))
    assert len(grouping._queue) == 2
    handler.released.set()
    assert await asyncio.gather(*tasks) == [2, 4, 6, 8, 10, 12, 14, 16]


async def test_each_item_has_its_own_failure(lane):
    handler = Handler()
    handler.released.set()
    grouping = Grouping(handler, lane=lane)
    tasks = await start(grouping, 1, -2, 3)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert results[0] == 2
    assert isinstance(results[1], ValueError)
    assert results[2] == 6


async def test_a_handler_that_breaks_fails_its_whole_group(lane):
    def broken(_items):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        await Grouping(broken, lane=lane).submit(1)


async def test_who_stops_waiting_does_not_take_the_item_back(lane):
    handler = Handler()
    grouping = Grouping(handler, lane=lane)
    tasks = await start(grouping, 1, 2)
    tasks[1].cancel()
    handler.released.set()
    await grouping.drain()
    assert handler.groups == [[1], [2]]
    assert tasks[1].cancelled()
