"""A package's files as a tree: folders first, each with what it holds."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from connectors.manifest.hidden_characters import show_hidden
from connectors.packages.inspected import PackageFile


@dataclass(slots=True)
class Folder:
    name: str
    folders: dict[str, "Folder"] = field(default_factory=dict)
    files: list[tuple[str, int]] = field(default_factory=list)  # (name, size)

    @property
    def sorted_folders(self) -> list["Folder"]:
        return [self.folders[name] for name in sorted(self.folders)]


def build_tree(files: Iterable[PackageFile]) -> Folder:
    """Return the package's own folder, without a name."""
    root = Folder("")
    for file in sorted(files, key=lambda each: each.path):
        *parents, name = show_hidden(file.path).split("/")
        folder = root
        for parent in parents:
            folder = folder.folders.setdefault(parent, Folder(parent))
        folder.files.append((name, file.size))
    return root
