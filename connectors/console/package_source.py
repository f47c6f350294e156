"""A program's source for the preview: everything that can be read, and by name what cannot."""

from dataclasses import dataclass
from pathlib import Path

from connectors.manifest.hidden_characters import show_hidden
from connectors.packages.excerpt import read_excerpt
from connectors.packages.inspection import InspectedPackage, PackageFile

MAX_SHOWN_BYTES = 256 * 1024
MAX_SHOWN_TOGETHER = 1024 * 1024
MAX_SHOWN = 60
MAX_NAMED = 500
_PROGRAM = "provider/"


@dataclass(frozen=True, slots=True)
class SourceFile:
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class ProgramSource:
    """`unseen` are files of the program that are no text, too large, or too many; `unnamed` are more of them."""

    files: tuple[SourceFile, ...] = ()
    unseen: tuple[PackageFile, ...] = ()
    unnamed: int = 0


def read_source(package: InspectedPackage, archive: Path) -> ProgramSource:
    """Return what lies under `provider/`, the entry point first."""
    program = package.manifest.program
    if program is None:
        return ProgramSource()
    files = [file for file in package.files if file.path.startswith(_PROGRAM)]
    files.sort(key=lambda file: (file.path != program.entrypoint, not file.path.endswith(".py"), file.path))
    contents = read_excerpt(archive, _choose(files))
    shown: list[SourceFile] = []
    unseen: list[PackageFile] = []
    for file in files:
        text = _as_text(contents.get(file.path))
        if text is None:
            unseen.append(file._replace(path=show_hidden(file.path)))
        else:
            shown.append(SourceFile(show_hidden(file.path), show_hidden(text, but="\n\t")))
    return ProgramSource(tuple(shown), tuple(unseen[:MAX_NAMED]), len(unseen[MAX_NAMED:]))


def _choose(files: list[PackageFile]) -> set[str]:
    chosen: set[str] = set()
    left = MAX_SHOWN_TOGETHER
    for file in files:
        if file.size <= min(MAX_SHOWN_BYTES, left) and len(chosen) < MAX_SHOWN:
            chosen.add(file.path)
            left -= file.size
    return chosen


def _as_text(content: bytes | None) -> str | None:
    if content is None or b"\0" in content:
        return None
    try:
        return content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
