"""The paths of a package taken together: its root, duplicates, file or folder, and names that collide."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from connectors.errors import Fault
from connectors.packages.limits import MAX_ENTRIES
from connectors.packages.names import collision_keys, portability_faults, show_name

MANIFEST = "manifest.json"
_HELD = f"/{MANIFEST}"
_OWN_FOLDERS = {"assets", "locales", "provider", "skills"}


@dataclass(frozen=True, slots=True)
class Root:
    """The prefix of the package's own files (empty, or one folder and a slash)."""

    prefix: str
    faults: list[Fault]


@dataclass(slots=True)
class Tree:
    """Grows by one path at a time; `faults` and `broken` (paths a fault names) are complete after `close`."""

    faults: list[Fault] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    _files: set[str] = field(default_factory=set)
    _folders: set[str] = field(default_factory=set)
    _stated_folders: set[str] = field(default_factory=set)
    _by_key: dict[str, str] = field(default_factory=dict)

    def add(self, path: str, *, is_folder: bool) -> None:
        """Take one path, without a trailing slash."""
        own = self._stated_folders if is_folder else self._files
        if path in own:
            self._report(Fault("path_duplicate", show_name(path)), path)
            return
        own.add(path)
        if len(self._folders) > MAX_ENTRIES:  # refused already, and each further one would cost as much again
            return
        for fault in portability_faults(path):
            self._report(fault, path)
            if fault.code == "path_too_long":  # may have thousands of parts
                return
        folder = path if is_folder else path.rpartition("/")[0]
        if folder not in self._folders:
            self._claim_folders(folder, cause=path)
        if not is_folder:
            self._claim(path, cause=path)

    def close(self) -> None:
        """Find what is both file and folder, and whether there are too many entries."""
        for path in sorted(self._files & self._folders):
            self._report(Fault("path_file_and_folder", show_name(path)), path)
        if (count := len(self._files) + len(self._stated_folders)) > MAX_ENTRIES:
            self.faults.append(Fault("too_many_entries", "", {"count": count, "limit": MAX_ENTRIES}))
        if len(self._folders) > MAX_ENTRIES:
            self.faults.append(Fault("too_many_folders", "", {"limit": MAX_ENTRIES}))

    def _claim_folders(self, folder: str, *, cause: str) -> None:
        while folder and folder not in self._folders and len(self._folders) <= MAX_ENTRIES:
            self._folders.add(folder)
            self._claim(folder, cause=cause)
            folder = folder.rpartition("/")[0]

    def _claim(self, path: str, *, cause: str) -> None:
        for key in collision_keys(path):
            other = self._by_key.setdefault(key, path)
            if other != path:
                self._report(Fault("path_collision", show_name(path), {"other": show_name(other)}), cause)
                return

    def _report(self, fault: Fault, path: str) -> None:
        self.faults.append(fault)
        self.broken.add(path)


def find_root(files: Iterable[str], folders: Iterable[str] = ()) -> Root:
    """Find `manifest.json` at the top or inside exactly one top folder (§1)."""
    present = set(files)
    holders = sorted(path.removesuffix(_HELD) for path in present if path.endswith(_HELD) and path.count("/") == 1)
    if MANIFEST in present:
        return Root("", [_second(top) for top in holders if top not in _OWN_FOLDERS])
    tops = sorted({path.partition("/")[0] for path in (*present, *folders)})
    if len(tops) > 1:  # `provider/manifest.json` beside other folders is a data file, not a package
        holders = [top for top in holders if top not in _OWN_FOLDERS]
    if not holders:
        return Root("", [Fault("manifest_missing", MANIFEST)])
    if len(holders) > 1:
        return Root("", [_second(top) for top in holders[1:]])
    return Root(
        f"{holders[0]}/", [Fault("outside_package_folder", show_name(top)) for top in tops if top != holders[0]]
    )


def _second(top: str) -> Fault:
    return Fault("package_folder_second", show_name(top))
