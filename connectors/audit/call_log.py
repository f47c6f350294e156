"""The call log: one write a call, and the answer leaves after the commit.

Written from the event loop; grouped by `Grouping`. When something was last used is kept in the same transaction, at
most once a minute a row: those rooms sit above this one, so their tables are named, not imported.
"""

import asyncio
import logging
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from connectors.audit.bulk_rows import update_rows
from connectors.audit.database_lanes import WRITES
from connectors.audit.grouping import Grouping
from connectors.audit.inserting import insert_rows
from connectors.audit.late_calls import insert_calls
from connectors.audit.models import CallRecord, CapturedContent, DecisionRecord, Subject

log = logging.getLogger(__name__)
USE_SECONDS = 60.0
MAX_REMEMBERED_USES = 100_000

type Used = tuple[str, Any]  # table and key, as in ("Connector", uuid)


@dataclass(frozen=True, slots=True)
class Entry:
    """What one call leaves behind. `also` runs inside the transaction: a state that must not part from the log."""

    decision: DecisionRecord | None = None
    call: CallRecord | None = None
    used: tuple[Used, ...] = ()
    also: Callable[[], None] | None = None
    content: CapturedContent | None = None


_SUBJECT = tuple(field.attname for field in Subject._meta.fields if not field.primary_key)  # noqa: SLF001 - public in all but name
_last_use: dict[Used, float] = {}
_logs: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Grouping[Entry, None]]" = weakref.WeakKeyDictionary()


async def record_call(
    decision: DecisionRecord | None,
    call: CallRecord | None = None,
    *,
    used: Iterable[Used] = (),
    also: Callable[[], None] | None = None,
    content: CapturedContent | None = None,
) -> None:
    """Write a decision, the call it allowed (with its content where that is kept), or both; return once committed.

    Raises DatabaseError when they could not be: then nothing of the call may be answered.
    """
    await _log_of_this_loop().submit(Entry(decision, call, tuple(used), also, content))


def is_use_due(used: Used) -> bool:
    """Return whether a use is worth a write of its own; about once a minute."""
    return time.monotonic() - _last_use.get(used, -USE_SECONDS) >= USE_SECONDS


def subject_of(record: DecisionRecord) -> dict[str, Any]:
    """Return who asked for what, as a call's record copies it from its decision's."""
    return {name: getattr(record, name) for name in _SUBJECT}


async def drain_call_log() -> None:
    """Return when everything recorded so far is committed."""
    await _log_of_this_loop().drain()


def _log_of_this_loop() -> "Grouping[Entry, None]":
    loop = asyncio.get_running_loop()
    if loop not in _logs:
        _logs[loop] = Grouping(write_entries, lane=WRITES)
    return _logs[loop]


def write_entries(entries: Sequence[Entry]) -> list[Exception | None]:
    """Write a group in one transaction; if that fails, each alone, so that one cannot take the others with it."""
    try:
        _write(entries)
    except DatabaseError as error:
        if len(entries) == 1:
            return [_try_again(entries[0], error)]
        return [_try_again(entry, error) for entry in entries]
    return [None] * len(entries)


def _try_again(entry: Entry, error: DatabaseError) -> Exception | None:
    if not connection.in_atomic_block:
        connection.close()  # a connection the database dropped is not worth keeping
    try:
        _write([entry])
    except IntegrityError as refused:
        if entry.also is None:
            log.exception("a call could not be logged (first: %s)", error)
        else:  # its state is there already, which whoever submitted it looks at; what it cannot explain it raises
            log.info("a call was not logged, because what goes with it is there already")
        return refused
    except DatabaseError:
        log.exception("a call could not be logged (first: %s)", error)
        return error
    return None


def _write(entries: Sequence[Entry]) -> None:
    due = {used for entry in entries for used in entry.used if is_use_due(used)}
    with transaction.atomic():
        insert_rows([entry.decision for entry in entries if entry.decision is not None])
        insert_calls([entry.call for entry in entries if entry.call is not None])
        insert_rows([entry.content for entry in entries if entry.content is not None])
        for entry in entries:
            if entry.also is not None:
                entry.also()
        _keep_uses(due)
    if len(_last_use) > MAX_REMEMBERED_USES:
        _last_use.clear()
    _last_use.update(dict.fromkeys(due, time.monotonic()))


def _keep_uses(due: set[Used]) -> None:
    now = timezone.now()
    for table in sorted({table for table, _ in due}):
        model = apps.get_model("connectors", table)
        keys = sorted(
            (key for named, key in due if named == table), key=str
        )  # one order, so that none waits in a circle
        update_rows(model, ("id", "last_used_at"), rows=[(key, now) for key in keys])
