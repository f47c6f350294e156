"""How a call went, in time: what its record says it took, and where."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone

from connectors.egress.metering import Meter, current_meter


@dataclass(slots=True)
class Course:
    """Begins when it is made. Its parts are whole microseconds and never more than the whole."""

    started_at: datetime = field(default_factory=timezone.now)
    meter: Meter = field(default_factory=Meter)
    _started: float = field(default_factory=time.monotonic)
    _out: float = 0.0  # seconds between the first request and the last answer, waits and all
    _waited_before: float = 0.0

    @contextmanager
    def metered(self) -> Iterator[None]:
        """Within it, every wait on the way out is this call's."""
        token = current_meter.set(self.meter)
        try:
            yield
        finally:
            current_meter.reset(token)

    @contextmanager
    def sending(self) -> Iterator[None]:
        """From the request to its answer, or to what came instead."""
        self._waited_before, sent = self.meter.waited, time.monotonic()
        try:
            yield
        finally:
            self._out = time.monotonic() - sent

    def told(self) -> dict[str, Any]:
        """Return the record's times, now that the call has ended."""
        meter = self.meter
        waited = meter.waited - self._waited_before
        return {
            "started_at": self.started_at,
            "ended_at": timezone.now(),
            "elapsed_us": int((time.monotonic() - self._started) * 1_000_000),
            "queue_us": int(meter.queue * 1_000_000),
            "refresh_us": int(meter.refresh * 1_000_000),
            "connect_us": int(meter.connect * 1_000_000),
            "upstream_us": max(0, int((self._out - waited) * 1_000_000)),
            "retries": meter.retries,
        }
