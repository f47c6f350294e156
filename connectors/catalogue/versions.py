"""Open an installed package version's manifest. Versions never change, so what was read once is kept."""

from uuid import UUID

from connectors.catalogue.models import PackageVersion
from connectors.manifest.reading import load_manifest
from connectors.manifest.schema import Manifest

_REMEMBERED = 1_000


def manifest_of(version: PackageVersion) -> Manifest:
    """Return the version's manifest, parsed once in a process."""
    known = _known.get(version.pk)
    if known is None:
        known = load_manifest(version.manifest)
        if len(_known) >= _REMEMBERED:
            _known.clear()
        _known[version.pk] = known
    return known


_known: dict[UUID, Manifest] = {}
