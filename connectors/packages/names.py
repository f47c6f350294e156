"""Entry names: decoded without guessing, then held to rules under which every file system tells them apart."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from connectors.errors import Fault
from connectors.packages.limits import MAX_PART_BYTES, MAX_PATH_BYTES

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_DRIVE = re.compile(r"[A-Za-z]:")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³])", re.IGNORECASE)
_IGNORED = {".DS_Store", "__MACOSX"}
_LONGEST_SHOWN = 300


def show_name(name: bytes | str) -> str:
    """Return a name that is safe to show and to log: undecodable bytes and control characters are escaped."""
    text = name if isinstance(name, str) else name.decode("utf-8", "backslashreplace")
    text = _CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", text)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def is_ignored(path: str) -> bool:
    """Say whether the path is macOS's own (§1): dropped before anything is counted."""
    return not _IGNORED.isdisjoint(path.split("/"))


def shape_fault(path: str) -> str | None:
    """Return the code of the first rule of shape the path breaks: one that leaves no single place to put it."""
    parts = path.split("/")
    rules = (
        ("path_empty", not path),
        ("path_control_character", _CONTROL.search(path)),
        ("path_backslash", "\\" in path),
        ("path_absolute", path.startswith("/")),
        ("path_drive", _DRIVE.match(path)),
        ("path_parent", ".." in parts),
        ("path_dot_or_empty_part", "" in parts or "." in parts),
    )
    return next((code for code, broken in rules if broken), None)


def portability_faults(path: str) -> Iterator[Fault]:
    """Yield a fault for each rule of length and of Windows that a well-shaped path breaks."""
    if (size := len(path.encode())) > MAX_PATH_BYTES:
        yield Fault("path_too_long", show_name(path), {"size": size, "limit": MAX_PATH_BYTES})
    for code in dict.fromkeys(filter(None, map(_part_fault, path.split("/")))):
        yield Fault(code, show_name(path), {"limit": MAX_PART_BYTES} if code == "path_part_too_long" else {})


@lru_cache(maxsize=1024)
def _part_fault(part: str) -> str | None:
    if len(part.encode()) > MAX_PART_BYTES:
        return "path_part_too_long"
    if part.endswith((".", " ")):
        return "path_trailing_dot_or_space"
    if _RESERVED.fullmatch(part.partition(".")[0].rstrip(" ")):
        return "path_windows_reserved"
    return None


def collision_keys(path: str) -> tuple[str, ...]:
    """Return what the path becomes on file systems that fold case or normalize; a shared key is a collision."""
    if path.isascii():
        return (path.lower(),)
    nfc = unicodedata.normalize("NFC", path)
    nfkc = unicodedata.normalize("NFKC", path)
    folded = path.casefold()
    both = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())
    return (nfc, nfkc, folded, both)
