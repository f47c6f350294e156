"""A credential that is good when it is used: renewed when its time is up, and once more when the service refuses it."""

import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from connectors.audit.database_lanes import in_database
from connectors.authorization.accounts import end_authorization
from connectors.authorization.refresh import renew_credential
from connectors.authorization.refresh_lease import RefreshFailed
from connectors.egress.metering import current_meter
from connectors.errors import Refused, UpstreamFault
from connectors.gateway.binding import Binding
from connectors.gateway.outcomes import ERROR_KEY
from connectors.runtime.deadline import Deadline
from connectors.runtime.program_errors import BudgetExceeded
from connectors.runtime.upstream import UpstreamResult

AHEAD = timedelta(seconds=30)  # a call that starts now must not outlive its credential on the way
REFUSED = "authorization_required"

type Reopen = Callable[[UUID], Awaitable[Binding]]


async def renew_if_expired(binding: Binding, reopen: Reopen, *, deadline: Deadline) -> Binding:
    """Return a binding whose credential has not run out, refreshed within the call's budget where it can be.

    Raises what `renew_credential` raises once the credential cannot be used any more; nothing was sent then.
    """
    ends_in = binding.expires_at - timezone.now() if binding.expires_at else AHEAD
    if ends_in >= AHEAD:
        return binding
    try:
        renewed = await _renew(binding, deadline)
    except (RefreshFailed, BudgetExceeded):
        if ends_in <= timedelta(0):
            raise
        return binding
    return await reopen(binding.connection_id) if renewed else binding


async def renew_after_refusal(binding: Binding, reopen: Reopen, *, deadline: Deadline) -> Binding | None:
    """Return a binding with another credential than the refused one; none when its owner has to authorize it again.

    Raises RefreshFailed or BudgetExceeded when that cannot be told now.
    """
    try:
        renewed = await _renew(binding, deadline)
    except Refused:
        return None
    if renewed:
        return await reopen(binding.connection_id)
    await end_refused(binding)
    return None


async def end_refused(binding: Binding) -> None:
    """Mark the connection: its service no longer takes this credential, and there is no other to be had."""
    await in_database(_end, binding.connection_id, binding.credential_version)


def _end(connection_id: UUID, credential_version: int) -> None:
    end_authorization(connection_id=connection_id, credential_version=credential_version)


async def _renew(binding: Binding, deadline: Deadline) -> bool:
    """Renew outside the call's meter, for others may share it; the wait as a whole is the call's."""
    meter, started = current_meter.get(), time.monotonic()
    token = current_meter.set(None)
    try:
        return await renew_credential(binding.connection_id, seen_version=binding.credential_version, deadline=deadline)
    finally:
        current_meter.reset(token)
        if meter is not None:
            meter.refresh += time.monotonic() - started


async def send_renewing(
    binding: Binding,
    send: Callable[[Binding], Awaitable[UpstreamResult]],
    reopen: Reopen,
    *,
    may_repeat: bool,
    deadline: Deadline,
) -> UpstreamResult:
    """Send a call; when the credential is refused, renew it and send the call once more.

    A 401 is a refusal before acting, so it is repeated whatever the call does. A program that asks for authorization
    may have acted before: only with `may_repeat` is it run again; otherwise its answer stands, with a fresh credential
    for the next call.
    """
    first = await _send(binding, send)
    if not _is_refused(binding, first):
        return _result(first)
    renewed = await renew_after_refusal(binding, reopen, deadline=deadline)
    if renewed is None or not (may_repeat or isinstance(first, UpstreamFault)):
        return _result(first)
    if (meter := current_meter.get()) is not None:
        meter.retries += 1
    second = await _send(renewed, send)
    if _is_refused(renewed, second):
        await end_refused(renewed)
    return _result(second)


async def _send(
    binding: Binding, send: Callable[[Binding], Awaitable[UpstreamResult]]
) -> UpstreamResult | UpstreamFault:
    try:
        return await send(binding)
    except UpstreamFault as fault:
        return fault


def _result(answer: UpstreamResult | UpstreamFault) -> UpstreamResult:
    if isinstance(answer, UpstreamFault):
        raise answer
    return answer


def _is_refused(binding: Binding, answer: UpstreamResult | UpstreamFault) -> bool:
    """Only our own mark counts, and only a program's result carries it: a server could write anything there."""
    if isinstance(answer, UpstreamFault):
        return answer.code == REFUSED
    mark = answer.raw.get("_meta", {}).get(ERROR_KEY, {}) if binding.program is not None else {}
    return bool(mark.get("code") == REFUSED)
