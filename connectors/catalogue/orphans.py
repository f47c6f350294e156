"""Remove archives and extracted copies that no row names: left by a crash, or by a removal on another machine."""

from datetime import timedelta

from connectors.catalogue.models import PackageVersion
from connectors.packages import orphans
from connectors.packages.cache import sweep_cache
from connectors.packages.storage import get_object_store

PREFIX = "connectors/packages/"
GRACE = timedelta(hours=24)  # far longer than any install takes between its put and its commit


def sweep_orphans() -> int:
    """Delete unnamed archives older than the grace period, and this machine's copies; return how many archives."""
    sweep_copies()
    return orphans.sweep_orphans(store=get_object_store(), prefix=PREFIX, is_named=_is_named, grace=GRACE)


def _is_named(object_key: str) -> bool:
    return PackageVersion.objects.filter(object_key=object_key).exists()


def sweep_copies() -> int:
    """Delete this machine's copies of versions that are gone; the worker does it at times, web when it starts."""
    return sweep_cache(is_named=_is_installed, grace=GRACE)


def _is_installed(key: str, manifest_revision: str) -> bool:
    return PackageVersion.objects.filter(key=key, manifest_revision=manifest_revision).exists()
