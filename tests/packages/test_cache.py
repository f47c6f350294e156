"""Installed packages are read back under the rules they were accepted under, and loudly refused when altered."""

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from connectors.packages.cache import PackageDamaged, drop_package, open_package
from connectors.packages.inspection import inspect_package
from connectors.packages.storage import StoreUnavailable, get_object_store
from tests.builders.packages import build_files, build_manifest, build_package
from tests.corpus.raw_zip import base_entries, build_zip


@pytest.fixture(params=["folder", "s3"], autouse=True)
def both_stores(request):
    if request.param == "s3":
        request.getfixturevalue("s3_settings")


@pytest.fixture
def archive(tmp_path):
    return build_package(tmp_path / "package.zip")


def put(archive) -> dict[str, str]:
    package = inspect_package(archive)
    object_key = f"connectors/packages/records/1.0.0/{uuid.uuid4()}.zip"
    get_object_store().put_if_absent(object_key, archive)
    return {
        "object_key": object_key,
        "archive_sha256": package.archive_sha256,
        "manifest_revision": package.manifest_revision,
        "key": "records",
    }


def content_of(folder) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def cached(settings) -> list[str]:
    return [path.name for path in settings.PACKAGE_CACHE_DIR.rglob("*") if not path.name.endswith(".lock")]


def test_a_package_opens_as_a_folder_of_its_files(archive):
    assert content_of(open_package(**put(archive))) == build_files(build_manifest())


def test_the_wrapping_folder_is_not_there(tmp_path):
    wrapped = tmp_path / "wrapped.zip"
    wrapped.write_bytes(build_zip(base_entries("records/")))
    assert (open_package(**put(wrapped)) / "manifest.json").is_file()


def test_files_are_read_only(archive):
    folder = open_package(**put(archive))
    assert all(path.stat().st_mode & 0o222 == 0 for path in folder.rglob("*") if path.is_file())


def test_it_is_fetched_once_and_then_opened_without_the_store(archive):
    named = put(archive)
    folder = open_package(**named)
    get_object_store().delete(named["object_key"])
    assert open_package(**named) == folder


def test_twenty_at_once_get_the_same_whole_folder(archive):
    named = put(archive)
    ready = threading.Barrier(20)

    def open_together(_number: int) -> dict[str, bytes]:
        ready.wait()
        return content_of(open_package(**named))

    with ThreadPoolExecutor(20) as pool:
        found = list(pool.map(open_together, range(20)))
    assert found == [build_files(build_manifest())] * 20


def test_a_dropped_package_is_fetched_again(archive):
    named = put(archive)
    folder = open_package(**named)
    drop_package(key="records", manifest_revision=named["manifest_revision"])
    drop_package(key="records", manifest_revision=named["manifest_revision"])
    assert not folder.exists()
    assert open_package(**named) == folder


def test_a_missing_archive_is_told_and_nothing_is_cached(archive, settings):
    named = put(archive)
    get_object_store().delete(named["object_key"])
    with pytest.raises(PackageDamaged) as told:
        open_package(**named)
    assert told.value.code == "package_integrity"
    assert told.value.parameters["reason"] == "missing"
    assert cached(settings) == ["records"]


@pytest.mark.parametrize("position", [40, 200, -40])
def test_one_flipped_byte_is_refused(archive, position, tmp_path, settings):
    named = put(archive)
    data = bytearray(archive.read_bytes())
    data[position] ^= 1
    altered = tmp_path / "altered.zip"
    altered.write_bytes(data)
    get_object_store().delete(named["object_key"])
    get_object_store().put_if_absent(named["object_key"], altered)
    with pytest.raises(PackageDamaged):
        open_package(**named)
    assert cached(settings) == ["records"]


def test_another_archive_of_the_same_files_is_refused(archive, tmp_path):
    named = put(archive)
    again = tmp_path / "again.zip"
    again.write_bytes(build_zip(base_entries()))
    get_object_store().delete(named["object_key"])
    get_object_store().put_if_absent(named["object_key"], again)
    with pytest.raises(PackageDamaged) as told:
        open_package(**named)
    assert told.value.parameters["reason"] == "altered"


def test_another_revision_than_was_installed_is_refused(archive):
    with pytest.raises(PackageDamaged) as told:
        open_package(**{**put(archive), "manifest_revision": "0" * 64})
    assert told.value.parameters["reason"] == "revision"


def test_a_store_that_does_not_answer_is_not_called_damage(archive, settings, tmp_path):
    named = put(archive)
    if settings.S3_BUCKET:
        settings.S3_BUCKET = "no-such-bucket"
    else:
        settings.OBJECT_STORE_DIR = tmp_path / "package.zip"
    with pytest.raises(StoreUnavailable):
        open_package(**named)
