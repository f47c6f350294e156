"""The drawings of heroicons' small set (20 × 20), taken out of the package's archive all at once.

The package's own tag opens the archive again for every icon, which takes longer than drawing the page around it.
"""

from functools import cache
from importlib.resources import files
from zipfile import ZipFile

_SET = "mini/"
_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'  # an SVG within a page needs none
_HIDDEN = 'aria-hidden="true"'  # each has it: what stands beside an icon says the same


def draw_icon(name: str, size: int) -> str:
    """Return an icon as an element for a page; an icon that does not exist is a KeyError."""
    return _read_all()[name].replace(_HIDDEN, f'{_HIDDEN} width="{size}" height="{size}"', 1)


@cache
def _read_all() -> dict[str, str]:
    with (files("heroicons") / "heroicons.zip").open("rb") as file, ZipFile(file) as archive:
        return {
            path.removeprefix(_SET).removesuffix(".svg"): archive.read(path).decode().strip().replace(_NAMESPACE, "", 1)
            for path in archive.namelist()
            if path.startswith(_SET) and path.endswith(".svg")
        }
