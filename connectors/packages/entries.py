"""From placed records to the files to keep: names, kinds and methods, each broken rule a fault of its entry."""

import stat
from functools import lru_cache
from typing import NamedTuple

from connectors.errors import Fault
from connectors.packages.names import is_ignored, is_plain, shape_fault, show_name
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
    """What to inflate, in file order; every path that was named, faulty ones too; what is wrong with them."""

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
    root = find_root([f"{entry.path}/" if entry.is_folder else entry.path for entry in named])
    faults += root.faults
    tree = Tree(faults)
    if root.prefix:
        inside = [
            entry._replace(path=path)
            for entry in named
            if entry.path.startswith(root.prefix) and (path := entry.path.removeprefix(root.prefix))
        ]
    else:
        inside = named
    for entry in inside:
        tree.add(entry.path, is_folder=entry.is_folder)
    tree.close()
    files = [entry for entry in inside if not entry.is_folder]
    return Plan(
        [KeptFile(file.path, file.placed) for file in files if file.sound and file.path not in tree.broken],
        frozenset([file.path for file in files]),
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
    path, is_folder = name, False
    if not is_plain(name):
        is_folder = name.endswith("/") and len(name) > 1
        path = name[:-1] if is_folder else name
        if code := shape_fault(path):
            faults.append(Fault(code, show_name(name)))
            return None
        if is_ignored(path):
            return None
    code = _kind_code(entry.flags, entry.method, entry.attributes, is_folder)
    if not code and (is_folder or entry.extra):
        code = _content_code(entry, is_folder=is_folder)
    if code:
        faults.append(Fault(code, show_name(name), {"method": entry.method} if code == "entry_method" else {}))
    return _Named(path, is_folder, placed, not code)


@lru_cache(maxsize=256)
def _kind_code(flags: int, method: int, attributes: int, is_folder: bool) -> str | None:  # noqa: FBT001 - cached: keywords cost as much as the answer
    """Read the type as the strictest reader would: Unix mode and DOS attribute, whoever wrote them."""
    kind = stat.S_IFMT(attributes >> 16)
    expected = stat.S_IFDIR if is_folder else stat.S_IFREG
    rules = (
        ("entry_encrypted", flags & _ENCRYPTED),
        ("entry_flags", flags & ~_KNOWN_FLAGS),
        ("entry_method", method not in (STORED, DEFLATED)),
        ("entry_link", kind == stat.S_IFLNK),
        ("entry_not_regular", kind not in (0, expected) or (attributes & _DOS_FOLDER and not is_folder)),
    )
    return next((code for code, broken in rules if broken), None)


def _content_code(entry: CentralEntry, *, is_folder: bool) -> str | None:
    if entry.extra and unicode_path_disagrees(entry.name, entry.extra):
        return "name_unicode_extra"
    if entry.extra and extra_names_special_file(entry.extra):
        return "entry_link"
    return "folder_with_content" if is_folder and (entry.size or entry.packed > _EMPTY_DEFLATED) else None
