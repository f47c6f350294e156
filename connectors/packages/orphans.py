"""Objects that no row names: left by a crash between the put and the commit, removed after a grace period."""

from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone

from connectors.packages.stored import ObjectStore


def sweep_orphans(*, store: ObjectStore, prefix: str, is_named: Callable[[str], bool], grace: timedelta) -> int:
    """Remove the objects below `prefix` older than `grace` that no row names; return how many there were."""
    before = timezone.now() - grace
    orphans = [found.key for found in store.list_keys(prefix) if found.stored_at < before and not is_named(found.key)]
    for key in orphans:
        store.delete(key)
    return len(orphans)
