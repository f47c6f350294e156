"""Keep credentials fresh: one refresh request per grant, whoever asks, in how many processes ever (safety §34).

    take the lease → ask the service, outside any transaction → write back where the old credential still is

A transient failure never ends a grant; only the service's own clear word does. A holder that dies leaves its lease
behind: found expired, it allows one more, careful try with the old tokens, because nobody knows what came of the first.
"""

import asyncio
import logging
from uuid import UUID

from django.db import DatabaseError

from connectors.audit.database_lanes import in_database
from connectors.authorization.refresh_lease import (
    Lease,
    Renewal,
    Standing,
    note_end,
    note_failure,
    take_lease,
    write_back,
)
from connectors.authorization.refresh_ways import OAuthWay, ProgramWay
from connectors.authorization.token_endpoint import TokenRefused, request_tokens
from connectors.catalogue.program import open_program
from connectors.errors import ConnectorError, OutcomeUnknown
from connectors.runtime.deadline import Deadline
from connectors.runtime.operations import CREDENTIAL_REFRESH
from connectors.runtime.program import invoke_program
from connectors.runtime.program_errors import BudgetExceeded, ProgramRefused
from connectors.vault.secret import Secret

log = logging.getLogger(__name__)
REQUEST_SECONDS = 30.0
PROGRAM_SECONDS = 75.0  # waiting for a slot included; the operation itself has 30 s (§8)
WHOLE_SECONDS = 300.0
LOOK_AGAIN_SECONDS = 0.2
# What a service says when a grant is over (RFC 6749 §5.2), and what some say instead.
ENDINGS = frozenset(
    {
        "invalid_grant",
        "bad_refresh_token",
        "expired_token",
        "interaction_required",
        "login_required",
        "consent_required",
    }
)
_WRITE_PAUSES = (0.1, 0.5, 2.0, 5.0, 10.0, 20.0)

_running: dict[tuple[UUID, int], "asyncio.Task[bool]"] = {}


async def renew_credential(connection_id: UUID, *, seen_version: int, deadline: Deadline) -> bool:
    """Return whether the connection's credential is now another than the one the caller saw.

    False means that there is nothing to refresh it with. Raises `Refused("reauthorization_required")` when the grant is
    over, RefreshFailed when the service could not be asked, BudgetExceeded when that takes longer than the caller can
    wait; the refresh itself goes on then. Callers in one process share one attempt.
    """
    place = (connection_id, seen_version)
    task = _running.get(place)
    if task is None or task.done() or task.get_loop() is not asyncio.get_running_loop():
        task = asyncio.create_task(_renew(connection_id, seen_version))
        _running[place] = task
        task.add_done_callback(lambda done: _forget(place, done))
    done, _ = await asyncio.wait({task}, timeout=deadline.remaining())
    if not done:
        raise BudgetExceeded(phase="refresh")
    return task.result()


async def finish_refreshes(seconds: float) -> None:
    """Wait for this loop's refreshes before the process ends: one that is cut off leaves doubt behind."""
    loop = asyncio.get_running_loop()
    running = [task for task in _running.values() if task.get_loop() is loop]
    if running:
        await asyncio.wait(running, timeout=seconds)


def _forget(place: tuple[UUID, int], done: "asyncio.Task[bool]") -> None:
    if not done.cancelled():
        done.exception()  # whoever waited has it; nobody may be left
    if _running.get(place) is done:
        del _running[place]


async def _renew(connection_id: UUID, seen_version: int) -> bool:
    """Wait for whoever holds the lease, or take it; ends with the credential renewed or a reason why not."""
    deadline = Deadline.after(WHOLE_SECONDS)
    while not deadline.passed:
        standing = await in_database(take_lease, connection_id, seen_version)
        if isinstance(standing, Lease):
            await carry_out(standing)
        elif standing is Standing.HELD:
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
        else:
            return standing is Standing.RENEWED
    raise BudgetExceeded(phase="refresh")


async def carry_out(lease: Lease) -> None:
    """Send the one request of a lease and keep what came of it."""
    try:
        renewal = await _ask(lease)
    except ConnectorError as error:
        failure = failure_of(error)
        log.warning("refresh of %s failed: %s", lease.connection_id, failure)
        if _is_end(error):
            await in_database(note_end, lease, failure)
        else:
            await in_database(_note_failure, lease, failure, isinstance(error, OutcomeUnknown))
    else:
        await _write(lease, renewal)


def _note_failure(lease: Lease, failure: str, may_have_happened: bool) -> None:  # noqa: FBT001 - in_database takes no keywords
    note_failure(lease, failure, may_have_happened=may_have_happened)


async def _write(lease: Lease, renewal: Renewal) -> None:
    """The old tokens may be dead by now, so a database that is away for a moment must not cost the new ones."""
    for pause in _WRITE_PAUSES:
        try:
            await in_database(write_back, lease, renewal)
        except DatabaseError:
            log.warning("refreshed tokens of %s are not written yet", lease.connection_id, exc_info=True)
            await asyncio.sleep(pause)
        else:
            return
    await in_database(write_back, lease, renewal)


def failure_of(error: ConnectorError) -> str:
    """Return the word kept for a failure: the service's own code where it gave one."""
    return error.error if isinstance(error, TokenRefused) else error.code


def _is_end(error: ConnectorError) -> bool:
    if isinstance(error, TokenRefused):
        return error.error in ENDINGS
    return isinstance(error, ProgramRefused) and error.code == "authorization_required"


async def _ask(lease: Lease) -> Renewal:
    if isinstance(lease.way, OAuthWay):
        return await _ask_endpoint(lease.way)
    return await _ask_program(lease.way)


async def _ask_endpoint(way: OAuthWay) -> Renewal:
    form: dict[str, str | Secret] = {"grant_type": "refresh_token", "refresh_token": way.refresh_token}
    answer = await request_tokens(way.grant, way.client_secret, form, deadline=Deadline.after(REQUEST_SECONDS))
    values = {"access_token": answer.access_token}
    if answer.refresh_token is not None:
        values["refresh_token"] = answer.refresh_token
    return Renewal(values, answer.expires_at, answer.refresh_expires_at, answer.scopes)


async def _ask_program(way: ProgramWay) -> Renewal:
    """A program that gave no valid answer may have refreshed all the same: that is doubt, like a broken request."""
    deadline = Deadline.after(PROGRAM_SECONDS)
    program = await in_database(open_program, way.version)
    answer = await invoke_program(program, CREDENTIAL_REFRESH, way.context, deadline=deadline, may_change=True)
    issued = answer.credential
    return Renewal(issued.values, issued.expires_at, issued.refresh_expires_at, answer.granted_scopes)
