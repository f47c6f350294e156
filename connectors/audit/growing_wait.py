"""How long periodic work waits before it tries again what failed."""

from datetime import timedelta
from typing import Final

_ALL_DOUBLINGS: Final = 30  # more than any wait takes to be its longest, few enough not to overflow


def growing_wait(failures: int, *, first: timedelta, longest: timedelta) -> timedelta:
    """Return the wait after so many failures in a row: `first`, then twice as long each time, `longest` at most."""
    wait: timedelta = min(first * 2 ** min(max(failures - 1, 0), _ALL_DOUBLINGS), longest)
    return wait
