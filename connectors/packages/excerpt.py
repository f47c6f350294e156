"""Some files of an archive that was found sound, without inflating the others."""

from collections.abc import Collection
from pathlib import Path
from tempfile import TemporaryDirectory

from connectors.errors import Invalid
from connectors.packages.entries import plan_files
from connectors.packages.extraction import Extraction
from connectors.packages.limits import MAX_INFLATED_BYTES
from connectors.packages.zip_directory import read_directory
from connectors.packages.zip_layout import check_layout
from connectors.packages.zip_source import ZipSource


def read_excerpt(archive: Path, wanted: Collection[str]) -> dict[str, bytes]:
    """Return {path in the package: content} of those that are wanted and there, under the rules of the inspection.

    Held in memory: ask for small files. Raises `Invalid` when the archive is not the sound one it was.
    """
    with archive.open("rb") as file, TemporaryDirectory(prefix="poco-excerpt-") as scratch:
        source = ZipSource(file)
        placed, faults = check_layout(source, read_directory(source))
        plan = plan_files(placed)
        if faults or plan.faults:
            raise Invalid([*faults, *plan.faults])
        chosen = [kept for kept in plan.files if kept.path in wanted]
        extraction = Extraction(source, folder=Path(scratch), wanted=lambda _path: True, limit=MAX_INFLATED_BYTES)
        files, damage = extraction.extract(chosen)
        if damage:
            raise Invalid(damage)
        return {found.path: Path(scratch, found.path).read_bytes() for found in files}
