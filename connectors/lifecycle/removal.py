"""Remove a connector: out of use at once, then gone step by step (handbook §11)."""

from dataclasses import dataclass

from connectors.access.models import User
from connectors.catalogue.models import Connector
from connectors.lifecycle.models import RemovalJob
from connectors.lifecycle.occupancy import Occupant


@dataclass(frozen=True, slots=True)
class RemovalPreview:
    """What a removal touches: accounts, the people and agents that have them, open runs, package versions."""

    connector: Connector
    connections: int
    people: int
    agents: int
    runs: int
    versions: int
    occupants: tuple[Occupant, ...]


def preview_removal(*, connector: Connector) -> RemovalPreview:
    """Return what removing the connector would touch."""
    raise NotImplementedError


def remove_connector(*, connector: Connector, typed_key: str, actor: User | None) -> RemovalJob:
    """Take the connector out of use at once and return the job that removes what is left of it.

    From the commit on nothing is called, signed in or refreshed through it. Raises `Invalid` (fault
    "key_does_not_match" at "typed_key"), `Occupied`, `Conflict("connector_draining" | "connector_removing")`.
    """
    raise NotImplementedError
