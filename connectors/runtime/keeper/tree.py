"""Find and end everything a program started, setsid escapees included.

We are their sub-reaper, so whoever loses its parent becomes our child: nothing leaves the tree. Standard library only.
"""

import contextlib
import os
import signal
import time
from pathlib import Path

END_SECONDS = 1.8
_FREEZE_ROUNDS = 64


def descendants(ancestor: int) -> list[int]:
    """Return the process ids below `ancestor`, each after its parent; zombies count until they are reaped."""
    found: list[int] = []
    waiting = [ancestor]
    while waiting:
        children = _children(waiting.pop())
        found += children
        waiting += children
    return found


def _children(process: int) -> list[int]:
    children: list[int] = []
    with contextlib.suppress(OSError):  # it ended while we looked; its children are ours now and found next time
        for task in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208 - names are enough
            children += [int(child) for child in Path(f"/proc/{process}/task/{task}/children").read_text().split()]
    return children


def end_tree(*, spare: frozenset[int] = frozenset()) -> bool:
    """Kill and reap all our descendants but the spared and theirs; say whether none is left.

    First freeze: a stopped process keeps its place under the process limit, so a fork bomb runs out of places while
    we go round. Then kill what stands still.
    """
    for _round in range(_FREEZE_ROUNDS):
        seen = _below(spare)
        if not seen:
            reap_except(spare)
            return True
        _signal_all(seen, signal.SIGSTOP)
        if set(_below(spare)) <= set(seen):
            break
    until = time.monotonic() + END_SECONDS
    while left := _below(spare):
        _signal_all(left, signal.SIGKILL)
        reap_except(spare)
        if time.monotonic() > until:
            return False
        time.sleep(0.001)
    return True


def reap_except(spare: frozenset[int]) -> None:
    """Reap our children without taking the status of the spared ones from who waits for it."""
    for child in _children(os.getpid()):
        if child not in spare:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)


def _below(spare: frozenset[int]) -> list[int]:
    tops = [child for child in _children(os.getpid()) if child not in spare]
    return tops + [process for top in tops for process in descendants(top)]


def _signal_all(processes: list[int], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)
