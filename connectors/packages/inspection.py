"""Inspect a package: archive, manifest, texts, icon and Skills, with all their faults in one report."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from connectors.errors import Fault, Invalid
from connectors.manifest.cross_references import check_references
from connectors.manifest.file_checks import find_warnings
from connectors.manifest.reading import Reading, read_parts
from connectors.manifest.strict_json import parse_strict
from connectors.packages.archive import read_archive
from connectors.packages.assets import read_icon
from connectors.packages.contents import Contents, is_read
from connectors.packages.folder import read_folder
from connectors.packages.inspected import Icon, InspectedPackage, PackageFile, Skill
from connectors.packages.limits import MAX_FAULTS, MAX_MANIFEST_BYTES, MAX_ZIP_BYTES
from connectors.packages.locales import read_texts
from connectors.packages.revision import compute_revision
from connectors.packages.skills import read_skills
from connectors.packages.tree import MANIFEST

_MORE = "more_faults"
__all__ = ["Icon", "InspectedPackage", "PackageFile", "Skill", "inspect_folder", "inspect_package"]


def inspect_package(path: Path, *, max_zip_bytes: int = MAX_ZIP_BYTES) -> InspectedPackage:
    """Return the package in the ZIP at `path`, or raise `Invalid` with every fault that could be found.

    Touches no database and leaves nothing behind. A file that cannot be read raises OSError.
    """
    with TemporaryDirectory(prefix="poco-inspect-") as scratch:
        folder = Path(scratch)
        try:
            archive = read_archive(path, max_zip_bytes=max_zip_bytes, folder=folder, wanted=is_read)
        except Invalid as refused:
            raise _report(refused.faults) from None
        contents = Contents(folder, {file.path: file for file in archive.files}, archive.named)
        return _inspect(contents, archive.faults, archive_sha256=archive.sha256, archive_size=archive.size)


def inspect_folder(folder: Path) -> InspectedPackage:
    """Return the package whose `manifest.json` lies in `folder`, under the same rules, for its author."""
    contents, faults = read_folder(folder)
    return _inspect(contents, faults, archive_sha256="", archive_size=0)


def _inspect(
    contents: Contents, faults: Iterable[Fault], *, archive_sha256: str, archive_size: int
) -> InspectedPackage:
    data = contents.read(MANIFEST, limit=MAX_MANIFEST_BYTES) if MANIFEST in contents.files else None
    # Without its bytes the manifest has been told already: it is missing, or they were refused.
    reading = Reading(None, None, ()) if data is None else read_parts(data)
    parts = reading.parts
    texts, text_faults = read_texts(contents, parts.locales if parts else None)
    found = [*faults, *reading.faults, *text_faults]
    icon: Icon | None = None
    skills: list[Skill] = []
    if parts:
        icon, icon_faults = read_icon(contents, parts.presentation.icon if parts.presentation else None)
        skills, skill_faults = read_skills(contents, parts.skills or ())
        found += [*check_references(parts, texts=texts, files=contents.named), *icon_faults, *skill_faults]
    if found or data is None or parts is None or reading.manifest is None:
        raise _report(found)
    return InspectedPackage(
        manifest=reading.manifest,
        document=parse_strict(data, max_bytes=MAX_MANIFEST_BYTES),
        texts=texts,
        icon=icon,
        skills=tuple(skills),
        files=tuple(contents.files.values()),
        archive_sha256=archive_sha256,
        archive_size=archive_size,
        manifest_revision=compute_revision(contents.files.values()),
        warnings=tuple(find_warnings(parts, contents.named)),
    )


def _report(faults: Iterable[Fault]) -> Invalid:
    """Keep a report readable: a hostile archive can break one rule ten thousand times."""
    given = list(faults)
    found = [fault for fault in given if fault.code != _MORE]
    untold = sum(fault.parameters["count"] for fault in given if fault.code == _MORE) + len(found[MAX_FAULTS:])
    return Invalid([*found[:MAX_FAULTS], Fault(_MORE, "", {"count": untold})] if untold else found)
