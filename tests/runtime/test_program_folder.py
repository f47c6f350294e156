"""The one-use folder and the tree below a process, piece by piece; the keeper uses them in a process of its own."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from connectors.runtime.keeper import confine
from connectors.runtime.keeper.folder import copy_tree, remove_tree
from connectors.runtime.keeper.tree import descendants


def copy(source: Path, target: Path, owner: int | None = None) -> None:
    target.mkdir()
    handle = os.open(source, os.O_RDONLY | os.O_DIRECTORY)
    try:
        copy_tree(handle, target, owner=owner)
    finally:
        os.close(handle)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    source = tmp_path / "source"
    (source / "deep" / "deeper").mkdir(parents=True)
    (source / "main.py").write_text("pass")
    (source / "empty").touch()
    (source / "deep" / "deeper" / "数据.bin").write_bytes(os.urandom(300_000))
    (source / "deep" / "tool").write_text("#!/bin/sh")
    (source / "deep" / "tool").chmod(0o555)
    (source / "main.py").chmod(0o444)
    return source


def test_a_copy_has_every_file_writable_and_executable_where_it_was(source: Path, tmp_path: Path):
    target = tmp_path / "target"
    copy(source, target)
    for file in source.rglob("*"):
        twin = target / file.relative_to(source)
        assert twin.is_dir() if file.is_dir() else twin.read_bytes() == file.read_bytes()
    assert (target / "main.py").stat().st_mode & 0o777 == 0o644
    assert (target / "deep" / "tool").stat().st_mode & 0o777 == 0o755


def test_a_copy_shares_no_file_with_its_source(source: Path, tmp_path: Path):
    copy(source, tmp_path / "target")
    assert (source / "main.py").stat().st_ino != (tmp_path / "target" / "main.py").stat().st_ino


def test_where_the_kernel_cannot_copy_between_file_systems_the_bytes_are_sent(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_arguments: object) -> int:
        raise OSError(errno.EXDEV, "another file system")

    monkeypatch.setattr(os, "copy_file_range", refuse)
    copy(source, tmp_path / "target")
    name = "deep/deeper/数据.bin"
    assert (tmp_path / "target" / name).read_bytes() == (source / name).read_bytes()


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_only_folders_and_regular_files_are_copied(source: Path, tmp_path: Path, kind: str):
    if kind == "link":
        (source / "odd").symlink_to("/etc/passwd")
    else:
        os.mkfifo(source / "odd")
    with pytest.raises(OSError, match="only folders and regular files"):
        copy(source, tmp_path / "target")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_copy_belongs_to_the_programs_user(source: Path, tmp_path: Path):
    copy(source, tmp_path / "target", owner=61_500)
    owners = {file.stat().st_uid for file in (tmp_path / "target").rglob("*")}
    assert owners == {61_500} == {(tmp_path / "target").stat().st_uid}


def test_a_folder_is_removed_with_everything_and_once_more_without_complaint(source: Path):
    (source / "deep").chmod(0)
    remove_tree(source)
    assert not source.exists()
    remove_tree(source)


def test_every_descendant_is_found_whatever_its_session():
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True)\n"
        "print('ready', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        (grandchild,) = psutil.Process(parent.pid).children()
        found = descendants(os.getpid())
        assert {parent.pid, grandchild.pid} <= set(found)
        assert found.index(parent.pid) < found.index(grandchild.pid)
        grandchild.kill()
        parent.kill()


def test_a_process_that_has_ended_has_no_descendants():
    assert descendants(4_194_305) == []


def test_the_tasks_of_a_user_are_counted():
    assert confine.tasks_of_user(os.getuid()) >= 1
    assert confine.tasks_of_user(4_000_000_000) == 0


def test_bubblewrap_binds_the_folder_and_what_must_be_read():
    command = confine.bubblewrap("/usr/bin/bwrap", Path("/scratch/call-1"), [Path("/opt/python")])
    assert command[0] == "/usr/bin/bwrap"
    assert command[-1] == "--"
    joined = " ".join(command)
    assert "--bind /scratch/call-1 /scratch/call-1 --chdir /scratch/call-1" in joined
    assert "--ro-bind /opt/python /opt/python" in joined
    assert "--ro-bind / /" in joined
