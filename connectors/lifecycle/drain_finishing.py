"""Make the changes that waited for a connector to be free. A worker that dies on the way leaves them waiting."""

import json
import logging
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from connectors.access.epoch import bump_catalogue
from connectors.audit.growing_wait import growing_wait
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import PackageVersion
from connectors.errors import Conflict, ConnectorError, Invalid, NotFound
from connectors.lifecycle.drain import COPIES, describe_drain, discard_copy
from connectors.lifecycle.drain_payload import open_typed
from connectors.lifecycle.models import Drain
from connectors.lifecycle.occupancy import Occupied, find_occupants
from connectors.lifecycle.removal import begin_removal
from connectors.lifecycle.rollback import describe_rollback, make_rollback
from connectors.lifecycle.run_ending import end_runs
from connectors.lifecycle.transition import end_drain
from connectors.lifecycle.update import describe_update, make_update
from connectors.lifecycle.version_change import check_change
from connectors.packages import orphans
from connectors.packages.storage import get_object_store

log = logging.getLogger(__name__)
Kind = Drain.Kind
# Longer than putting an archive and asking a program takes; a worker that dies delays the change by as much.
CLAIM: Final = timedelta(minutes=3)
FIRST_WAIT: Final = timedelta(seconds=15)
LONGEST_WAIT: Final = timedelta(minutes=10)
MOST_ATTEMPTS: Final = 8  # about half an hour: nobody can begin anything meanwhile
GRACE: Final = timedelta(hours=1)


def finish_drains() -> int:
    """Make every change whose connector is free by now, and return how many were made."""
    due = Drain.objects.filter(state=Drain.State.WAITING, due_at__lte=timezone.now()).order_by("due_at")
    return sum(_finish(drain) for drain in due.select_related("connector__version", "started_by"))


def sweep_copies() -> int:
    """Remove copies of archives whose drains have ended; return how many there were."""
    return orphans.sweep_orphans(store=get_object_store(), prefix=COPIES, is_named=_is_waiting, grace=GRACE)


def _is_waiting(object_key: str) -> bool:
    return Drain.objects.filter(object_key=object_key, state=Drain.State.WAITING).exists()


def _finish(drain: Drain) -> bool:
    _end_overdue_runs(drain)
    if find_occupants(drain.connector) or not _claim(drain):
        return False
    try:
        _make(drain)
    except Occupied:  # something that had begun before went on
        _give_back(drain, timezone.now())
    except ConnectorError as error:
        log.warning("what waited at %s was not done: %s", drain.connector.key, error.code)
        _note_failure(drain, error)
    else:
        discard_copy(drain)
        return True
    return False


def _end_overdue_runs(drain: Drain) -> None:
    """End the runs that were to be waited for until now; what they were in the middle of is waited for once more."""
    if drain.runs_end_at is None or drain.runs_end_at > timezone.now():
        return
    with suppress(Conflict):  # it was cancelled or made by another worker meanwhile
        end_runs(connector=drain.connector, actor=drain.started_by, by_deadline=True)


def _claim(drain: Drain) -> bool:
    """Move the due time on, so that one worker at a time makes the change."""
    waiting = Drain.objects.filter(pk=drain.pk, state=Drain.State.WAITING, due_at=drain.due_at)
    return waiting.update(due_at=timezone.now() + CLAIM) == 1


def _give_back(drain: Drain, due_at: datetime, **changes: Any) -> None:
    Drain.objects.filter(pk=drain.pk, state=Drain.State.WAITING).update(due_at=due_at, **changes)


def _make(drain: Drain) -> None:
    if drain.kind == Kind.REMOVAL:
        begin_removal(drain.connector, drain.started_by, drain=drain)
    elif drain.kind == Kind.ROLLBACK:
        _roll_back(drain)
    else:
        _update(drain)


def _update(drain: Drain) -> None:
    with TemporaryDirectory(prefix="poco-drain-") as folder:
        archive = Path(folder, "archive.zip")
        get_object_store().fetch(drain.object_key, archive)
        change = describe_update(
            drain.connector, archive, drain.archive_sha256, open_typed(drain), drain.started_by, drain=drain
        )
        check_change(change)
        make_update(change, archive)


def _roll_back(drain: Drain) -> None:
    version = PackageVersion.objects.filter(key=drain.connector.key, version=drain.target_version).first()
    if version is None:
        raise NotFound("version_not_found", key=drain.connector.key, version=drain.target_version)
    change = describe_rollback(drain.connector, version, open_typed(drain), drain.started_by, drain=drain)
    check_change(change)
    make_rollback(change)


def _note_failure(drain: Drain, error: ConnectorError) -> None:
    """What may pass is tried again; anything else, and what does not pass, ends the drain and opens the connector."""
    attempts = drain.attempts + 1
    if error.retryable and attempts < MOST_ATTEMPTS:
        wait = growing_wait(attempts, first=FIRST_WAIT, longest=LONGEST_WAIT)
        _give_back(drain, timezone.now() + wait, attempts=attempts, failure=error.code[:64])
        return
    _fail(drain, error)


@transaction.atomic
def _fail(drain: Drain, error: ConnectorError) -> None:
    try:
        current = lock_connector(drain.connector_id)
        ended = end_drain(current, drain, Drain.State.FAILED, error.code, _parameters(error))
    except ConnectorError:  # it was cancelled, or the connector has gone: nothing is left to tell
        return
    bump_catalogue()
    after = {**describe_drain(ended), "failure": error.code}
    record_connector_event("drain_failed", current, drain.started_by, after=after)
    transaction.on_commit(lambda: discard_copy(ended))


def _parameters(error: ConnectorError) -> dict[str, Any]:
    """Return what a page needs to tell the error: `queries.failure_of` makes it an error again."""
    told = dict(error.parameters)
    if isinstance(error, Invalid):
        told["faults"] = [[fault.code, fault.where, fault.parameters] for fault in error.faults]
    safe: dict[str, Any] = json.loads(json.dumps(told, default=str))
    return safe
