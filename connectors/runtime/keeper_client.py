"""Our end of the keeper: start it, hand it calls, find out what it can do.

One keeper serves one process of ours, whichever thread or event loop asks; it ends by itself when we do. A forked
child gets a keeper of its own, and one that died is replaced.
"""

import atexit
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from connectors.runtime.program_errors import ProgramUnavailable
from connectors.runtime.program_python import base_prefix, program_python, work_folder

START_SECONDS = 15.0
STOP_SECONDS = 8.0
MAX_MESSAGE = 128 * 1024
_SOURCES = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the keeper found on this machine."""

    user: int | None
    user_reason: str
    bubblewrap: bool
    bubblewrap_reason: str


class KeeperProcess:
    """A running keeper."""

    def __init__(self, parent_folder: Path) -> None:
        work = work_folder(parent_folder)
        _sweep(work)
        self.owner = os.getpid()
        self.python = program_python(work)
        self.base = work / f"keeper-{os.getpid()}-{secrets.token_hex(4)}"
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(START_SECONDS)
        with theirs:
            try:
                self._process = self._start(theirs.fileno())
            except OSError:
                self._socket.close()
                raise
        self.abilities = self._hear()

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - our own module, no shell
            self._command(number),
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd="/",
            env={"PATH": os.environ.get("PATH", os.defpath)},
            start_new_session=True,  # Ctrl-C is for us; it ends when our socket closes
        )

    def _command(self, number: int) -> list[str]:
        path = f"import sys; sys.path.insert(0, {str(_SOURCES)!r})"
        code = f"{path}; from connectors.runtime.keeper.main import main; main()"
        readable = (self.python.parents[1], base_prefix())
        return [
            *(sys.executable, "-S", "-E", "-s", "-B", "-c", code),
            *(str(number), str(self.base), str(self.python)),
            *(str(path) for path in readable),
        ]

    def _hear(self) -> Abilities:
        try:
            return Abilities(**json.loads(self._socket.recv(MAX_MESSAGE)))
        except (OSError, ValueError) as error:
            self.stop()
            raise ProgramUnavailable(reason="keeper_did_not_start") from error

    @property
    def alive(self) -> bool:
        return self.owner == os.getpid() and self._process.poll() is None

    def send(self, message: dict[str, object], handles: Sequence[int]) -> None:
        """Hand over one call; the handles stay ours to close."""
        try:
            socket.send_fds(self._socket, [json.dumps(message).encode()], handles)
        except OSError as error:
            raise ProgramUnavailable(reason="keeper_gone") from error

    def stop(self) -> None:
        """Let it end its programs, and wait for it."""
        self._socket.close()
        if self.owner != os.getpid():
            return
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with suppress(OSError):  # gone already, as it should be; or it was killed, and a call is still ending in there
            self.base.rmdir()


def _sweep(work: Path) -> None:
    """Remove the folders of keepers that were killed, or lost with the machine, before they could do it."""
    for folder in work.glob("keeper-*"):
        owner = folder.name.split("-")[1]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(folder, ignore_errors=True)


_lock = threading.Lock()
_keeper: KeeperProcess | None = None
_parent_folder: Path | None = None


def configure_keeper(*, parent_folder: Path) -> None:
    """Say where one-use folders go; on the file system of the package cache copies can share their blocks."""
    global _parent_folder  # noqa: PLW0603 - one keeper a process is the point
    _parent_folder = parent_folder


def get_keeper() -> KeeperProcess:
    """Return the keeper of this process, started if need be (blocks for some ten milliseconds the first time)."""
    global _keeper  # noqa: PLW0603 - one keeper a process is the point
    with _lock:
        if _keeper is None or not _keeper.alive:
            if _keeper is not None:
                _keeper.stop()
            _keeper = _start_keeper()
        return _keeper


def _start_keeper() -> KeeperProcess:
    """Start one; ProgramUnavailable when the system does not let us: no room, no such folder, no process."""
    try:
        return KeeperProcess(_parent_folder or Path(tempfile.gettempdir()))
    except OSError as error:
        raise ProgramUnavailable(reason="keeper_did_not_start", detail=error.strerror or "") from error


def running_keeper() -> KeeperProcess | None:
    """Return the keeper if it is there already."""
    keeper = _keeper
    return keeper if keeper is not None and keeper.alive else None


@atexit.register
def stop_keeper() -> None:
    """End the keeper and all it runs; the next call starts another."""
    global _keeper  # noqa: PLW0603 - one keeper a process is the point
    with _lock:
        if _keeper is not None:
            _keeper.stop()
            _keeper = None
