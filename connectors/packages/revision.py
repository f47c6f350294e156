"""The revision of a package: one digest over every path and content, whatever ZIP they came in (§2)."""

import hashlib
from collections.abc import Iterable
from operator import attrgetter

from connectors.packages.inspected import PackageFile

_DOMAIN = "poco package revision 1\n"


def compute_revision(files: Iterable[PackageFile]) -> str:
    """Return SHA-256 (hex) over the files sorted by path, each as `length:path` and its content's own SHA-256.

    The length (in characters) and the fixed width of a digest frame each file: no two lists of files look alike.
    """
    frames = [f"{len(file.path)}:{file.path}{file.digest}\n" for file in sorted(files, key=attrgetter("path"))]
    return hashlib.sha256((_DOMAIN + "".join(frames)).encode()).hexdigest()
