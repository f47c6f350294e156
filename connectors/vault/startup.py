"""Checks that run before anything is served: the ring at every command, the canaries at every start."""

from typing import Any

from django.core import checks

from connectors.vault.canaries import ensure_canaries
from connectors.vault.errors import KeyRingFault
from connectors.vault.explanations import explain
from connectors.vault.key_ring import get_key_ring

__all__ = ["check_key_ring", "ensure_canaries"]


@checks.register(checks.Tags.security)
def check_key_ring(**_kwargs: Any) -> list[checks.CheckMessage]:
    """Refuse every command, except `keys` itself, while there is no usable key ring."""
    try:
        get_key_ring()
    except KeyRingFault as error:
        return [checks.Error(explain(error), id="vault.E001")]
    return []
