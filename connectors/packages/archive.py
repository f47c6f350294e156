"""Read a package's ZIP: structure first, then names and kinds, then one pass over the bytes (handbook §1).

`zipfile` accepts overlapping entries and most ambiguous archives, so its word is not taken: the end record, the
central directory and every local header are read here and must agree before anything is inflated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from connectors.errors import Fault, Invalid
from connectors.packages.entries import plan_files
from connectors.packages.extraction import Extraction, digest_file
from connectors.packages.inspected import PackageFile
from connectors.packages.limits import inflated_limit, size_text
from connectors.packages.zip_directory import read_directory
from connectors.packages.zip_layout import check_layout
from connectors.packages.zip_source import ZipSource


@dataclass(frozen=True, slots=True)
class Archive:
    """The kept files, sorted by path. Where `faults` name an entry it is in `named` but not in `files`."""

    files: tuple[PackageFile, ...]
    named: frozenset[str]
    faults: tuple[Fault, ...]
    sha256: str
    size: int


def read_archive(path: Path, *, max_zip_bytes: int, folder: Path, wanted: Callable[[str], bool]) -> Archive:
    """Read the ZIP at `path` and store the files that are `wanted` into the empty `folder`.

    Raises `Invalid` when the container itself is unsound: then nothing was inflated. Faults of single entries are
    returned instead, so that the rest can still be inspected and everything be reported at once.
    """
    with path.open("rb") as file:
        source = ZipSource(file)
        if source.size > max_zip_bytes:
            raise Invalid([Fault("zip_too_large", "", {"limit": size_text(max_zip_bytes)})])
        placed, faults = check_layout(source, read_directory(source))
        plan = plan_files(placed)
        limit = inflated_limit(max_zip_bytes)
        declared = sum(kept.placed.entry.size for kept in plan.files)
        if declared > limit:
            faults.append(Fault("inflated_too_large", "", {"limit": size_text(limit)}))
        if faults:
            raise Invalid([*faults, *(fault for fault in plan.faults if placed)])
        extraction = Extraction(source, folder=folder, wanted=wanted, limit=limit)
        files, damage = extraction.extract(plan.files)
        return Archive(
            tuple(sorted(files, key=attrgetter("path"))),
            plan.named,
            (*plan.faults, *damage),
            digest_file(source),
            source.size,
        )
