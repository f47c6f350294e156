"""Sixteen at once, first come first served, in any loop (handbook §8)."""

import asyncio
import threading

import pytest

from connectors.runtime.deadline import Deadline
from connectors.runtime.slots import Slots


def soon() -> Deadline:
    return Deadline.after(5)


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_no_more_than_the_count_hold_a_place_and_their_numbers_differ():
    slots, held, most = Slots(3), set[int](), 0

    async def work() -> None:
        nonlocal most
        async with slots.hold(soon()) as number:
            assert number not in held
            held.add(number)
            most = max(most, len(held))
            await asyncio.sleep(0)
            held.remove(number)

    await asyncio.gather(*(work() for _ in range(50)))
    assert most == 3
    assert slots.waiting == 0


async def test_who_came_first_is_served_first():
    slots, served = Slots(1), list[int]()

    async def work(name: int) -> None:
        async with slots.hold(soon()):
            served.append(name)

    async with slots.hold(soon()):
        tasks = [asyncio.create_task(work(name)) for name in range(20)]
        await settle()
    await asyncio.gather(*tasks)
    assert served == list(range(20))


async def test_nobody_who_comes_late_overtakes_who_waits():
    slots, served = Slots(1), list[str]()

    async def work(name: str) -> None:
        async with slots.hold(soon()):
            served.append(name)

    async with slots.hold(soon()):
        first = asyncio.create_task(work("first"))
        await settle()
    second = asyncio.create_task(work("second"))
    await asyncio.gather(first, second)
    assert served == ["first", "second"]


async def test_waiting_ends_at_the_deadline_and_leaves_the_queue():
    slots = Slots(1)
    async with slots.hold(soon()):
        with pytest.raises(TimeoutError):
            async with slots.hold(Deadline.after(0.01)):
                pass
        assert slots.waiting == 0


async def test_a_place_given_in_the_moment_of_cancellation_is_not_lost():
    slots = Slots(1)
    hold = slots.hold(soon())
    await hold.__aenter__()

    async def work() -> None:
        async with slots.hold(soon()):
            pass

    waiting = asyncio.create_task(work())
    await settle()
    await hold.__aexit__(None, None, None)  # the place is given, the waiter not yet awake
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    async with slots.hold(Deadline.after(0.1)) as number:
        assert number == 0


def test_loops_in_several_threads_share_the_places():
    slots, most, running, lock = Slots(2), 0, 0, threading.Lock()

    async def work() -> None:
        nonlocal most, running
        async with slots.hold(soon()):
            with lock:
                running += 1
                most = max(most, running)
            await asyncio.sleep(0.002)
            with lock:
                running -= 1

    async def many() -> None:
        await asyncio.gather(*(work() for _ in range(20)))

    threads = [threading.Thread(target=asyncio.run, args=(many(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2


def test_a_waiter_whose_loop_has_closed_does_not_take_a_place_with_it():
    slots = Slots(1)
    loop = asyncio.new_event_loop()
    hold = slots.hold(soon())
    loop.run_until_complete(hold.__aenter__())
    late = slots.hold(soon())
    task = loop.create_task(late.__aenter__())
    loop.run_until_complete(settle())
    assert slots.waiting == 1
    slots._waiting[0].loop = closed = asyncio.new_event_loop()
    closed.close()
    loop.run_until_complete(hold.__aexit__(None, None, None))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        loop.run_until_complete(task)
    loop.close()

    async def take() -> int:
        async with slots.hold(Deadline.after(0.1)) as number:
            return number

    assert asyncio.run(take()) == 0
