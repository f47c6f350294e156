"""One deadline through all the phases of a call."""

import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the monotonic clock; every phase takes what is left, none starts a budget of its own."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        return cls(time.monotonic() + seconds)

    def remaining(self) -> float:
        """Return the seconds left, never below zero."""
        return max(0.0, self.at - time.monotonic())

    def within(self, seconds: float) -> "Deadline":
        """Return the earlier of this deadline and `seconds` from now: a phase with a limit of its own."""
        return Deadline(min(self.at, time.monotonic() + seconds))

    @property
    def passed(self) -> bool:
        return self.remaining() <= 0
