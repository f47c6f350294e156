"""Roll a connector back to a package version that is installed already (contract.md; never an update, handbook §9)."""

from collections.abc import Collection, Mapping

from connectors.access.models import User
from connectors.catalogue.models import Connector, PackageVersion
from connectors.lifecycle.update import NOTHING, UpdatePreview


def preview_rollback(
    *,
    connector: Connector,
    version: PackageVersion,
    raw_configuration: Mapping[str, str] = NOTHING,
    cleared: Collection[str] = (),
) -> UpdatePreview:
    """Return what pointing the connector at this installed version would do."""
    raise NotImplementedError


def roll_back(
    *,
    connector: Connector,
    version: PackageVersion,
    raw_configuration: Mapping[str, str] = NOTHING,
    cleared: Collection[str] = (),
    accepted: Collection[str] = (),
    expected_revision: int | None = None,
    expected_reauthorize: int | None = None,
    actor: User | None,
) -> Connector:
    """Return the connector on another of its installed versions, under the checks of an update.

    Raises what `update_connector` raises but for the archive's own conflicts, `Conflict("same_version")`, `NotFound`
    for a version of another key, and `PackageDamaged` when the stored archive is not what was installed.
    """
    raise NotImplementedError
