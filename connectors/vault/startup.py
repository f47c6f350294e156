"""Checks that run before anything is served: the ring at every command, the canaries at every start."""

from typing import Any

from django.core import checks
from django.db import connections

from connectors.vault.canaries import ensure_canaries
from connectors.vault.errors import CannotOpen, KeyRingFault
from connectors.vault.explanations import explain
from connectors.vault.key_ring import get_key_ring

__all__ = ["check_key_ring", "ensure_canaries", "exit_without_keys"]


@checks.register(checks.Tags.security)
def check_key_ring(**_kwargs: Any) -> list[checks.CheckMessage]:
    """Refuse every command, except `keys` itself, while there is no usable key ring."""
    try:
        get_key_ring()
    except KeyRingFault as error:
        return [checks.Error(explain(error), id="vault.E001")]
    return []


def exit_without_keys(**_kwargs: Any) -> None:
    """End the process, saying why, unless every key is there and right: what worker and beat do first.

    Celery logs whatever Exception its signals' receivers raise and starts all the same; an exit it does not stop.
    """
    try:
        ensure_canaries()
    except (KeyRingFault, CannotOpen) as error:
        raise SystemExit(explain(error)) from error
    finally:
        connections.close_all()  # a worker forks after this
