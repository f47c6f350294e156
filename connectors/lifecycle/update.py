"""Update a connector to a higher version of its package (handbook §9)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from connectors.access.models import User
from connectors.catalogue.difference import UpdateDifference
from connectors.catalogue.models import Connector
from connectors.errors import Conflict
from connectors.lifecycle.occupancy import Occupant
from connectors.manifest.difference import Change
from connectors.packages.inspection import InspectedPackage

NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class UpdatePreview:
    """What an update or a roll back would do, before anybody commits it.

    `fields_needed` must be typed, `fields_kept` keep their values, `fields_dropped` lose them. `reauthorize` counts
    people whose accounts would have to be authorized again, as the commit will decide under the same values;
    `reauthorize_certain` is false where only the package's program can tell, or a needed field decides it. `refusal`
    is why the act would be refused whatever is typed.
    """

    connector: Connector
    target_version: str
    difference: UpdateDifference
    fields_kept: tuple[str, ...]
    fields_dropped: tuple[str, ...]
    fields_needed: tuple[str, ...]
    reauthorize: int
    reauthorize_certain: bool
    raised: tuple[Change, ...]
    occupants: tuple[Occupant, ...]
    refusal: Conflict | None
    fingerprint: str


def preview_update(
    *,
    package: InspectedPackage,
    raw_configuration: Mapping[str, str] = NOTHING,
    cleared: Collection[str] = (),
) -> UpdatePreview:
    """Return what the package would change in the connector of its key; raise NotFound when the key is free."""
    raise NotImplementedError


def update_connector(
    *,
    connector: Connector,
    archive: Path,
    expected_sha256: str,
    raw_configuration: Mapping[str, str] = NOTHING,
    cleared: Collection[str] = (),
    accepted: Collection[str] = (),
    expected_revision: int | None = None,
    expected_reauthorize: int | None = None,
    actor: User | None,
) -> Connector:
    """Return the connector on its new version; UUID, order, publication, connections and declared values are kept.

    `raw_configuration` may lack fields: what is not sent keeps its value, or takes its default; a blank secret keeps.
    `accepted` holds the `Change.id` of each raised risk that was ticked. With `expected_revision` a configuration that
    was saved meanwhile is a conflict, with `expected_reauthorize` another number of people to reauthorize is one.

    Raises `Invalid`, `Occupied`, and `Conflict` ("package_changed", "package_key_differs", "same_version",
    "version_not_higher", "version_has_other_content", "risk_not_accepted", "configuration_changed",
    "reauthorization_differs", "connector_changed", "connector_draining", "connector_removing").
    """
    raise NotImplementedError
