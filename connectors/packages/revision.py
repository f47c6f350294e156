"""The revision of a package: one digest over every path and content, whatever ZIP they came in (§2)."""

import hashlib
from collections.abc import Iterable
from operator import attrgetter

from connectors.packages.inspected import PackageFile

_DOMAIN = b"poco package revision 1\n"


def compute_revision(files: Iterable[PackageFile]) -> str:
    """Return SHA-256 (hex) over the files sorted by path.

    Each path is framed by its length and each content stands as its own SHA-256: no two lists of files look alike.
    """
    frames = [_DOMAIN]
    for file in sorted(files, key=attrgetter("path")):
        path = file.path.encode()
        frames += (len(path).to_bytes(4, "big"), path, bytes.fromhex(file.digest))
    return hashlib.sha256(b"".join(frames)).hexdigest()
