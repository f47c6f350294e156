"""The embedded form's own keys: one file a key, readable by their owner only.

`k0001.key`, `k0002.key`, …: the highest name is active. A retired key moves to `retired/`, so that an old backup can
still be opened by putting it back.
"""

import base64
import os
import secrets
import stat
from pathlib import Path

from connectors.vault.errors import KeyRingFault

_SUFFIX = ".key"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def random_material() -> bytes:
    return secrets.token_bytes(32)


def changed_at(folder: str) -> int:
    """Return a number that changes when a key is added or retired; 0 while there is no folder."""
    try:
        return os.stat(folder).st_mtime_ns  # noqa: PTH116 - asked for every digest: a Path costs more than the call
    except FileNotFoundError:
        return 0


def ensure_key(folder: Path) -> None:
    """Make the first key when there is none. Of two processes that race, both end with the same key."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not _key_files(folder):
        _write_key(folder, 1)


def add_key(folder: Path) -> str:
    """Add a key that becomes the active one, and return its name."""
    ensure_key(folder)
    number = max(int(path.stem[1:]) for path in _key_files(folder)) + 1
    while not _write_key(folder, number):
        number += 1
    return _name(number)


def read_keys(folder: Path) -> dict[str, str]:
    """Return every key's text by name; a file that others can read is refused, not repaired."""
    keys = {}
    for path in _key_files(folder):
        try:
            mode, text = path.stat().st_mode, path.read_text(encoding="ascii", errors="replace")
        except OSError as error:
            raise KeyRingFault(reason="unreadable", key=path.stem, path=str(path), error=error.strerror) from None
        if mode & _OTHERS:
            raise KeyRingFault(reason="readable_by_others", key=path.stem, path=str(path))
        keys[path.stem] = text
    return keys


def retire_key(folder: Path, name: str) -> Path:
    """Move a key out of the ring and return where it is kept."""
    kept = folder / "retired"
    kept.mkdir(exist_ok=True, mode=0o700)
    return (folder / f"{name}{_SUFFIX}").rename(kept / f"{name}{_SUFFIX}")


def _key_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob(f"k*{_SUFFIX}") if path.stem[1:].isdecimal())


def _name(number: int) -> str:
    return f"k{number:04}"


def _write_key(folder: Path, number: int) -> bool:
    """Write a key of that number and tell whether it is ours: a file appears whole or not at all."""
    draft = folder / f".draft-{os.getpid()}-{secrets.token_hex(4)}"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(base64.b64encode(random_material()))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, folder / f"{_name(number)}{_SUFFIX}")
    except FileExistsError:
        return False
    finally:
        draft.unlink()
    return True
