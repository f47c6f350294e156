"""The one-use folder: a private copy of `provider/`, and its removal whatever the program did to it.

Copied inside the kernel: `copy_file_range` shares the blocks where the file system can (btrfs, xfs), and is the
fastest plain copy where it cannot; `sendfile` serves across file systems. Standard library only.
"""

import errno
import os
import shutil
import stat
from pathlib import Path
from types import TracebackType
from typing import Any

CHUNK = 16 * 1024 * 1024


def copy_tree(source: int, target: Path, *, owner: int | None) -> None:
    """Copy the folder open at `source` into the empty folder `target`, and give all of it to `owner`."""
    with os.scandir(source) as entries:
        for entry in entries:
            _copy_entry(entry, source, target / entry.name, owner)
    if owner is not None:
        os.chown(target, owner, owner)


def _copy_entry(entry: os.DirEntry[str], folder: int, goal: Path, owner: int | None) -> None:
    if entry.is_dir(follow_symlinks=False):
        goal.mkdir(mode=0o700)
        below = os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
        try:
            copy_tree(below, goal, owner=owner)
        finally:
            os.close(below)
    elif entry.is_file(follow_symlinks=False):
        _copy_file(entry.name, folder, goal, owner)
    else:
        raise OSError(errno.EINVAL, "only folders and regular files are copied", entry.name)


def _copy_file(name: str, folder: int, goal: Path, owner: int | None) -> None:
    origin = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        about = os.fstat(origin)
        executable = stat.S_IMODE(about.st_mode) & 0o111
        copy = os.open(goal, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644 | executable)
        try:
            _copy_bytes(origin, copy, about.st_size)
            if owner is not None:
                os.fchown(copy, owner, owner)
        finally:
            os.close(copy)
    finally:
        os.close(origin)


def _copy_bytes(origin: int, copy: int, size: int) -> None:
    done = 0
    while done < size:
        try:
            count = os.copy_file_range(origin, copy, min(CHUNK, size - done), done, done)
        except OSError as error:
            if error.errno not in {errno.EXDEV, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}:
                raise
            os.lseek(copy, done, os.SEEK_SET)
            count = os.sendfile(copy, origin, done, min(CHUNK, size - done))
        if not count:
            raise OSError(errno.EIO, "the file became shorter while it was copied")
        done += count


def remove_tree(folder: Path) -> None:
    """Remove a folder and all in it, even where the program took the permissions away."""
    shutil.rmtree(folder, onerror=_open_up)


Problem = tuple[type[BaseException], BaseException, TracebackType]


def _open_up(_act: Any, path: str, problem: Problem) -> None:
    if isinstance(problem[1], FileNotFoundError):
        return
    goal = Path(path)
    goal.parent.chmod(0o700)
    if goal.is_dir() and not goal.is_symlink():
        goal.chmod(0o700)
        for entry in list(goal.iterdir()):
            if entry.is_dir() and not entry.is_symlink():
                remove_tree(entry)
            else:
                entry.unlink(missing_ok=True)
        goal.rmdir()
    else:
        goal.unlink(missing_ok=True)
