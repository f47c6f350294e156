"""The keeper: one small process beside each web or worker process, which starts its programs.

It is single-threaded, so that what happens between fork and exec is safe; it is the sub-reaper of last resort; and it
outlives its parent by just the moment it takes to end every program and to empty its folder. It holds no secret: the
requests go through pipes between the parent and the program. Standard library only, started without site-packages.
"""

import json
import os
import selectors
import shutil
import socket
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from connectors.runtime.keeper import confine
from connectors.runtime.keeper.folder import remove_tree
from connectors.runtime.keeper.minder import Call, Grounds, mind
from connectors.runtime.keeper.tree import end_tree

FDS_PER_CALL = 5
MAX_MESSAGE = 128 * 1024
GRACE_SECONDS = 5.0
# Users nobody has an account for, sixteen to a keeper, so that programs cannot reach one another's folders.
FIRST_USER, USER_BLOCKS, USERS_PER_KEEPER = 61_500, 200, 16


class Keeper:
    """Turns each message into a minder, and each dead minder into an empty place."""

    def __init__(self, parent: socket.socket, grounds: Grounds) -> None:
        self._parent = parent
        self._grounds = grounds
        self._minders: dict[int, tuple[int, Path]] = {}  # handle → process id and folder
        self._calls = 0
        self._selector = selectors.DefaultSelector()
        self._selector.register(parent, selectors.EVENT_READ)

    def serve(self) -> None:
        while self._handle_ready(None):
            pass
        self._selector.unregister(self._parent)
        until = time.monotonic() + GRACE_SECONDS
        while self._minders and time.monotonic() < until:
            self._handle_ready(0.1)
        end_tree()
        remove_tree(self._grounds.base)

    def _handle_ready(self, timeout: float | None) -> bool:
        for key, _events in self._selector.select(timeout):
            if key.fileobj is not self._parent:
                self._bury(key.fd)
            elif not self._receive():
                return False
        return True

    def _receive(self) -> bool:
        message, handles, _flags, _address = socket.recv_fds(
            self._parent, MAX_MESSAGE, FDS_PER_CALL, socket.MSG_CMSG_CLOEXEC
        )
        if not message:
            return False
        source, stdin, stdout, stderr, control = handles
        call = Call(
            **json.loads(message),
            source=source,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            control=socket.socket(fileno=control),
        )
        self._fork(call)
        call.control.close()
        for handle in (source, stdin, stdout, stderr):
            os.close(handle)
        return True

    def _fork(self, call: Call) -> None:
        self._calls += 1
        folder = self._grounds.base / f"call-{self._calls}"
        minder = os.fork()
        if minder == 0:
            code = 1
            try:
                self._parent.close()
                mind(call, self._grounds, folder)
                code = 0
            finally:
                if code:
                    traceback.print_exc()
                os._exit(code)
        handle = os.pidfd_open(minder)
        self._minders[handle] = minder, folder
        self._selector.register(handle, selectors.EVENT_READ)

    def _bury(self, handle: int) -> None:
        """Reap a minder; one that was killed left its program to us."""
        self._selector.unregister(handle)
        minder, folder = self._minders.pop(handle)
        _pid, status = os.waitpid(minder, 0)
        os.close(handle)
        if os.waitstatus_to_exitcode(status) != 0:
            end_tree(spare=frozenset(process for process, _folder in self._minders.values()))
            remove_tree(folder)


def find_grounds(base: Path, python: str, readable: tuple[Path, ...]) -> tuple[Grounds, dict[str, Any]]:
    """Find out what this machine allows, and say why not where it does not."""
    base.mkdir(mode=0o711)
    user, reason = _find_user(python, (*readable, base))
    wrapper, wrapper_reason = _find_wrapper(user, python, (base, *readable))
    return Grounds(base, readable, user, wrapper), {
        "user": user,
        "user_reason": reason,
        "bubblewrap": wrapper is not None,
        "bubblewrap_reason": wrapper_reason,
    }


def _find_wrapper(user: int | None, python: str, readable: tuple[Path, ...]) -> tuple[str | None, str]:
    """Find bubblewrap, and try it the way a call would use it: many systems have it and forbid what it needs."""
    wrapper = shutil.which("bwrap")
    if wrapper is None:
        return None, "not_installed"
    base, *rest = readable
    start = [*confine.bubblewrap(wrapper, base, rest), python, "-B", "-E", "-s", "-S", "-c", ""]
    works = confine.can_run_as(user, start)
    end_tree()  # the first process of its namespace may outlive it by a moment, and is ours then
    return (wrapper, "") if works else (None, "namespaces_forbidden")


def _find_user(python: str, needed: tuple[Path, ...]) -> tuple[int | None, str]:
    if os.geteuid() != 0:
        return None, "not_root"
    user = FIRST_USER + os.getpid() % USER_BLOCKS * USERS_PER_KEEPER
    start = [python, "-B", "-E", "-s", "-c", ""]
    if confine.can_run_as(user, start):
        return user, ""
    try:
        confine.uncover(needed)
    except OSError:
        return None, "interpreter_unreadable"
    return (user, "") if confine.can_run_as(user, start) else (None, "interpreter_unreadable")


def main() -> None:
    """Take our socket's number, the folder to work in, the interpreter, and what programs must be able to read."""
    number, base, python, *readable = sys.argv[1:]
    os.umask(0o022)
    parent = socket.socket(fileno=int(number))
    parent.set_inheritable(False)
    confine.become_subreaper()
    grounds, report = find_grounds(Path(base), python, tuple(Path(path) for path in readable))
    parent.send(json.dumps(report).encode())
    Keeper(parent, grounds).serve()


if __name__ == "__main__":
    main()
