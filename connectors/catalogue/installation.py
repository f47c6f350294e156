"""Install a package: validate, put the archive, then one transaction (contract.md, "Versions and storage")."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, IntegrityError, transaction

from connectors.access.epoch import bump_catalogue
from connectors.access.models import User
from connectors.catalogue.categories import settle_category
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.fingerprint import compute_fingerprint
from connectors.catalogue.models import Connector, PackageIcon, PackageVersion
from connectors.catalogue.program import ask_about_configuration
from connectors.catalogue.sealed_configuration import seal_values
from connectors.errors import Conflict
from connectors.manifest.values import ParsedValues, parse_values
from connectors.packages.inspection import InspectedPackage, inspect_package
from connectors.packages.storage import ObjectStore, StoreUnavailable, get_object_store

MIB = 1024 * 1024


def install_package(
    *, archive: Path, expected_sha256: str, raw_configuration: Mapping[str, str], actor: User | None
) -> Connector:
    """Return a new connector, a draft; a package that is installed already is returned as it is.

    Whether it was: `connector.installed_at` is then older than the call, and `find_installed` tells beforehand.
    Raises `Invalid` (package or configuration), `Conflict("package_changed")` when the archive is not the one that was
    shown, `Conflict("version_has_other_content")`, and `Conflict("update_needed")` for a known key of another version.
    Safe under parallel installs of one version: one row and one object remain. A package with a program is asked
    whether it accepts the configuration (§8); what it raises when it cannot answer ends the installation.
    """
    package = inspect_package(archive, max_zip_bytes=settings.MAX_UPLOAD_SIZE_MB * MIB)
    if package.archive_sha256 != expected_sha256:
        raise Conflict("package_changed", key=package.manifest.key)
    installed = find_installed(package)
    if installed is not None:
        return installed
    values = parse_values(package.manifest.configuration.fields, raw_configuration)
    version = _describe_version(package, actor)
    store = get_object_store()
    with ExitStack() as undo:
        undo.callback(_discard_object, store, version.object_key)
        store.put_if_absent(version.object_key, archive)
        identity = ask_about_configuration(version, values.public, values.secrets)
        try:
            connector = _write_rows(package, version, values, actor, identity)
        except IntegrityError:
            winner = find_installed(package)  # another install of this key was first
            if winner is None:
                raise
            return winner
        undo.pop_all()
    return connector


def find_installed(package: InspectedPackage) -> Connector | None:
    """Return the connector these very files are installed as, or None when the key is free.

    Raises `Conflict` when the key is taken by other content.
    """
    key, version = package.manifest.key, package.manifest.package_version
    connector = Connector.objects.select_related("version", "category").filter(key=key).first()
    same = PackageVersion.objects.filter(key=key, version=version).first()
    if same is not None and same.manifest_revision != package.manifest_revision:
        raise Conflict("version_has_other_content", key=key, version=version)
    if connector is None:
        return None
    if same is None or connector.version_id != same.pk:
        raise Conflict("update_needed", key=key, version=version, installed=connector.version.version)
    return connector


def _describe_version(package: InspectedPackage, actor: User | None) -> PackageVersion:
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


def _describe_skill(skill: Any) -> dict[str, str]:
    return {name: getattr(skill, name) for name in ("key", "path", "name", "description", "digest")}


@transaction.atomic
def _write_rows(
    package: InspectedPackage, version: PackageVersion, values: ParsedValues, actor: User | None, identity: Any
) -> Connector:
    version.save(force_insert=True)
    if package.icon is not None:
        PackageIcon.objects.create(
            version=version,
            digest=package.icon.digest,
            media_type=package.icon.media_type,
            content=package.icon.content,
        )
    connector = Connector(
        key=version.key,
        version=version,
        configuration=values.public,
        authorization_fingerprint=compute_fingerprint(package.manifest, values.public, identity=identity),
        installed_by=actor,
    )
    settle_category(connector, package.manifest.presentation.category)
    connector.save(force_insert=True)
    seal_values(connector, values.secrets, actor)
    bump_catalogue()
    after: dict[str, Any] = {"version": version.version, "archive_sha256": version.archive_sha256}
    after |= {"revision": connector.configuration_revision, "configuration": values.public}
    after["secrets"] = dict.fromkeys(values.secrets, "set")
    record_connector_event("connector_installed", connector, actor, after=after)
    return connector


def _discard_object(store: ObjectStore, object_key: str) -> None:
    """Remove an archive whose rows were not written. What cannot be removed now is left to `sweep_orphans`.

    A commit whose answer was lost may have happened: the object goes only when no row names it.
    """
    try:
        if not PackageVersion.objects.filter(object_key=object_key).exists():
            store.delete(object_key)
    except (DatabaseError, StoreUnavailable, OSError):
        return
