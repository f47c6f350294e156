"""Run one contained process: feed it, drain it within bounds, end its whole tree when time or patience is up.

All three pipes are served at once, so neither side can wait for the other; what is beyond a cap is never kept.
"""

import asyncio
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from connectors.runtime.keeper_client import KeeperProcess, get_keeper, running_keeper
from connectors.runtime.pipes import Drain, Feed
from connectors.runtime.program_environment import scrub_environment
from connectors.runtime.program_errors import ProgramUnavailable

# The minder ends the tree within two seconds; this is when we stop believing that it will say so. Generous, because
# until then the slot is held: a machine that is short of time must not run more programs than it may.
CONFIRM_SECONDS = 10.0
MAX_REPORT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Command:
    """What to run: Python with these arguments, in a one-use copy of `folder`."""

    folder: Path
    arguments: tuple[str, ...]
    slot: int
    sandbox: bool = False


@dataclass(frozen=True, slots=True)
class Ending:
    """How it went. `exit_code` is None when we ended it: `timed_out`, `flooded`, or it was lost with its minder.

    `handed_over` says that the program has read from its standard input: from then on it may have acted.
    """

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    timed_out: bool
    flooded: bool
    handed_over: bool
    clean: bool
    seconds: float
    cpu_seconds: float = 0.0
    peak_kib: int = 0


@dataclass(slots=True)
class _Conversation:
    """What the minder has said so far."""

    ended: asyncio.Event = field(default_factory=asyncio.Event)
    report: dict[str, Any] = field(default_factory=dict)
    timed_out: bool = False
    began: float = field(default_factory=time.monotonic)

    def hear(self, control: socket.socket) -> None:
        """Read one message; the last one, or the end of the line, sets `ended`."""
        try:
            message = control.recv(MAX_REPORT)
        except BlockingIOError:
            return
        except OSError:
            message = b""
        if message:
            self.report |= json.loads(message)
        if not message or "clean" in self.report:
            self.ended.set()
            asyncio.get_running_loop().remove_reader(control)


async def run_process(command: Command, request: bytes, *, seconds: float, max_stdout: int, max_stderr: int) -> Ending:
    """Run the command to its end, or end it. Cancelling ends the tree first and raises afterwards."""
    keeper = running_keeper()
    if keeper is None:
        keeper = await asyncio.to_thread(get_keeper)
    with _handed_to(keeper, command, seconds) as (stdin, stdout, stderr, control):
        feed, answer, notes = Feed(stdin, request), Drain(stdout, max_stdout), Drain(stderr, max_stderr, tail=True)
        with feed, answer, notes:
            return await _attend(control, feed, answer, notes, seconds)


@contextmanager
def _handed_to(
    keeper: KeeperProcess, command: Command, seconds: float
) -> Iterator[tuple[int, int, int, socket.socket]]:
    """Open pipes, pass one end of each to the keeper, yield ours; the pipes close themselves."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setblocking(False)
    with ours:
        with theirs, _opened(command.folder) as source:
            (stdin, feed), (drain, stdout), (notes, stderr) = os.pipe(), os.pipe(), os.pipe()
            try:
                keeper.send(_message(keeper, command, seconds), [source, stdin, stdout, stderr, theirs.fileno()])
            except ProgramUnavailable:
                for end in (feed, drain, notes):
                    os.close(end)
                raise
            finally:
                for end in (stdin, stdout, stderr):
                    os.close(end)
        yield feed, drain, notes, ours


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise ProgramUnavailable(reason="program_missing") from error
    try:
        yield handle
    finally:
        os.close(handle)


def _message(keeper: KeeperProcess, command: Command, seconds: float) -> dict[str, object]:
    return {
        "argv": [str(keeper.python), "-B", "-E", "-s", *command.arguments],
        "environment": scrub_environment(),
        "slot": command.slot,
        "seconds": seconds + 1.0,  # its own clock is the second lock: for when our event loop is stuck
        "sandbox": command.sandbox,
    }


async def _attend(control: socket.socket, feed: Feed, answer: Drain, notes: Drain, seconds: float) -> Ending:
    talk = _Conversation()
    loop = asyncio.get_running_loop()
    loop.add_reader(control, talk.hear, control)
    try:
        await _first_of(talk.ended, answer.flooded, seconds)
    except TimeoutError:
        talk.timed_out = True
    finally:
        await _end(control, talk)
        loop.remove_reader(control)
    with suppress(TimeoutError):
        async with asyncio.timeout(1.0):
            await answer.closed.wait()
            await notes.closed.wait()
    return _ending(talk, feed, answer, notes)


async def _first_of(ended: asyncio.Event, flooded: asyncio.Event, seconds: float) -> None:
    waits = [asyncio.ensure_future(event.wait()) for event in (ended, flooded)]
    try:
        done, _pending = await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
    if not done:
        raise TimeoutError


async def _end(control: socket.socket, talk: _Conversation) -> None:
    """Ask for the end if it has not come, and wait for word that nothing is left, even while being cancelled."""
    if talk.ended.is_set():
        return
    with suppress(OSError):
        control.shutdown(socket.SHUT_WR)  # never a byte: one left unread would make the minder's last word an error
    until = time.monotonic() + CONFIRM_SECONDS
    cancelled = False
    while not talk.ended.is_set() and (left := until - time.monotonic()) > 0:
        try:
            async with asyncio.timeout(left):
                await talk.ended.wait()
        except TimeoutError:
            break
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError


def _ending(talk: _Conversation, feed: Feed, answer: Drain, notes: Drain) -> Ending:
    report = talk.report
    if "failed" in report:
        raise ProgramUnavailable(reason="not_started", detail=report["failed"])
    unread = report.get("unread")
    return Ending(
        exit_code=report.get("ended"),
        stdout=answer.content,
        stderr=notes.content,
        timed_out=talk.timed_out,
        flooded=answer.flooded.is_set(),
        handed_over=unread is None or feed.written > unread,
        clean=bool(report.get("clean")),
        seconds=time.monotonic() - talk.began,
        cpu_seconds=report.get("cpu", 0.0),
        peak_kib=report.get("peak_kib", 0),
    )
