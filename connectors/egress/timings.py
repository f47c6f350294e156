"""What a request may take, and what its phases took."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds. `total` is the one deadline through all phases and hops (None: none, for listening); the others bound
    their phase within it.
    """

    total: float | None
    connect: float | None = 10.0  # a free connection, or DNS, TCP and TLS together
    read: float | None = None  # between two pieces of an answer


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds each phase took; None when it did not happen (pooled connection, plain HTTP, address literal)."""

    dns: float | None = None
    connect: float | None = None
    tls: float | None = None
    first_byte: float | None = None
