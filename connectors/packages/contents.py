"""The kept files of a package, wherever they came from: what the readers of texts, icons and Skills look into."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from connectors.packages.inspected import PackageFile


@dataclass(frozen=True, slots=True)
class Contents:
    """`files` are sound and by path; `named` also holds paths whose bytes were refused, so that they are not missed."""

    folder: Path
    files: Mapping[str, PackageFile]
    named: frozenset[str]

    def read(self, path: str, *, limit: int) -> bytes:
        """Return the file's bytes, at most `limit` and one: whoever reads refuses what is longer."""
        with (self.folder / path).open("rb") as file:
            return file.read(limit + 1)

    def below(self, folder: str) -> list[PackageFile]:
        """Return the files in a folder of the package, their paths relative to it."""
        start = f"{folder}/"
        return [
            PackageFile(path.removeprefix(start), file.size, file.digest)
            for path, file in self.files.items()
            if path.startswith(start)
        ]


def is_read(path: str) -> bool:
    """Say whether an inspection looks into the file itself; all others are counted and hashed only."""
    return path == "manifest.json" or path.startswith(("locales/", "assets/")) or path.endswith("/SKILL.md")
