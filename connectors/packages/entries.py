"""From placed records to the files to keep: names, kinds and methods, each broken rule a fault of its entry."""

import stat
from typing import NamedTuple

from connectors.errors import Fault
from connectors.packages.names import is_ignored, shape_fault, show_name
from connectors.packages.tree import Tree, find_root
from connectors.packages.zip_directory import CentralEntry
from connectors.packages.zip_extra import extra_names_special_file, unicode_path_disagrees
from connectors.packages.zip_layout import Placed

STORED, DEFLATED = 0, 8
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000  # encrypted, strongly encrypted, masked headers
_UTF8 = 0x0800
_KNOWN_FLAGS = 0x0002 | 0x0004 | 0x0008 | _UTF8  # deflate's two hints, data descriptor, UTF-8
_DOS_FOLDER = 0x10
_EMPTY_DEFLATED = 2  # bytes that deflate needs for nothing


class KeptFile(NamedTuple):
    """A file to inflate: its path inside the package and where its bytes are."""

    path: str
    placed: Placed


class Plan(NamedTuple):
    """What to inflate, every path that was named (faulty ones too), and what is wrong with names and kinds."""

    files: list[KeptFile]
    named: frozenset[str]
    faults: list[Fault]


class _Named(NamedTuple):
    path: str
    is_folder: bool
    placed: Placed
    sound: bool


def plan_files(placed: list[Placed]) -> Plan:
    """Name, judge and root every entry; files that a fault names are not inflated."""
    faults: list[Fault] = []
    named = [entry for place in placed if (entry := _name_entry(place, faults)) is not None]
    root = find_root(entry.path + "/" * entry.is_folder for entry in named)
    faults += root.faults
    tree = Tree(faults)
    inside = [
        entry._replace(path=path)
        for entry in named
        if entry.path.startswith(root.prefix) and (path := entry.path.removeprefix(root.prefix))
    ]
    for entry in inside:
        tree.add(entry.path, is_folder=entry.is_folder)
    tree.close()
    kept = {
        entry.path: KeptFile(entry.path, entry.placed)
        for entry in reversed(inside)
        if entry.sound and not entry.is_folder and entry.path not in tree.broken
    }
    return Plan(
        sorted(kept.values(), key=lambda file: file.placed.data),
        frozenset(entry.path for entry in inside if not entry.is_folder),
        faults,
    )


def _name_entry(placed: Placed, faults: list[Fault]) -> _Named | None:
    """Return the entry under its decoded name; None when it has no usable name or is to be ignored."""
    entry = placed.entry
    try:
        name = entry.name.decode("utf-8" if entry.flags & _UTF8 or not entry.name.isascii() else "ascii")
    except UnicodeDecodeError:
        faults.append(Fault("name_not_utf8", show_name(entry.name)))
        return None
    is_folder = name.endswith("/") and len(name) > 1
    path = name[:-1] if is_folder else name
    if code := shape_fault(path):
        faults.append(Fault(code, show_name(name)))
        return None
    if is_ignored(path):
        return None
    code = _kind_fault(entry, is_folder=is_folder)
    if code:
        faults.append(Fault(code, show_name(name), {"method": entry.method} if code == "entry_method" else {}))
    return _Named(path, is_folder, placed, sound=not code)


def _kind_fault(entry: CentralEntry, *, is_folder: bool) -> str | None:
    if entry.flags & _ENCRYPTED:
        return "entry_encrypted"
    if entry.flags & ~_KNOWN_FLAGS:
        return "entry_flags"
    if entry.method not in (STORED, DEFLATED):
        return "entry_method"
    if entry.extra and unicode_path_disagrees(entry.name, entry.extra):
        return "name_unicode_extra"
    return _file_type_fault(entry, is_folder=is_folder)


def _file_type_fault(entry: CentralEntry, *, is_folder: bool) -> str | None:
    """Read the type as the strictest reader would: Unix mode, DOS attribute and Unix extras, whoever wrote it."""
    kind = stat.S_IFMT(entry.attributes >> 16)
    if kind == stat.S_IFLNK or (entry.extra and extra_names_special_file(entry.extra)):
        return "entry_link"
    expected = stat.S_IFDIR if is_folder else stat.S_IFREG
    if kind not in (0, expected) or (entry.attributes & _DOS_FOLDER and not is_folder):
        return "entry_not_regular"
    if is_folder and (entry.size or entry.packed > _EMPTY_DEFLATED):
        return "folder_with_content"
    return None
