"""Many calls at once: sixteen processes, in the order of asking, nothing left behind, memory flat.

The two hundred calls of the issue "Programs", five times over; `make proofs` runs it.
"""

import asyncio
import gc
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from connectors.runtime.deadline import Deadline
from connectors.runtime.keeper.tree import _children as children
from connectors.runtime.keeper_client import get_keeper
from connectors.runtime.operations import AUTHORIZATION_IDENTITY
from connectors.runtime.program import ProgramSource, invoke_program
from connectors.runtime.program_context import AuthorizationIdentity, Configuration
from connectors.runtime.slots import SLOT_COUNT
from tests.builders.programs import make_program

CALLS, ROUNDS = 200, 5
MIB = 1024 * 1024
# Tells its own process and the minder's: the keeper forks minders one by one, as calls get their slots.
SOURCE = """
import os, time
os.read(0, 65536)
time.sleep(0.1)
print('{"protocol_version":1,"ok":true,"result":{"identity":[%d,%d]}}' % (os.getpid(), os.getppid()))
"""


async def call(program: ProgramSource) -> tuple[int, int]:
    context = AuthorizationIdentity(configuration=Configuration(), options={})
    answer = await invoke_program(program, AUTHORIZATION_IDENTITY, context, deadline=Deadline.after(100))
    process, minder = answer.identity
    return process, minder


async def watch_processes(keeper: int, counts: list[int]) -> None:
    """Note how many programs run: every minder is the keeper's child, every program a minder's."""
    while True:
        minders = children(keeper)
        counts.append(sum(len(children(minder)) for minder in minders))
        await asyncio.sleep(0.01)


def in_order(processes: list[int]) -> bool:
    """Process ids rise, and may start from the bottom again once."""
    return sum(later < earlier for earlier, later in pairwise(processes)) <= 1


@pytest.mark.timeout(300)
async def test_many_calls_at_once_run_sixteen_at_a_time_first_come_first_served_and_leave_nothing(
    tmp_path: Path,
):
    program = make_program(tmp_path, SOURCE)
    await asyncio.gather(*(call(program) for _ in range(CALLS // 4)))  # what is made once is made
    keeper = get_keeper()
    us, its = psutil.Process(), psutil.Process(keeper._process.pid)
    counts: list[int] = []
    handles, before = us.num_fds(), memory(us, its)
    watcher = asyncio.create_task(watch_processes(its.pid, counts))
    for _ in range(ROUNDS):
        answers = await asyncio.gather(*(call(program) for _ in range(CALLS)))
        assert len({process for process, _minder in answers}) == CALLS  # a process of its own each
        assert in_order([minder for _process, minder in answers])
    watcher.cancel()
    assert SLOT_COUNT // 2 <= max(counts) <= SLOT_COUNT
    assert await no_children(its)  # a minder that has reported may still be ending
    assert list(keeper.base.iterdir()) == []
    assert us.num_fds() <= handles + 2  # the watcher's own
    grown = [(now - then) / MIB for now, then in zip(memory(us, its), before, strict=True)]
    assert grown[0] < 8
    assert grown[1] < 1


def memory(*processes: psutil.Process) -> list[int]:
    gc.collect()
    return [process.memory_info().rss for process in processes]


async def no_children(process: psutil.Process) -> bool:
    for _ in range(200):
        if not process.children():
            return True
        await asyncio.sleep(0.01)
    return False
