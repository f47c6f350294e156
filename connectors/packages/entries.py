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


class _Names(NamedTuple):
    """Every usable name, as it stands in the archive; `unsound` are files that a fault already names."""

    files: list[KeptFile]
    folders: list[str]
    unsound: set[str]
    faults: list[Fault]


def plan_files(placed: list[Placed]) -> Plan:
    """Name, judge and root every entry; files that a fault names are not inflated."""
    names = _Names([], [], set(), [])
    for place in placed:
        _name_entry(place, names)
    root = find_root([file.path for file in names.files], names.folders)
    tree = Tree([*names.faults, *root.faults], {path.removeprefix(root.prefix) for path in names.unsound})
    files = names.files if not root.prefix else _inside(root.prefix, names.files)
    for file in files:
        tree.add(file.path, is_folder=False)
    for folder in names.folders:
        if path := _path_inside(root.prefix, folder):
            tree.add(path, is_folder=True)
    tree.close()
    sound = [file for file in files if file.path not in tree.broken] if tree.broken else files
    return Plan(sound, frozenset([file.path for file in files]), tree.faults)


def _inside(prefix: str, files: list[KeptFile]) -> list[KeptFile]:
    return [KeptFile(path, file.placed) for file in files if (path := _path_inside(prefix, file.path))]


def _path_inside(prefix: str, path: str) -> str:
    """Return the path without the wrapping folder; empty for the folder itself and for what lies beside it."""
    return path.removeprefix(prefix) if path.startswith(prefix) else ""


def _name_entry(placed: Placed, names: _Names) -> None:
    """Put the entry under its decoded name; one without a usable name is a fault, one to be ignored nothing."""
    entry = placed.entry
    try:
        name = entry.name.decode("ascii" if entry.name.isascii() else "utf-8")
    except UnicodeDecodeError:
        names.faults.append(Fault("name_not_utf8", show_name(entry.name)))
        return
    path, is_folder = name, False
    if not is_plain(name):
        is_folder = name.endswith("/") and len(name) > 1
        path = name[:-1] if is_folder else name
        if code := shape_fault(path):
            names.faults.append(Fault(code, show_name(name)))
            return
        if is_ignored(path):
            return
    code = _kind_code(entry.flags, entry.method, entry.attributes, is_folder)
    if not code and (is_folder or entry.extra):
        code = _content_code(entry, is_folder=is_folder)
    if code:
        names.faults.append(Fault(code, show_name(name), {"method": entry.method} if code == "entry_method" else {}))
        names.unsound.add(path)
    if is_folder:
        names.folders.append(path)
    else:
        names.files.append(KeptFile(path, placed))


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
