"""Run one operation of a package's program and return its typed answer (handbook §8).

Every call is a fresh process in a fresh copy of `provider/`, both gone when the answer is there.
"""

import logging
import time
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from connectors.egress.metering import current_meter
from connectors.errors import OutcomeUnknown
from connectors.runtime.containment import sandbox_wanted
from connectors.runtime.deadline import Deadline
from connectors.runtime.operations import Operation
from connectors.runtime.process import Command, Ending, run_process
from connectors.runtime.program_context import Context, secrets_within
from connectors.runtime.program_errors import (
    BudgetExceeded,
    CapabilityMissing,
    ProgramFault,
    ProgramTimedOut,
    ProgramUnavailable,
)
from connectors.runtime.program_words import MARGIN, MAX_NOTE_BYTES, keep_notes
from connectors.runtime.protocol import MAX_ANSWER_BYTES, PackageName, build_request, read_answer
from connectors.runtime.slots import SLOTS
from connectors.vault.secret import Secret

log = logging.getLogger(__name__)
PROVIDER = "provider"


@dataclass(frozen=True, slots=True)
class ProgramSource:
    """A program as it lies on disk: `folder` is the package's root, `entrypoint` a path under its `provider/`.

    `digest` is the package's manifest revision; it names the code in logs.
    """

    folder: Path
    entrypoint: str
    package: PackageName
    capabilities: frozenset[str] = frozenset()
    digest: str = ""


async def invoke_program[ContextT: Context, ResultT](
    program: ProgramSource,
    operation: Operation[ContextT, ResultT],
    context: ContextT,
    *,
    deadline: Deadline,
    may_change: bool = False,
) -> ResultT:
    """Return the program's answer.

    `deadline` is the call's whole budget, waiting for a slot included; the operation's own limit starts with the
    process. With `may_change` (a tool that does not only read) an end without a valid answer is OutcomeUnknown once
    the program has read from its request; before that it is ProgramUnavailable like any other.
    """
    require_capability(program, operation)
    secrets = secrets_within(context)
    request = build_request(operation.name, program.package, context.wire())
    ending = await exchange(program, operation, request, deadline=deadline)
    _log_ending(program, operation, ending, secrets)
    if not ending.handed_over:
        reason = "never_read_its_request" if ending.timed_out else "ended_before_reading"
        raise ProgramUnavailable(reason=reason, exit_code=ending.exit_code)
    try:
        return read_ending(ending, operation, secrets)
    except (ProgramFault, ProgramTimedOut) as fault:
        if may_change:
            raise OutcomeUnknown(reason=fault.code) from fault
        raise


def require_capability(program: ProgramSource, operation: Operation[Any, Any]) -> None:
    """Refuse what the manifest does not declare: such an operation is never run (§8)."""
    if operation.capability is not None and operation.capability not in program.capabilities:
        raise CapabilityMissing(capability=operation.capability)


async def exchange(
    program: ProgramSource, operation: Operation[Any, Any], request: bytes, *, deadline: Deadline
) -> Ending:
    """Wait for a slot, run the process, return how it ended. BudgetExceeded when the time went by waiting."""
    entry = PurePosixPath(program.entrypoint).relative_to(PROVIDER)
    try:
        waiting_since = time.monotonic()
        async with SLOTS.hold(deadline) as slot:
            if (meter := current_meter.get()) is not None:
                meter.queue += time.monotonic() - waiting_since
            command = Command(program.folder / PROVIDER, (str(entry),), slot, sandbox=sandbox_wanted())
            return await run_process(
                command,
                request,
                seconds=_seconds_left(operation, deadline),
                max_stdout=MAX_ANSWER_BYTES,
                max_stderr=MAX_NOTE_BYTES + MARGIN,
            )
    except TimeoutError as error:
        raise BudgetExceeded(phase="slot") from error
    except OSError as error:  # no folder, pipe or process to be had; the request has gone nowhere
        raise ProgramUnavailable(reason="system", detail=error.strerror or "") from error


def _seconds_left(operation: Operation[Any, Any], deadline: Deadline) -> float:
    """Return how long the process may take; TimeoutError when there is nothing left to start it with."""
    if deadline.passed:
        raise TimeoutError
    return min(operation.seconds, deadline.remaining())


def read_ending[ResultT](
    ending: Ending, operation: Operation[Any, ResultT], secrets: tuple[Secret, ...] = ()
) -> ResultT:
    """Return the typed answer of a process that has ended.

    A failure the program reported counts whatever its exit code; a success counts only with exit code 0, because a
    program that broke after printing it has not said what came of it.
    """
    if ending.timed_out:
        raise ProgramTimedOut(seconds=round(ending.seconds, 1))
    if ending.flooded:
        raise ProgramFault("response_too_large", limit=MAX_ANSWER_BYTES)
    try:
        result = read_answer(ending.stdout, operation, secrets=secrets)
    except ProgramFault as fault:
        if ending.exit_code:
            fault.parameters.setdefault("exit_code", ending.exit_code)
        raise
    if ending.exit_code != 0:
        raise ProgramFault(reason="exit_code", exit_code=ending.exit_code)
    return result


def _log_ending(
    program: ProgramSource, operation: Operation[Any, Any], ending: Ending, secrets: tuple[Secret, ...]
) -> None:
    """Keep what the program wrote to standard error where an administrator can find it: redacted, and unable to look
    like a line of ours."""
    name = f"{program.package.key} {program.package.version} {operation.name}"
    if not ending.clean:
        log.error("%s left something that did not end in time", name)
    if ending.stderr and log.isEnabledFor(logging.INFO):
        notes = keep_notes(ending.stderr, secrets)
        shown = "\n    ".join("".join(c if c.isprintable() else "\ufffd" for c in line) for line in notes.splitlines())
        log.info("%s wrote to stderr\n    %s", name, shown)
