"""Versions of one package as archives, and connectors that were installed from them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from connectors.catalogue.installation import install_package
from connectors.catalogue.models import Connector, PackageVersion
from connectors.catalogue.publication import publish_connector
from connectors.lifecycle.drain import UpdateChange
from connectors.lifecycle.update import update_connector
from connectors.lifecycle.version_change import Typed
from connectors.packages.inspection import InspectedPackage, inspect_package
from connectors.packages.storage import get_object_store
from tests.builders.packages import build_manifest, build_package

ENDPOINT = {"endpoint": "https://tools.example.com/mcp"}


@dataclass(frozen=True)
class Workshop:
    """Packs versions into a folder."""

    folder: Path

    def pack(self, version: str = "1.0.0", *, files: Mapping[str, bytes | str] | None = None, **manifest: Any) -> Path:
        name = f"{manifest.get('key', 'records')}-{version}-{len(list(self.folder.glob('*.zip')))}.zip"
        document = manifest.pop("document", None) or build_manifest(package_version=version, **manifest)
        document["package_version"] = version
        return build_package(self.folder / name, manifest=document, files=files)

    def install(
        self,
        version: str = "1.0.0",
        *,
        values: Mapping[str, str] | None = None,
        publish: bool = True,
        **manifest: Any,
    ) -> Connector:
        archive = self.pack(version, **manifest)
        connector = install_package(
            archive=archive,
            expected_sha256=digest(archive),
            raw_configuration=ENDPOINT if values is None else values,
            actor=None,
        )
        return publish_connector(connector=connector, actor=None) if publish else connector


def digest(archive: Path) -> str:
    return hashlib.sha256(archive.read_bytes()).hexdigest()


def inspect(archive: Path) -> InspectedPackage:
    return inspect_package(archive)


def update(connector: Connector, archive: Path, **arguments: Any) -> Connector:
    actor = arguments.pop("actor", None)
    typed = Typed(**arguments)
    return update_connector(
        connector=connector, archive=archive, expected_sha256=digest(archive), typed=typed, actor=actor
    )


def update_change(archive: Path, **arguments: Any) -> UpdateChange:
    return UpdateChange(archive, digest(archive), Typed(**arguments))


def stored_keys() -> list[str]:
    return sorted(stored.key for stored in get_object_store().list_keys("connectors/"))


def named_keys() -> list[str]:
    return sorted(PackageVersion.objects.values_list("object_key", flat=True))
