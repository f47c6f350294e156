"""Wait for a connector to be free, refusing new runs, sign-ins and refreshes, then change it without anybody there."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from connectors.access.models import User
from connectors.catalogue.models import Connector, PackageVersion
from connectors.lifecycle.models import Drain
from connectors.lifecycle.update import NOTHING


@dataclass(frozen=True, slots=True)
class UpdateChange:
    """The arguments of `update_connector`; the archive is copied, so that the upload may go."""

    archive: Path
    expected_sha256: str
    raw_configuration: Mapping[str, str] = NOTHING
    cleared: Collection[str] = ()
    accepted: Collection[str] = ()
    expected_revision: int | None = None
    expected_reauthorize: int | None = None


@dataclass(frozen=True, slots=True)
class RollbackChange:
    """The arguments of `roll_back`."""

    version: PackageVersion
    raw_configuration: Mapping[str, str] = NOTHING
    cleared: Collection[str] = ()
    accepted: Collection[str] = ()
    expected_revision: int | None = None
    expected_reauthorize: int | None = None


@dataclass(frozen=True, slots=True)
class RemovalChange:
    """The arguments of `remove_connector`."""

    typed_key: str


type DrainedChange = UpdateChange | RollbackChange | RemovalChange


def start_drain(*, connector: Connector, change: DrainedChange, actor: User | None) -> Drain:
    """Return the drain that now waits; from the commit on the connector takes nothing new.

    What can be refused is refused now, with the errors of the act itself but for `Occupied`. The configuration cannot
    be changed while it waits.
    """
    raise NotImplementedError


def cancel_drain(*, connector: Connector, actor: User | None) -> Drain:
    """End the wait without the change; raise `Conflict("drain_not_waiting")` when there is none."""
    raise NotImplementedError
