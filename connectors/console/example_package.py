"""The package an empty console offers: a connector for the example server that `manage.py up` starts beside it."""

import io
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

FILE_NAME = "workbench-1.0.0.zip"
_FOLDER = files("connectors.examples") / "packages" / "workbench"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same bytes each time, so that installing it twice is installing it once


def pack_example() -> bytes:
    """Return the example package as a ZIP."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, file in sorted(_walk(_FOLDER, ""), key=lambda pair: pair[0]):
            archive.writestr(zipfile.ZipInfo(path, _LONG_AGO), file.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}", entry
