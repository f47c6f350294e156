"""A package's files as a tree: folders first, each with what it holds, told line by line.

A package may nest hundreds of folders and hold ten thousand files; neither may break or bury the page.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from connectors.manifest.hidden_characters import show_hidden
from connectors.packages.inspected import PackageFile

MOST_FILES = 2_000


@dataclass(frozen=True, slots=True)
class Line:
    """`open` and `close` stand around what a folder holds."""

    kind: Literal["open", "close", "file"]
    name: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Tree:
    """`untold` files are in the package and not listed."""

    lines: tuple[Line, ...]
    untold: int


@dataclass(slots=True)
class _Folder:
    folders: dict[str, "_Folder"] = field(default_factory=dict)
    files: list[Line] = field(default_factory=list)


def build_tree(files: Iterable[PackageFile]) -> Tree:
    found = sorted(files, key=lambda each: each.path)
    root = _Folder()
    for file in found[:MOST_FILES]:
        *parents, name = show_hidden(file.path).split("/")
        folder = root
        for parent in parents:
            folder = folder.folders.setdefault(parent, _Folder())
        folder.files.append(Line("file", name, file.size))
    return Tree(tuple(_tell(root)), len(found[MOST_FILES:]))


def _tell(root: _Folder) -> Iterator[Line]:
    """Walk without recursion: a path has up to 256 parts."""
    waiting: list[Line | tuple[str, _Folder]] = [*reversed(root.files), *_folders(root)]
    while waiting:
        step = waiting.pop()
        if isinstance(step, Line):
            yield step
            continue
        name, folder = step
        yield Line("open", name)
        waiting += [Line("close"), *reversed(folder.files), *_folders(folder)]


def _folders(folder: _Folder) -> list[tuple[str, _Folder]]:
    return sorted(folder.folders.items(), key=lambda pair: pair[0], reverse=True)
