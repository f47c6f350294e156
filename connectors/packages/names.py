"""Entry names: decoded without guessing, then held to rules under which every file system tells them apart."""

import re
import unicodedata
from functools import lru_cache

from connectors.errors import Fault
from connectors.packages.limits import MAX_PART_BYTES, MAX_PATH_BYTES

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_DRIVE = re.compile(r"[A-Za-z]:")
_DEVICES = {"con", "prn", "aux", "nul", "com", "lpt"}
_RESERVED = {
    *("con", "prn", "aux", "nul", "conin$", "conout$"),
    *(f"{port}{number}" for port in ("com", "lpt") for number in "123456789¹²³"),
}
_LOST_AT_THE_END = (".", " ")  # Windows drops them
# What nearly every path looks like: no part starts with a dot, nothing but letters, digits and a few marks.
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")
_IGNORED = {".DS_Store", "__MACOSX"}
_LONGEST_SHOWN = 300
_SURELY_SHORT = MAX_PART_BYTES // 4  # a character has four bytes at most


def show_name(name: bytes | str) -> str:
    """Return a name that is safe to show and to log: undecodable bytes and control characters are escaped."""
    text = name if isinstance(name, str) else name.decode("utf-8", "backslashreplace")
    text = _CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", text)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def is_plain(path: str) -> bool:
    """Say whether the path is as ordinary as nearly all are: well shaped, a file's, and not macOS's own."""
    return _PLAIN.fullmatch(path) is not None and "__MACOSX" not in path


def is_ignored(path: str) -> bool:
    """Say whether the path is macOS's own (§1): dropped before anything is counted."""
    return ("__MACOSX" in path or ".DS_Store" in path) and not _IGNORED.isdisjoint(path.split("/"))


def shape_fault(path: str) -> str | None:
    """Return the code of the first rule of shape the path breaks: one that leaves no single place to put it."""
    if is_plain(path):
        return None
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


def portability_faults(path: str) -> list[Fault]:
    """Return a fault for each rule of length and of Windows that a well-shaped path breaks."""
    folder, _, name = path.rpartition("/")
    codes = _folder_codes(folder) + _part_codes(name)
    if not codes and len(path) <= _SURELY_SHORT:
        return []
    faults = [Fault(code, show_name(path), {"limit": MAX_PART_BYTES}) for code in dict.fromkeys(codes)]
    if (size := _byte_length(path)) > MAX_PATH_BYTES:
        faults.append(Fault("path_too_long", show_name(path), {"size": size, "limit": MAX_PATH_BYTES}))
    return faults


@lru_cache(maxsize=1024)
def _folder_codes(folder: str) -> tuple[str, ...]:
    """Most files share their folder with others, so its parts are judged once."""
    return tuple(code for part in folder.split("/") for code in _part_codes(part))


def _part_codes(part: str) -> tuple[str, ...]:
    if part[:3].lower() not in _DEVICES and part[-1:] not in _LOST_AT_THE_END and len(part) <= _SURELY_SHORT:
        return ()
    rules = (
        ("path_part_too_long", _byte_length(part) > MAX_PART_BYTES),
        ("path_trailing_dot_or_space", part.endswith(_LOST_AT_THE_END)),
        ("path_windows_reserved", part.partition(".")[0].rstrip(" ").lower() in _RESERVED),
    )
    return tuple(code for code, broken in rules if broken)


def _byte_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def collision_keys(path: str) -> tuple[str, ...]:
    """Return what the path becomes on file systems that fold case or normalize; a shared key is a collision."""
    if path.isascii():
        return (path.lower(),)
    nfc = unicodedata.normalize("NFC", path)
    nfkc = unicodedata.normalize("NFKC", path)
    folded = path.casefold()
    both = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())
    return (nfc, nfkc, folded, both)
