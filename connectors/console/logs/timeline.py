"""What happened in one call, step by step, with times and bars on one scale."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from connectors.audit.models import CallRecord, DecisionRecord
from connectors.console.rendering.moments import tell_absolute
from connectors.gateway.models import Invocation

_SCALE: Final = 1000
_LEAST: Final = 4  # of the scale: a step that took time is seen
_ANSWERED: Final = (CallRecord.Outcome.SUCCEEDED, CallRecord.Outcome.TOOL_ERROR)  # of others there may be no answer


@dataclass(frozen=True, slots=True)
class Step:
    """One step: when it began, how long after the call came in, and how long it took (None for a moment).

    `start` and `width` are thousandths of the whole.
    """

    name: str | Promise
    at: datetime
    after_us: int
    took_us: int | None
    detail: str
    start: int
    width: int

    @property
    def clock(self) -> str:
        """The reader's own time of day, to the millisecond."""
        return timezone.localtime(self.at).strftime("%H:%M:%S.%f")[:-3]

    @property
    def absolute(self) -> str:
        return tell_absolute(self.at)

    @property
    def bar(self) -> SafeString:
        return format_html(
            '<svg class="step" viewBox="0 0 {} 8" preserveAspectRatio="none" aria-hidden="true">'
            '<rect class="step-whole" width="{}" height="8"/>'
            '<rect class="step-part" x="{}" width="{}" height="8"/></svg>',
            *(_SCALE, _SCALE),
            *(min(self.start, _SCALE - _LEAST), max(self.width, _LEAST)),
        )


type _Part = tuple[str | Promise, datetime, datetime, str]


def trace_steps(call: CallRecord, decision: DecisionRecord | None) -> list[Step]:
    """Return the steps in order. A call's clock may start just after its decision's: it was received before both.

    How long each part took is measured; where it began follows from the end, backwards from when the service answered.
    """
    received = min(call.started_at, decision.at) if decision else call.started_at
    parts: list[_Part] = [(_("Received"), received, received, call.remote_address)]
    if decision is not None:
        parts.append((_("Decided"), max(decision.at, received), max(decision.at, received), ""))
    parts += _worked(call)
    ending = _("Answered") if call.outcome in _ANSWERED else _("Ended")
    parts.append((ending, call.ended_at, call.ended_at, call.error_code))
    whole = max((call.ended_at - received) / timedelta(microseconds=1), 1)
    return [_step(part, received, whole) for part in parts]


def _worked(call: CallRecord) -> list[_Part]:
    """The parts that took time, in the order in which they happen."""
    sent = _sent_at(call) or call.ended_at - timedelta(microseconds=call.upstream_us)
    parts: list[_Part] = []
    if call.upstream_us:
        parts.append((_("Sent to the service"), sent, call.ended_at, call.server_address))
    end = max(sent, call.started_at)
    for name, took in (
        (_("Connected"), call.connect_us),
        (_("Renewed the credential"), call.refresh_us),
        (_("Waited for a free place"), call.queue_us),
    ):
        if took:
            begun = end - timedelta(microseconds=took)
            parts.append((name, begun, end, ""))
            end = begun
    return parts[::-1]


def _step(part: _Part, start: datetime, whole: float) -> Step:
    name, begun, ended, detail = part
    took = (ended - begun) // timedelta(microseconds=1)
    offset = (begun - start) / timedelta(microseconds=1)
    return Step(
        name=name,
        at=begun,
        after_us=max(0, round(offset)),
        took_us=took or None,
        detail=detail,
        start=max(0, round(_SCALE * offset / whole)),
        width=round(_SCALE * took / whole),
    )


def _sent_at(call: CallRecord) -> datetime | None:
    if not call.invocation_id:
        return None
    invocations = Invocation.objects.filter(agent=call.agent_id, invocation_id=call.invocation_id)
    return invocations.values_list("sent_at", flat=True).first()
