"""Files that appear whole or not at all: written beside their place, made durable, then named in one step."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile

UNFINISHED = ".part"
BLOCK = 1024 * 1024


def write_whole(chunks: Iterable[bytes], target: Path, publish: Callable[[Path], object]) -> None:
    """Write the chunks beside `target`; `publish` gets the finished file and gives it its name (rename or link)."""
    with NamedTemporaryFile(dir=target.parent, suffix=UNFINISHED, delete=False) as part:
        try:
            for chunk in chunks:
                part.write(chunk)
            part.flush()
            os.fsync(part.fileno())
            publish(Path(part.name))
        finally:
            Path(part.name).unlink(missing_ok=True)
