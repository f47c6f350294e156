"""Write a package version: its archive first, then its rows (contract.md, "Versions and storage")."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from django.db import Error as DatabaseFault
from django.db import IntegrityError

from connectors.access.models import User
from connectors.catalogue.models import PackageIcon, PackageVersion
from connectors.packages.inspection import InspectedPackage
from connectors.packages.storage import ObjectExists, ObjectStore, StoreUnavailable, get_object_store


def describe_version(package: InspectedPackage, actor: User | None) -> PackageVersion:
    """Return the row of a package that is about to be installed, not saved; it names its object already."""
    manifest = package.manifest
    version = PackageVersion(
        key=manifest.key,
        version=manifest.package_version,
        manifest_revision=package.manifest_revision,
        archive_sha256=package.archive_sha256,
        archive_size=package.archive_size,
        manifest=package.document,
        texts={locale: dict(texts) for locale, texts in package.texts.items()},
        skills=[_describe_skill(skill) for skill in package.skills],
        installed_by=actor,
    )
    folder = f"connectors/packages/{version.key}/{version.version}"
    version.object_key = f"{folder}/{version.manifest_revision}-{version.pk}.zip"
    return version


def save_version(version: PackageVersion, package: InspectedPackage) -> None:
    """Insert the version and its icon, in the caller's transaction."""
    version.save(force_insert=True)
    if package.icon is not None:
        PackageIcon.objects.create(
            version=version,
            digest=package.icon.digest,
            media_type=package.icon.media_type,
            content=package.icon.content,
        )


@contextmanager
def stored_archive(version: PackageVersion, archive: Path) -> Iterator[None]:
    """Put the version's archive; when what follows fails, it is removed again.

    What cannot be removed now is left to `sweep_orphans`. So is an archive after a database that failed: a commit
    whose answer was lost may still happen, and its row must not be without its object.
    """
    store = get_object_store()
    try:
        with suppress(ObjectExists):  # the key is this attempt's own: a put whose answer was lost and that was retried
            store.put_if_absent(version.object_key, archive)
        yield
    except BaseException as error:  # raised on; a worker that is told to stop leaves nothing either
        if not isinstance(error, DatabaseFault) or isinstance(error, IntegrityError):
            _discard(store, version.object_key)
        raise


def _discard(store: ObjectStore, object_key: str) -> None:
    with suppress(DatabaseFault, StoreUnavailable, OSError):
        if not PackageVersion.objects.filter(object_key=object_key).exists():
            store.delete(object_key)


def _describe_skill(skill: Any) -> dict[str, str]:
    return {name: getattr(skill, name) for name in ("key", "path", "name", "description", "digest")}
