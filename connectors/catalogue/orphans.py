"""Remove archives that no row names: what a crash between the put and the commit leaves behind."""

from datetime import timedelta

from connectors.catalogue.models import PackageVersion
from connectors.packages import orphans
from connectors.packages.storage import get_object_store

PREFIX = "connectors/packages/"
GRACE = timedelta(hours=24)  # far longer than any install takes between its put and its commit


def sweep_orphans() -> int:
    """Delete unnamed archives older than the grace period and return how many there were."""
    return orphans.sweep_orphans(store=get_object_store(), prefix=PREFIX, is_named=_is_named, grace=GRACE)


def _is_named(object_key: str) -> bool:
    return PackageVersion.objects.filter(object_key=object_key).exists()
