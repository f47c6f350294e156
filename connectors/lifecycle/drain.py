"""Wait for a connector to be free, then change it without anybody there; meanwhile it takes no new runs and sign-ins.

Runs that are open go on, with the refreshes they need; a new conversation goes on without this connector and is told
why (`connector_draining`). `drain_finishing` makes the change; `run_ending` ends runs that keep it waiting too long.
"""

from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from connectors.access.epoch import bump_catalogue
from connectors.access.models import User
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.locking import lock_connector, require_open
from connectors.catalogue.models import Connector, PackageVersion
from connectors.errors import Conflict
from connectors.lifecycle.drain_payload import seal_typed
from connectors.lifecycle.models import Drain
from connectors.lifecycle.nudges import nudge_drains
from connectors.lifecycle.removal import check_typed_key
from connectors.lifecycle.rollback import describe_rollback
from connectors.lifecycle.transition import end_drain
from connectors.lifecycle.update import check_stored, describe_update
from connectors.lifecycle.version_change import (
    NOTHING_TYPED,
    Typed,
    VersionChange,
    ask_program,
    check_change,
    check_unchanged,
    see,
)
from connectors.packages.storage import StoreUnavailable, get_object_store

COPIES = "connectors/drains/"


@dataclass(frozen=True, slots=True)
class UpdateChange:
    """The arguments of `update_connector`; the archive is copied, so that the upload may go."""

    archive: Path
    expected_sha256: str
    typed: Typed = NOTHING_TYPED


@dataclass(frozen=True, slots=True)
class RollbackChange:
    """The arguments of `roll_back`."""

    version: PackageVersion
    typed: Typed = NOTHING_TYPED


@dataclass(frozen=True, slots=True)
class RemovalChange:
    """The arguments of `remove_connector`."""

    typed_key: str


type DrainedChange = UpdateChange | RollbackChange | RemovalChange


def start_drain(
    *, connector: Connector, change: DrainedChange, end_runs_after: timedelta | None = None, actor: User | None
) -> Drain:
    """Return the drain that now waits; from the commit on the connector takes nothing new.

    Runs that are still open after `end_runs_after` are ended then; without it they are waited for however long they
    last. What can be refused is refused now, with the errors of the act itself but for `Occupied`. The configuration
    cannot be changed while it waits.
    """
    drain = Drain(started_by=actor, runs_end_at=timezone.now() + end_runs_after if end_runs_after else None)
    if isinstance(change, UpdateChange):
        return _start_update(connector, change, drain)
    if isinstance(change, RollbackChange):
        return _start_rollback(connector, change, drain)
    check_typed_key(connector, change.typed_key)
    drain.kind = Drain.Kind.REMOVAL
    return _open(see(connector), drain)


@transaction.atomic
def cancel_drain(*, connector: Connector, actor: User | None) -> Drain:
    """End the wait without the change; raise `Conflict("drain_not_waiting")` when there is none."""
    current = lock_connector(connector.pk)
    waiting = Drain.objects.filter(connector=current, state=Drain.State.WAITING).first()
    if waiting is None:
        raise Conflict("drain_not_waiting", key=current.key)
    drain = end_drain(current, waiting, Drain.State.CANCELLED)
    bump_catalogue()
    record_connector_event("drain_cancelled", current, actor, before=describe_drain(drain))
    transaction.on_commit(lambda: discard_copy(drain))
    return drain


def describe_drain(drain: Drain) -> dict[str, str]:
    """Return what an event says of a drain."""
    told = {"change": drain.kind, "version": drain.target_version}
    if drain.runs_end_at is not None:
        told["runs_end_at"] = drain.runs_end_at.isoformat()
    return told


def discard_copy(drain: Drain) -> None:
    """Remove the archive's copy; what cannot be removed now is left to `sweep_copies`."""
    if drain.object_key:
        with suppress(StoreUnavailable, OSError):
            get_object_store().delete(drain.object_key)


def _start_update(connector: Connector, change: UpdateChange, drain: Drain) -> Drain:
    described = describe_update(connector, change.archive, change.expected_sha256, change.typed, drain.started_by)
    check_change(described)
    drain.kind = Drain.Kind.UPDATE
    drain.archive_sha256 = change.expected_sha256
    drain.object_key = f"{COPIES}{drain.pk}.zip"
    with ExitStack() as undo:
        undo.callback(discard_copy, drain)
        get_object_store().put_if_absent(drain.object_key, change.archive)
        if described.target.package is not None:  # the version has no object of its own yet
            described.target.version.object_key = drain.object_key
        _open_change(described, drain)
        undo.pop_all()
    return drain


def _start_rollback(connector: Connector, change: RollbackChange, drain: Drain) -> Drain:
    described = describe_rollback(connector, change.version, change.typed, drain.started_by)
    check_change(described)
    check_stored(change.version)
    drain.kind = Drain.Kind.ROLLBACK
    return _open_change(described, drain)


def _open_change(change: VersionChange, drain: Drain) -> Drain:
    """Let the program say no while somebody is there to read it; then wait."""
    ask_program(change)
    drain.connector = change.seen
    drain.target_version = change.target.version.version
    seal_typed(drain, replace(change.typed, expected_revision=change.seen.configuration_revision))
    return _open(change.seen, drain)


@transaction.atomic
def _open(seen: Connector, drain: Drain) -> Drain:
    current = lock_connector(seen.pk)
    require_open(current)
    check_unchanged(current, seen)
    Drain.objects.filter(connector=current).delete()  # the last one, which has ended
    drain.connector = current
    drain.due_at = timezone.now()
    drain.save(force_insert=True)
    current.transition = Connector.Transition.DRAINING
    current.save(update_fields=["transition"])
    bump_catalogue()
    record_connector_event("drain_started", current, drain.started_by, after=describe_drain(drain))
    nudge_drains()
    return drain
