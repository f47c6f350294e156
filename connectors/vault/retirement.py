"""Take a key out of use, once nothing is sealed with it."""

from pathlib import Path

from connectors.errors import Conflict, NotFound
from connectors.vault import key_folder
from connectors.vault.examination import count_uses
from connectors.vault.key_ring import get_key_ring, own_folder
from connectors.vault.models import KeyCanary


def retire_key(*, name: str, lost: bool = False) -> Path | None:
    """Forget the key's canary and, in the embedded form, move its file aside and return where it is kept.

    Refuses the active key, a key that still holds values, and any key while damaged values may be its own. `lost` gives
    up the values of a key that is gone for good: their connections ask for authorization again, and the rest starts.
    """
    ring = get_key_ring()
    if name == ring.active.name:
        raise Conflict("vault_key_active", key=name)
    in_ring = name in ring.keys
    if not in_ring and not KeyCanary.objects.filter(key_id=name).exists():
        raise NotFound(key=name)
    held = sum(counter[name] + counter[""] for counter in count_uses().values())
    if held and (in_ring or not lost):
        raise Conflict("vault_key_in_use", key=name, values=held)
    KeyCanary.objects.filter(key_id=name).delete()
    folder = own_folder()
    return key_folder.retire_key(folder, name) if folder and in_ring else None
