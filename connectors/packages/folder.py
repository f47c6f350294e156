"""A package as an author has it: a folder, held to the same rules as the archive it will become."""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from connectors.errors import Fault
from connectors.packages.contents import Contents
from connectors.packages.inspected import PackageFile
from connectors.packages.limits import MAX_INFLATED_BYTES, size_text
from connectors.packages.names import is_ignored, shape_fault, show_name
from connectors.packages.tree import MANIFEST, Tree

# What an author's tools leave behind and no package needs: it would change the revision from one machine to another.
_LEFTOVERS = frozenset({"__pycache__", ".git"})


def list_folder(folder: Path) -> list[tuple[str, Path]]:
    """Return (path in the package, file) of all below the folder, sorted; links are not followed.

    macOS's own files, Python's bytecode and Git's folder are no part of the package.
    """
    return sorted(_walk(folder, ""))


def read_folder(folder: Path) -> tuple[Contents, list[Fault]]:
    """Return what lies in the folder and the faults of names, kinds and sizes."""
    tree = Tree()
    files: dict[str, PackageFile] = {}
    named: set[str] = set()
    left = MAX_INFLATED_BYTES
    for path, place in list_folder(folder):
        code = _fault_of(path, place)
        if code:
            tree.faults.append(Fault(code, show_name(path)))
            continue
        tree.add(path, is_folder=False)
        named.add(path)
        left -= place.stat().st_size
        if left >= 0 and path not in tree.broken:
            files[path] = PackageFile(path, place.stat().st_size, _digest(place))
    tree.close()
    if left < 0:
        tree.faults.append(Fault("inflated_too_large", "", {"limit": size_text(MAX_INFLATED_BYTES)}))
    if MANIFEST not in named:
        tree.faults.append(Fault("manifest_missing", MANIFEST))
    return Contents(folder, files, frozenset(named)), tree.faults


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            path = f"{prefix}{entry.name}"
            if is_ignored(entry.name) or entry.name in _LEFTOVERS:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(Path(entry.path), f"{path}/")
            else:
                yield path, Path(entry.path)


def _fault_of(path: str, place: Path) -> str | None:
    try:
        path.encode()
    except UnicodeEncodeError:
        return "name_not_utf8"
    kind = place.lstat().st_mode
    if stat.S_ISLNK(kind):
        return "entry_link"
    return shape_fault(path) if stat.S_ISREG(kind) else "entry_not_regular"


def _digest(place: Path) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
