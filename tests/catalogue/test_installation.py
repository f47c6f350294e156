"""Installing is all or nothing: one version, one content, one object, whatever races or fails."""

import hashlib
import os
import threading
import time

import pytest
from django.db import connections

from connectors.access.models import Epoch
from connectors.audit.models import AdminEvent
from connectors.catalogue.configuration import open_configuration
from connectors.catalogue.installation import install_package
from connectors.catalogue.models import Category, ConfigurationSecret, Connector, PackageIcon, PackageVersion
from connectors.catalogue.orphans import sweep_orphans
from connectors.errors import Conflict, Invalid
from connectors.packages.storage import StoreUnavailable, get_object_store
from connectors.vault.errors import KeyRingFault
from connectors.vault.secret import Secret
from tests.builders.packages import CLIENT_FIELDS, ENDPOINT_FIELD, build_manifest, build_package
from tests.builders.people import make_administrator

ENDPOINT = {"endpoint": "https://tools.example.com/mcp"}
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def object_folder(settings, tmp_path):
    settings.OBJECT_STORE_DIR = tmp_path / "objects"
    return settings.OBJECT_STORE_DIR


@pytest.fixture
def archive(tmp_path):
    return build_package(tmp_path / "records.zip")


def install(archive, *, configuration=None, actor=None):
    return install_package(
        archive=archive,
        expected_sha256=hashlib.sha256(archive.read_bytes()).hexdigest(),
        raw_configuration=ENDPOINT if configuration is None else configuration,
        actor=actor,
    )


def stored_keys():
    return [stored.key for stored in get_object_store().list_keys("connectors/")]


def assert_nothing_is_left():
    for table in (Connector, PackageVersion, PackageIcon, Category, ConfigurationSecret, AdminEvent, Epoch):
        assert not table.objects.exists(), table
    assert stored_keys() == []


def test_a_package_becomes_a_draft_with_version_icon_category_and_archive(archive, tmp_path):
    admin = make_administrator()
    connector = install(archive, actor=admin)
    version = connector.version
    assert (connector.key, connector.status, connector.everyone) == ("records", "draft", True)
    assert (version.version, version.archive_size, version.installed_by) == ("1.0.0", archive.stat().st_size, admin)
    assert connector.configuration == ENDPOINT
    assert connector.category.key == "productivity"
    assert PackageIcon.objects.get().version == version
    assert version.object_key.startswith(f"connectors/packages/records/1.0.0/{version.manifest_revision}-")
    get_object_store().fetch(version.object_key, tmp_path / "fetched.zip")
    assert (tmp_path / "fetched.zip").read_bytes() == archive.read_bytes()


def test_a_secret_is_sealed_and_appears_nowhere_in_the_clear(tmp_path):
    manifest = build_manifest(configuration={"fields": [ENDPOINT_FIELD, *CLIENT_FIELDS]})
    connector = install(
        build_package(tmp_path / "p.zip", manifest=manifest),
        configuration=ENDPOINT | {"client_id": "poco", "client_secret": "canary-secret"},
    )
    assert connector.configuration == ENDPOINT | {"client_id": "poco"}
    assert open_configuration(connector).secrets == {"client_secret": Secret("canary-secret")}
    assert b"canary" not in bytes(ConfigurationSecret.objects.get().sealed)
    event = AdminEvent.objects.get(act="connector_installed")
    assert event.after["secrets"] == {"client_secret": "set"}
    assert "canary" not in str(AdminEvent.objects.values())


def test_the_same_files_again_are_no_act_at_all(archive, tmp_path):
    first = install(archive)
    again = install(build_package(tmp_path / "zipped-again.zip"), configuration={"endpoint": "https://other.example"})
    assert again == first
    assert again.configuration == ENDPOINT
    assert AdminEvent.objects.count() == 1
    assert len(stored_keys()) == 1


def test_the_same_version_with_other_files_is_refused(archive, tmp_path):
    install(archive)
    other = build_package(tmp_path / "other.zip", files={"assets/more.txt": "x"})
    with pytest.raises(Conflict, match="version_has_other_content"):
        install(other)
    assert len(stored_keys()) == 1


@pytest.mark.parametrize("version", ["1.0.1", "0.9.0"])
def test_another_version_of_a_known_key_is_an_update(archive, tmp_path, version):
    install(archive)
    with pytest.raises(Conflict, match="update_needed"):
        install(build_package(tmp_path / "next.zip", manifest=build_manifest(package_version=version)))


def test_an_archive_other_than_the_one_that_was_shown_is_refused(archive):
    with pytest.raises(Conflict, match="package_changed"):
        install_package(archive=archive, expected_sha256="0" * 64, raw_configuration=ENDPOINT, actor=None)
    assert_nothing_is_left()


def test_a_bad_configuration_leaves_nothing(archive):
    with pytest.raises(Invalid) as caught:
        install(archive, configuration={"endpoint": "ftp://x"})
    assert [fault.where for fault in caught.value.faults] == ["endpoint"]
    assert_nothing_is_left()


def test_a_store_that_refuses_leaves_nothing_and_its_return_is_enough(archive, object_folder):
    object_folder.parent.mkdir(exist_ok=True)
    object_folder.write_text("a file where the folder should be")
    with pytest.raises(StoreUnavailable):
        install(archive)
    object_folder.unlink()
    assert_nothing_is_left()
    assert install(archive).key == "records"


def test_a_vault_without_a_key_leaves_nothing(tmp_path, settings):
    manifest = build_manifest(configuration={"fields": [ENDPOINT_FIELD, *CLIENT_FIELDS]})
    package = build_package(tmp_path / "p.zip", manifest=manifest)
    settings.VAULT_KEYS, settings.VAULT_KEY_DIR = "", None
    with pytest.raises(KeyRingFault):
        install(package, configuration=ENDPOINT | {"client_id": "poco", "client_secret": "s"})
    assert_nothing_is_left()


@pytest.mark.django_db(transaction=True)
def test_of_twenty_installs_at_once_one_row_and_one_object_remain(archive):
    outcomes, start = [], threading.Barrier(20)

    def run():
        start.wait()
        try:
            outcomes.append(install(archive).pk)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    connector = Connector.objects.get()
    assert outcomes == [connector.pk] * 20
    assert stored_keys() == [PackageVersion.objects.get().object_key]
    assert AdminEvent.objects.count() == 1


def test_a_sweep_removes_old_archives_that_no_row_names(archive, object_folder):
    named = install(archive).version.object_key
    store = get_object_store()
    for name in ("old", "new"):
        store.put_if_absent(f"connectors/packages/records/9.9.9/{name}.zip", archive)
    two_days_ago = time.time() - 2 * 86400
    for key in (named, "connectors/packages/records/9.9.9/old.zip"):
        os.utime(object_folder / key, (two_days_ago, two_days_ago))
    assert sweep_orphans() == 1
    assert sorted(stored_keys()) == sorted([named, "connectors/packages/records/9.9.9/new.zip"])


def test_a_sweep_removes_old_copies_of_packages_that_are_gone(archive, settings, tmp_path):
    settings.PACKAGE_CACHE_DIR = tmp_path / "cache"
    version = install(archive).version
    folders = [settings.PACKAGE_CACHE_DIR / "records" / name for name in (version.manifest_revision, "old", "new")]
    for folder in folders:
        folder.mkdir(parents=True)
    for folder in folders[:2]:
        os.utime(folder, (0, 0))
    sweep_orphans()
    assert [folder.exists() for folder in folders] == [True, False, True]
