"""Install a package: validate, put the archive, then one transaction (contract.md, "Versions and storage")."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from connectors.access.epoch import bump_catalogue
from connectors.access.models import User
from connectors.catalogue.categories import settle_category
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.fingerprint import compute_fingerprint
from connectors.catalogue.models import Connector, PackageVersion
from connectors.catalogue.program import ask_about_configuration
from connectors.catalogue.sealed_configuration import seal_values
from connectors.catalogue.version_rows import describe_version, save_version, stored_archive
from connectors.errors import Conflict
from connectors.manifest.values import ParsedValues, parse_values
from connectors.packages.inspection import InspectedPackage, inspect_package

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
    version = describe_version(package, actor)
    try:
        with stored_archive(version, archive):
            identity = ask_about_configuration(version, values.public, values.secrets)
            return _write_rows(package, version, values, actor, identity)
    except IntegrityError:
        winner = find_installed(package)  # another install of this key was first
        if winner is None:
            raise
        return winner


def find_installed(package: InspectedPackage) -> Connector | None:
    """Return the connector these very files are installed as, or None when the key is free.

    Raises `Conflict` when the key is taken by other content, or by a connector whose removal has not ended.
    """
    key, version = package.manifest.key, package.manifest.package_version
    connector = Connector.objects.select_related("version", "category").filter(key=key).first()
    if connector is not None and connector.transition == Connector.Transition.REMOVING:
        raise Conflict("connector_removing", key=key)
    same = PackageVersion.objects.filter(key=key, version=version).first()
    if same is not None and same.manifest_revision != package.manifest_revision:
        raise Conflict("version_has_other_content", key=key, version=version)
    if connector is None:
        return None
    if same is None or connector.version_id != same.pk:
        raise Conflict("update_needed", key=key, version=version, installed=connector.version.version)
    return connector


@transaction.atomic
def _write_rows(
    package: InspectedPackage, version: PackageVersion, values: ParsedValues, actor: User | None, identity: Any
) -> Connector:
    save_version(version, package)
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
