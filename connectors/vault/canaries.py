"""One known value a key, sealed when the key is first seen: it proves later that the key is still the same."""

import uuid

from connectors.vault.key_ring import Key, get_key_ring
from connectors.vault.models import KeyCanary
from connectors.vault.sealing import Place, open_sealed, seal
from connectors.vault.secret import Secret

_NAMESPACE = uuid.UUID("2b6b0a57-5d0c-4b57-9a5f-0c3f4b8f8f0e")
_SONG = Secret("canary")


def ensure_canaries() -> None:
    """Prove that the ring holds the very keys values were sealed with; web, worker and beat call this at start.

    Raises VaultKeyMissing for a key that left the ring without being retired, VaultKeyWrong for another key under its
    name, SealedValueDamaged for a canary that rotted, KeyRingFault when there is no ring at all.
    """
    ring = get_key_ring()
    sung = check_canaries()
    for key in ring.keys.values():
        if key.name not in sung:
            _add_canary(key)


def check_canaries() -> set[str]:
    """Prove the same and write nothing: who only reads need not sing. Returns the names of the keys that have one."""
    canaries = list(KeyCanary.objects.order_by("key_id"))
    for canary in canaries:
        check_canary(canary)
    return {canary.key_id for canary in canaries}


def check_canary(canary: KeyCanary) -> None:
    """Raise one of CannotOpen's errors unless the ring's key of that name opens the canary."""
    open_sealed(canary.sealed, place=_place(canary.key_id))


def _add_canary(key: Key) -> None:
    sealed = seal(_SONG, place=_place(key.name), key=key)
    canary, made = KeyCanary.objects.get_or_create(key_id=key.name, defaults={"sealed": sealed})
    if not made:  # another process was first: its key must be ours
        check_canary(canary)


def _place(key_name: str) -> Place:
    return Place(table="vault canary", row=uuid.uuid5(_NAMESPACE, key_name), field="sealed")
