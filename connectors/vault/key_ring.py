"""The ring of named keys that everything in the vault is sealed with.

Two sources, decided by the settings: `VAULT_KEYS` (`name:base64,…`, the first one active) or, in the embedded form, the
folder `VAULT_KEY_DIR`, which makes its own first key. Any other deployment without a key does not start.
"""

import base64
import binascii
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from connectors.vault import key_folder
from connectors.vault.errors import KeyRingFault, VaultKeyMissing

KEY_BYTES = 32
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
_LEAST_DIFFERENT_BYTES = 8  # 32 random bytes have fewer about once in 10^30 keys; a placeholder has one or two


@dataclass(frozen=True, slots=True)
class Key:
    """A named key; the material itself is only ever an input of `derive`."""

    name: str
    _material: bytes

    def derive(self, purpose: bytes, *, salt: bytes = b"", length: int = KEY_BYTES) -> bytes:
        """Return bytes for one purpose (HKDF-SHA256, RFC 5869)."""
        return HKDF(algorithm=SHA256(), length=length, salt=salt, info=purpose).derive(self._material)

    def same_material(self, other: "Key") -> bool:
        return self.derive(b"same") == other.derive(b"same")

    def __repr__(self) -> str:
        return f"Key({self.name})"


@dataclass(frozen=True, slots=True)
class KeyRing:
    """Keys by name; new values are sealed with `active`."""

    active: Key
    keys: dict[str, Key]

    def get(self, name: str) -> Key:
        """Return the key of that name, or raise VaultKeyMissing."""
        try:
            return self.keys[name]
        except KeyError:
            raise VaultKeyMissing(key=name) from None


def get_key_ring() -> KeyRing:
    """Return the ring; a folder is read again as soon as a key was added to or taken from it."""
    if settings.VAULT_KEYS:
        return _parse_ring(settings.VAULT_KEYS)
    folder = str(settings.VAULT_KEY_DIR or "")
    if not folder:
        _refuse("no_key")
    changed_at = key_folder.changed_at(folder)
    if not changed_at:
        key_folder.ensure_key(Path(folder))
        changed_at = key_folder.changed_at(folder)
    return _read_ring(folder, changed_at)


def find_key(name: str) -> Key:
    """Return the key of that name, looking at the source afresh before saying that it is missing."""
    try:
        return get_key_ring().get(name)
    except VaultKeyMissing:
        _read_ring.cache_clear()  # two changes of a folder within one tick of its clock look like one
        return get_key_ring().get(name)


def own_folder() -> Path | None:
    """Return the folder of a deployment that keeps its own keys, where we may add and retire them."""
    return None if settings.VAULT_KEYS or not settings.VAULT_KEY_DIR else Path(settings.VAULT_KEY_DIR)


def make_key_text() -> str:
    """Return a new key's material as text, for a settings entry or a file."""
    return base64.b64encode(key_folder.random_material()).decode("ascii")


@lru_cache(maxsize=8)
def _parse_ring(text: str) -> KeyRing:
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    return _build_ring([_parse_key(*entry.partition(":")[::2]) for entry in entries])


@lru_cache(maxsize=8)
def _read_ring(folder: str, changed_at: int) -> KeyRing:  # noqa: ARG001 - the time is part of the cache's key
    key_folder.ensure_key(Path(folder))
    newest_first = sorted(key_folder.read_keys(Path(folder)).items(), reverse=True)
    return _build_ring([_parse_key(name, text) for name, text in newest_first])


def _parse_key(name: str, encoded: str) -> Key:
    if not _NAME.fullmatch(name):
        _refuse("bad_name")  # the name is not shown: an entry without one would be all key
    try:
        material = base64.b64decode(encoded.strip(), validate=True)
    except (binascii.Error, ValueError):
        _refuse("not_base64", key=name)
    if len(material) != KEY_BYTES:
        _refuse("wrong_length", key=name, length=len(material))
    if len(set(material)) < _LEAST_DIFFERENT_BYTES:
        _refuse("not_random", key=name)
    return Key(name, material)


def _build_ring(keys: list[Key]) -> KeyRing:
    if not keys:
        _refuse("no_key")
    ring: dict[str, Key] = {}
    for key in keys:
        if key.name in ring:
            _refuse("repeated_name", key=key.name)
        if any(key.same_material(other) for other in ring.values()):
            _refuse("repeated_material", key=key.name)
        ring[key.name] = key
    return KeyRing(active=keys[0], keys=ring)


def _refuse(reason: str, **parameters: str | int) -> NoReturn:
    raise KeyRingFault(reason=reason, **parameters)
