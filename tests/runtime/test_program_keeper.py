"""The keeper's edges: other event loops, forks, folders of the dead, an interpreter made once."""

import asyncio
import os
import threading
from pathlib import Path

import pytest
import uvloop

from connectors.runtime import keeper_client, program_python
from connectors.runtime.deadline import Deadline
from connectors.runtime.keeper_client import KeeperProcess, get_keeper
from connectors.runtime.operations import AUTHORIZATION_IDENTITY
from connectors.runtime.program import ProgramSource, invoke_program
from connectors.runtime.program_environment import scrub_environment
from connectors.runtime.program_errors import ProgramUnavailable
from connectors.runtime.program_python import work_folder
from tests.builders.programs import answering, make_context, make_program

IDENTITY = answering({"identity": 1})


async def invoke(program: ProgramSource) -> object:
    context = make_context("authorization_identity")
    answer = await invoke_program(program, AUTHORIZATION_IDENTITY, context, deadline=Deadline.after(30))  # type: ignore[arg-type]  # a builder returns any context
    return answer.identity


@pytest.fixture
def own_folder(tmp_path: Path) -> Path:
    """A folder for keepers that any user can reach, as the system's temporary folder is."""
    folder = tmp_path / "work"
    folder.mkdir()
    for above in (folder, *folder.parents):
        if above.stat().st_uid == os.geteuid() and above != Path("/"):
            above.chmod(above.stat().st_mode | 0o011)
    return folder


def test_programs_run_under_uvloop(tmp_path: Path):
    program = make_program(tmp_path, IDENTITY)
    assert uvloop.run(invoke(program)) == 1


def test_one_keeper_serves_every_loop_and_thread(tmp_path: Path):
    program = make_program(tmp_path, IDENTITY)
    answers: list[object] = []
    threads = [threading.Thread(target=lambda: answers.append(asyncio.run(invoke(program)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [1] * 4


def test_a_forked_process_gets_a_keeper_of_its_own(monkeypatch: pytest.MonkeyPatch):
    keeper = get_keeper()
    monkeypatch.setattr(keeper, "owner", -1)  # as a child sees it
    assert not keeper.alive
    assert get_keeper() is not keeper
    monkeypatch.undo()
    keeper.stop()


def test_stopping_a_keeper_leaves_no_folder(own_folder: Path):
    keeper = KeeperProcess(own_folder)
    base = keeper.base
    assert base.is_dir()
    keeper.stop()
    assert not base.exists()
    assert not keeper.alive


def test_folders_of_keepers_whose_owner_is_gone_are_swept(own_folder: Path):
    work = work_folder(own_folder)
    lost = work / "keeper-4194305-abc"  # above the highest process id
    (lost / "call-1").mkdir(parents=True)
    keeper = KeeperProcess(own_folder)
    assert not lost.exists()
    keeper.stop()


def test_a_work_folder_that_others_can_write_to_is_not_used(tmp_path: Path):
    taken = tmp_path / f"poco-programs-{os.geteuid()}"
    taken.mkdir()
    taken.chmod(0o777)
    assert work_folder(tmp_path) != taken


def test_a_work_folder_that_is_a_link_is_not_used(tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    taken = tmp_path / f"poco-programs-{os.geteuid()}"
    taken.symlink_to(tmp_path / "elsewhere")
    assert not work_folder(tmp_path).is_symlink()


def test_a_bubblewrap_that_cannot_be_used_here_is_found_out_before_a_call(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    wrapper = own_folder / "bwrap"
    wrapper.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2; exit 1\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{own_folder}:{os.environ['PATH']}")
    keeper = KeeperProcess(own_folder)
    assert (keeper.abilities.bubblewrap, keeper.abilities.bubblewrap_reason) == (False, "namespaces_forbidden")
    keeper.stop()


def test_the_interpreter_is_made_once(own_folder: Path):
    first = program_python.program_python(own_folder)
    stamp = first.lstat().st_mtime_ns
    assert program_python.program_python(own_folder) == first
    assert first.lstat().st_mtime_ns == stamp
    assert [entry.name for entry in own_folder.iterdir()] == [first.parents[1].name]


async def test_a_keeper_that_cannot_start_makes_programs_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    keeper_client.stop_keeper()
    monkeypatch.setattr(keeper_client, "_parent_folder", tmp_path / "missing")
    with pytest.raises(ProgramUnavailable):
        await invoke(make_program(tmp_path, IDENTITY))


def test_an_empty_environment_still_has_a_path():
    assert scrub_environment({}) == {"PATH": os.defpath}
