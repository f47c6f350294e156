"""Two hundred calls at once: sixteen processes, nothing left behind, memory flat (issue "Programs")."""

import asyncio
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from connectors.runtime.deadline import Deadline
from connectors.runtime.keeper_client import get_keeper
from connectors.runtime.operations import AUTHORIZATION_IDENTITY
from connectors.runtime.program import ProgramSource, invoke_program
from connectors.runtime.slots import SLOT_COUNT
from tests.builders.programs import READ, make_context, make_program

CALLS = 200


async def call(program: ProgramSource) -> int:
    context = make_context("authorization_identity")
    answer = await invoke_program(program, AUTHORIZATION_IDENTITY, context, deadline=Deadline.after(100))  # type: ignore[arg-type]  # a builder returns any context
    return int(answer.identity)


async def watch_processes(keeper: int, counts: list[int]) -> None:
    """Note how many programs run: every minder is the keeper's child, every program a minder's."""
    while True:
        with suppress(psutil.Error):
            counts.append(sum(len(minder.children()) for minder in psutil.Process(keeper).children()))
        await asyncio.sleep(0.005)


@pytest.mark.timeout(110)
async def test_two_hundred_calls_at_once_run_sixteen_at_a_time_and_leave_nothing(tmp_path: Path):
    source = 'time.sleep(0.02)\nprint(\'{"protocol_version":1,"ok":true,"result":{"identity":%d}}\' % os.getpid())'
    program = make_program(tmp_path, READ + source)
    await call(program)
    keeper = get_keeper()
    us, its = psutil.Process(), psutil.Process(keeper._process.pid)
    counts: list[int] = []
    handles, memory = us.num_fds(), us.memory_info().rss
    watcher = asyncio.create_task(watch_processes(its.pid, counts))
    processes = await asyncio.gather(*(call(program) for _ in range(CALLS)))
    watcher.cancel()
    assert len(set(processes)) == CALLS  # a process of its own each
    assert 2 <= max(counts) <= SLOT_COUNT
    assert await no_children(its)  # a minder that has reported may still be ending
    assert list(keeper.base.iterdir()) == []
    assert us.num_fds() <= handles + 2  # the watcher's own
    assert us.memory_info().rss < memory + 32 * 1024 * 1024


async def no_children(process: psutil.Process) -> bool:
    for _ in range(200):
        if not process.children():
            return True
        await asyncio.sleep(0.01)
    return False
