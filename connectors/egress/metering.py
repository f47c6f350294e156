"""What one call waited for on its way, added up by whoever waits: the log tells it apart from the service's own time.

A context variable, so that it reaches the door out through rooms that need not know of it. Work that other calls share
(a refresh) is done without one.
"""

from contextvars import ContextVar
from typing import Final


class Meter:
    """Seconds, over all requests and processes of one call."""

    __slots__ = ("connect", "queue", "refresh", "retries")

    def __init__(self) -> None:
        self.queue = 0.0  # for a free connection or a program's place
        self.connect = 0.0  # for DNS, TCP and TLS of new connections
        self.refresh = 0.0  # for a new credential
        self.retries = 0  # requests that were sent once more

    @property
    def waited(self) -> float:
        return self.queue + self.connect + self.refresh


current_meter: Final[ContextVar[Meter | None]] = ContextVar("call_meter", default=None)
