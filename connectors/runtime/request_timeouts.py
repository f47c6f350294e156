"""What one request may take of a deadline."""

from typing import Final

from connectors.egress.client import Timeouts
from connectors.runtime.deadline import Deadline

CONNECT_SECONDS: Final = 10.0


def timeouts_for(deadline: Deadline) -> Timeouts:
    """Return the timeouts of a request that takes what is left; connecting has a limit of its own."""
    left = deadline.remaining()
    return Timeouts(total=left, connect=min(CONNECT_SECONDS, left))
