"""How far one request got: the stage it is in, and whether it may have reached the other side.

The dialler marks the attempt of the request in whose context it runs. aiohttp's own tracing would tell the same, at a
third of the cost of a whole call, and would not tell TCP from TLS.
"""

import time
from contextvars import ContextVar
from datetime import datetime
from typing import Literal

from connectors.egress.errors import AddressRefused
from connectors.egress.metering import Meter
from connectors.egress.policy import EgressPolicy
from connectors.egress.timings import Timings

type Stage = Literal["address", "dns", "tcp", "tls", "http"]


class Attempt:
    """One request to one host, from the wait for a connection to the first byte of the answer."""

    __slots__ = (
        "_answered",
        "_dialled",
        "_established",
        "_handed_over",
        "_named",
        "_ready",
        "_started",
        "certificate_expires_at",
        "handed_over",
        "host",
        "is_literal",
        "is_secure",
        "policy",
        "refusal",
        "remote_address",
        "stage",
    )

    def __init__(self, host: str, policy: EgressPolicy, *, is_literal: bool, is_secure: bool) -> None:
        self.host = host
        self.policy = policy
        self.is_literal = is_literal
        self.is_secure = is_secure
        self.stage: Stage = "http"  # the wait for a free connection
        self.handed_over = False
        self.refusal: AddressRefused | None = None
        self.remote_address = ""
        self.certificate_expires_at: datetime | None = None  # of a connection dialled for this request
        self._started = time.monotonic()
        self._dialled = self._named = self._established = self._ready = self._handed_over = self._answered = 0.0

    def mark_dialling(self) -> None:
        self.stage = "dns"
        self._dialled = time.monotonic()

    def mark_named(self) -> None:
        """The first address is about to be connected to; further ones belong to the same phase."""
        if self.stage == "dns":
            self.stage = "tcp"
            self._named = time.monotonic()

    def mark_established(self) -> None:
        self._established = time.monotonic()
        self.stage = "tls" if self.is_secure else "tcp"

    def mark_ready(self) -> None:
        self._ready = time.monotonic()

    def mark_handed_over(self, remote_address: str) -> None:
        self.stage = "http"
        self.handed_over = True
        self.remote_address = remote_address
        self._handed_over = time.monotonic()

    def mark_answered(self) -> None:
        self._answered = time.monotonic()

    def add_to(self, meter: Meter) -> None:
        """Add what this request waited for before it was on its way; up to now where it still waits."""
        if not self._dialled:
            meter.queue += (self._handed_over or time.monotonic()) - self._started
            return
        meter.queue += self._dialled - self._started
        meter.connect += (self._ready or time.monotonic()) - self._dialled

    @property
    def timings(self) -> Timings:
        if not self._dialled:
            return Timings(first_byte=self._answered - self._started)
        return Timings(
            dns=None if self.is_literal else self._named - self._dialled,
            connect=self._established - self._named,
            tls=self._ready - self._established if self.is_secure else None,
            first_byte=self._answered - self._ready,
        )


current_attempt: ContextVar[Attempt] = ContextVar("egress_attempt")
