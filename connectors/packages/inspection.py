"""Inspect a package: archive, manifest, texts, icon and Skills, with all their faults in one report."""

from pathlib import Path

from connectors.packages.inspected import Icon, InspectedPackage, PackageFile, Skill
from connectors.packages.limits import MAX_ZIP_BYTES

__all__ = ["Icon", "InspectedPackage", "PackageFile", "Skill", "inspect_folder", "inspect_package"]


def inspect_package(path: Path, *, max_zip_bytes: int = MAX_ZIP_BYTES) -> InspectedPackage:
    """Return the package in the ZIP at `path`, or raise `Invalid` with every fault that could be found.

    Touches no database and leaves nothing behind. A file that cannot be read raises OSError.
    """
    raise NotImplementedError(path, max_zip_bytes)


def inspect_folder(folder: Path) -> InspectedPackage:
    """Return the package whose `manifest.json` lies in `folder`, under the same rules, for its author."""
    raise NotImplementedError(folder)
