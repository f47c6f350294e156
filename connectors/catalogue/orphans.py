"""Remove archives that no row names: what a crash between the put and the commit leaves behind."""

from datetime import timedelta

from django.utils import timezone

from connectors.catalogue.models import PackageVersion
from connectors.packages.storage import get_object_store

PREFIX = "connectors/packages/"
GRACE = timedelta(hours=24)  # far longer than any install takes between its put and its commit


def sweep_orphans() -> int:
    """Delete unnamed archives older than the grace period and return how many there were."""
    store = get_object_store()
    before = timezone.now() - GRACE
    old = [stored.key for stored in store.list_keys(PREFIX) if stored.stored_at < before]
    removed = 0
    for key in old:
        if not PackageVersion.objects.filter(object_key=key).exists():
            store.delete(key)
            removed += 1
    return removed
