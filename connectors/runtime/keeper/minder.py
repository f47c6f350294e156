"""One call: make the folder, start the program, wait, end whatever is left of it, report, be gone.

Forked by the keeper, one a call. The parent's end of `control` closing means: stop now. Standard library only.
"""

import fcntl
import json
import os
import select
import socket
import struct
import termios
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from connectors.runtime.keeper import confine
from connectors.runtime.keeper.folder import copy_tree, remove_tree
from connectors.runtime.keeper.tree import end_tree

TICK_MILLISECONDS = 500


@dataclass(frozen=True, slots=True)
class Grounds:
    """Where this keeper runs programs, and how: found out once, when it starts."""

    base: Path
    readable: tuple[Path, ...]
    first_user: int | None
    bubblewrap: str | None


@dataclass(frozen=True, slots=True)
class Call:
    """What the parent asks for, with its ends of the pipes."""

    argv: list[str]
    environment: dict[str, str]
    slot: int
    seconds: float
    sandbox: bool
    source: int
    stdin: int
    stdout: int
    stderr: int
    control: socket.socket


@dataclass(frozen=True, slots=True)
class Place:
    """Where the program of one call lives, as whom, beside how many tasks, and whom it dies with."""

    folder: Path
    user: int | None
    tasks: int
    minder: int


class SetUpError(Exception):
    """The program did not start; the text names the step and the system's reason."""


def mind(call: Call, grounds: Grounds, folder: Path) -> None:
    """Do the whole call. Reports `started` and then `ended`, or `failed` alone, when nothing of it is left."""
    confine.become_subreaper()
    try:
        report = _run(call, grounds, folder)
    except SetUpError as error:
        report = {"failed": str(error)}
    clean = end_tree()
    remove_tree(folder)
    _tell(call.control, {**report, "unread": _unread(call.stdin), "clean": clean})


def _run(call: Call, grounds: Grounds, folder: Path) -> dict[str, Any]:
    user = None if grounds.first_user is None else grounds.first_user + call.slot
    try:
        folder.mkdir(mode=0o700)
        copy_tree(call.source, folder, owner=user)
        tasks = confine.TASKS_PER_CALL + (confine.tasks_of_user(os.getuid()) if user is None else 0)
    except OSError as error:
        raise SetUpError(f"folder: {error.strerror}") from error
    child = _start(call, grounds, Place(folder, user, tasks, os.getpid()))
    for end in (call.stdout, call.stderr):
        os.close(end)
    _tell(call.control, {"started": child})
    return _wait(call, child)


def _start(call: Call, grounds: Grounds, place: Place) -> int:
    """Fork and execute; the pipe closes by itself when the execution succeeds, and carries the reason when not."""
    problem, report = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _become_program(call, grounds, place)
        except OSError as error:
            os.write(report, f"start: {error.strerror}".encode())
        finally:
            os._exit(127)
    os.close(report)
    with os.fdopen(problem, "rb") as pipe:
        if reason := pipe.read():
            raise SetUpError(reason.decode())
    return child


def _become_program(call: Call, grounds: Grounds, place: Place) -> None:
    argv, folder, user = call.argv, place.folder, place.user
    if call.sandbox:
        if grounds.bubblewrap is None:
            raise FileNotFoundError(2, "bubblewrap cannot be used here")
        argv = [*confine.bubblewrap(grounds.bubblewrap, folder, grounds.readable), *argv]
    os.setsid()
    os.chdir(folder)
    for standard, end in enumerate((call.stdin, call.stdout, call.stderr)):
        os.dup2(end, standard)
    confine.restore_signals()
    confine.limit_resources(cpu_seconds=int(call.seconds) + 5, tasks=place.tasks)
    if user is not None:
        confine.become_user(user)
    confine.die_with(place.minder)
    confine.forbid_new_privileges()
    os.execve(argv[0], argv, call.environment)  # noqa: S606 - no shell is the point


def _wait(call: Call, child: int) -> dict[str, Any]:
    """Wait for the program's end, the parent's word, or the last limit of all, whichever is first."""
    started = time.monotonic()
    handle = os.pidfd_open(child)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.register(call.control, select.POLLIN)
    stopped = False
    while True:
        ready = {number for number, _event in poll.poll(TICK_MILLISECONDS)}
        if handle in ready:
            break
        if call.control.fileno() in ready or time.monotonic() - started > call.seconds:
            stopped = True
            break
    if stopped:
        return {"ended": None}
    _pid, status, usage = os.wait4(child, 0)
    end = os.waitstatus_to_exitcode(status)
    return {"ended": end, "cpu": usage.ru_utime + usage.ru_stime, "peak_kib": usage.ru_maxrss}


def _unread(pipe: int) -> int:
    """Return how many bytes of its standard input nobody has read."""
    count = fcntl.ioctl(pipe, termios.FIONREAD, struct.pack("i", 0))
    return int(struct.unpack("i", count)[0])


def _tell(control: socket.socket, message: dict[str, Any]) -> None:
    try:
        control.send(json.dumps(message).encode())
    except OSError:
        return  # nobody is there any more; the folder and the processes are gone all the same
