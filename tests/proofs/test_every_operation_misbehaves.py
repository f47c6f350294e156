"""Every operation of the program protocol against every way a program can misbehave (`make proofs`)."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from connectors.runtime.containment import describe_containment
from connectors.runtime.deadline import Deadline
from connectors.runtime.keeper_client import get_keeper
from connectors.runtime.operations import OPERATIONS
from connectors.runtime.program import ProgramSource, invoke_program
from connectors.runtime.program_errors import ProgramFault, ProgramTimedOut, ProgramUnavailable
from connectors.runtime.protocol import MAX_ANSWER_BYTES
from tests.builders import misbehaviours
from tests.builders.misbehaviours import AGAINST_THE_PROTOCOL, misbehaving
from tests.builders.programs import RESULTS, make_context, make_program

pytestmark = pytest.mark.parametrize("name", OPERATIONS)


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path) -> Iterator[None]:
    yield
    left = [process for process in running() if str(tmp_path) in " ".join(process)]
    assert left == []
    assert list(get_keeper().base.iterdir()) == []


def running() -> Iterator[list[str]]:
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE:
                yield process.cmdline()


async def ask(name: str, program: ProgramSource, *, seconds: float = 30) -> Any:
    return await invoke_program(program, OPERATIONS[name], make_context(name), deadline=Deadline.after(seconds))


def is_good(name: str, answer: Any) -> bool:
    return bool(answer == OPERATIONS[name].result.validate_python(RESULTS[name]))


@pytest.mark.parametrize("source", AGAINST_THE_PROTOCOL.values(), ids=list(AGAINST_THE_PROTOCOL))
async def test_an_answer_against_the_protocol_is_a_fault(tmp_path: Path, name: str, source: str):
    with pytest.raises(ProgramFault) as raised:
        await ask(name, make_program(tmp_path, misbehaving(name, source)))
    assert raised.value.code == "program_protocol"


async def test_a_flood_on_stdout_is_stopped(tmp_path: Path, name: str):
    with pytest.raises(ProgramFault) as raised:
        await ask(name, make_program(tmp_path, misbehaving(name, misbehaviours.FLOOD_STDOUT)))
    assert raised.value.code == "response_too_large"


async def test_a_flood_on_stderr_does_no_harm(tmp_path: Path, name: str):
    assert is_good(name, await ask(name, make_program(tmp_path, misbehaving(name, misbehaviours.FLOOD_STDERR))))


async def test_a_program_that_never_reads_is_unavailable(tmp_path: Path, name: str):
    with pytest.raises(ProgramUnavailable):
        await ask(name, make_program(tmp_path, "print('{}')"))


async def test_a_program_that_sleeps_is_ended(tmp_path: Path, name: str):
    with pytest.raises(ProgramTimedOut):
        await ask(name, make_program(tmp_path, misbehaving(name, misbehaviours.SLEEP)), seconds=1.5)


async def test_a_child_in_a_session_of_its_own_is_ended(tmp_path: Path, name: str):
    source = misbehaviours.ESCAPE.format(marker=f"marker {tmp_path}")
    assert is_good(name, await ask(name, make_program(tmp_path, misbehaving(name, source))))


async def test_a_fork_bomb_is_bounded_and_ended(tmp_path: Path, name: str):
    if _has_no_user_of_its_own():
        pytest.skip("as root, without a user of its own, nothing bounds forks")
    before = len(psutil.pids())
    with suppress(ProgramTimedOut, ProgramFault):  # a copy of it may hold the answer's pipe, or be first to write
        await ask(name, make_program(tmp_path, misbehaving(name, misbehaviours.FORK_BOMB)), seconds=3)
    assert len(psutil.pids()) < before + 50


async def test_writing_outside_its_folder_fails(tmp_path: Path, name: str):
    if os.geteuid() != 0 or _has_no_user_of_its_own():
        pytest.skip("programs share our user here, and may write what we may")
    source = misbehaviours.WRITE_OUTSIDE.format(package=str(tmp_path / "provider"))
    assert is_good(name, await ask(name, make_program(tmp_path, misbehaving(name, source))))


def _has_no_user_of_its_own() -> bool:
    layers = {layer.name: layer for layer in describe_containment()}
    return os.geteuid() == 0 and not layers["unprivileged_user"].active


@pytest.mark.parametrize(("spare", "accepted"), [(-1, True), (0, True), (1, False)])
async def test_an_answer_may_be_5_mib_and_not_a_byte_more(tmp_path: Path, name: str, spare: int, accepted: bool):
    source = f"print(good.ljust({MAX_ANSWER_BYTES + spare}), end='')"  # blanks after the object count like any byte
    program = make_program(tmp_path, misbehaving(name, source))
    if accepted:
        assert is_good(name, await ask(name, program))
    else:
        with pytest.raises(ProgramFault) as raised:
            await ask(name, program)
        assert raised.value.code == "response_too_large"


async def test_a_good_answer_is_the_measure(tmp_path: Path, name: str):
    assert is_good(name, await ask(name, make_program(tmp_path, misbehaving(name, "print(good)"))))
