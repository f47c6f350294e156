"""The revision of a package: one digest over every path and content, whatever ZIP they came in (§2)."""

import hashlib
from collections.abc import Iterable

from connectors.packages.inspected import PackageFile

_DOMAIN = b"poco package revision 1\n"


def compute_revision(files: Iterable[PackageFile]) -> str:
    """Return SHA-256 (hex) over the files sorted by path.

    Each path is framed by its length and each content stands as its own SHA-256: no two lists of files look alike.
    """
    digest = hashlib.sha256(_DOMAIN)
    for file in sorted(files, key=lambda file: file.path.encode()):
        path = file.path.encode()
        digest.update(len(path).to_bytes(4, "big") + path + bytes.fromhex(file.digest))
    return digest.hexdigest()
