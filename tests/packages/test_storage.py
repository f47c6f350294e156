"""The contract of an object store, held by the folder and by S3 alike."""

import os
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from connectors.packages.orphans import sweep_orphans
from connectors.packages.s3_store import S3Store
from connectors.packages.storage import (
    FolderStore,
    ObjectExists,
    ObjectMissing,
    StoreUnavailable,
    get_object_store,
)


@pytest.fixture
def key() -> str:
    return f"connectors/packages/records/1.0.0/{uuid.uuid4()}.zip"


@pytest.fixture
def source(tmp_path):
    file = tmp_path / "source.zip"
    file.write_bytes(b"archive" * 100_000)
    return file


def test_an_object_comes_back_as_it_was_put(store, key, source, tmp_path):
    store.put_if_absent(key, source)
    store.fetch(key, tmp_path / "target.zip")
    assert (tmp_path / "target.zip").read_bytes() == source.read_bytes()


def test_an_object_is_never_overwritten(store, key, source, tmp_path):
    store.put_if_absent(key, source)
    other = tmp_path / "other.zip"
    other.write_bytes(b"other")
    with pytest.raises(ObjectExists):
        store.put_if_absent(key, other)
    store.fetch(key, other)
    assert other.read_bytes() == source.read_bytes()


def test_of_twenty_puts_at_once_one_wins(store, key, tmp_path):
    def put(number: int) -> bool:
        file = tmp_path / f"{number}.zip"
        file.write_bytes(b"%d" % number * 1000)
        try:
            store.put_if_absent(key, file)
        except ObjectExists:
            return False
        return True

    with ThreadPoolExecutor(20) as pool:
        won = list(pool.map(put, range(20)))
    assert sum(won) == 1
    store.fetch(key, tmp_path / "target.zip")
    assert (tmp_path / "target.zip").read_bytes() == b"%d" % won.index(True) * 1000


def test_a_missing_object_is_told_and_leaves_no_file(store, key, tmp_path):
    with pytest.raises(ObjectMissing):
        store.fetch(key, tmp_path / "target.zip")
    assert list(tmp_path.glob("target*")) == []


def test_a_deleted_object_is_gone_and_may_be_deleted_again(store, key, source, tmp_path):
    store.put_if_absent(key, source)
    store.delete(key)
    store.delete(key)
    with pytest.raises(ObjectMissing):
        store.fetch(key, tmp_path / "target.zip")


def test_keys_are_listed_by_prefix_with_their_time(store, source):
    prefix = f"listing-{uuid.uuid4()}/"
    for name in ("b.zip", "a.zip", "deeper/c.zip"):
        store.put_if_absent(prefix + name, source)
    found = list(store.list_keys(prefix))
    assert sorted(entry.key for entry in found) == [prefix + name for name in ("a.zip", "b.zip", "deeper/c.zip")]
    assert all(abs(datetime.now(UTC) - entry.stored_at) < timedelta(minutes=5) for entry in found)
    assert list(store.list_keys(f"nothing-{uuid.uuid4()}/")) == []


@pytest.mark.parametrize("bad", ["", "/a", "../a", "a/../b", "a//b", "a/", ".hidden", "a b", "a\\b", "é"])
def test_a_key_that_is_no_plain_path_is_refused(store, bad, source, tmp_path):
    for act in (
        lambda: store.put_if_absent(bad, source),
        lambda: store.fetch(bad, tmp_path / "t"),
        lambda: store.delete(bad),
    ):
        with pytest.raises(ValueError, match="not an object key"):
            act()


def test_objects_without_a_row_are_swept_after_their_grace(store, source):
    prefix = f"orphans-{uuid.uuid4()}/"
    for name in ("named", "orphan"):
        store.put_if_absent(prefix + name, source)
    sweep = {"store": store, "prefix": prefix, "is_named": lambda key: key.endswith("named")}
    assert sweep_orphans(**sweep, grace=timedelta(hours=1)) == 0
    assert sweep_orphans(**sweep, grace=timedelta(minutes=-5)) == 1
    assert [entry.key for entry in store.list_keys(prefix)] == [prefix + "named"]


def test_a_store_that_cannot_be_reached_is_told_apart(source, key, unused_tcp_port, tmp_path):
    store = S3Store(
        "packages",
        endpoint_url=f"http://127.0.0.1:{unused_tcp_port}",
        region="us-east-1",
        access_key_id="a",
        secret_access_key="b",
    )
    with pytest.raises(StoreUnavailable):
        store.put_if_absent(key, source)
    with pytest.raises(StoreUnavailable):
        store.fetch(key, tmp_path / "target.zip")


def test_a_bucket_that_is_not_there_is_told_apart(s3_url, source, key):
    store = S3Store("no-such-bucket", endpoint_url=s3_url, region="us-east-1", access_key_id="a", secret_access_key="b")
    with pytest.raises(StoreUnavailable) as told:
        store.put_if_absent(key, source)
    assert told.value.parameters == {"reason": "NoSuchBucket"}


def test_a_folder_that_cannot_be_written_is_told_apart(tmp_path, source, key):
    (tmp_path / "objects").write_text("a file where the folder should be")
    store = FolderStore(tmp_path / "objects")
    with pytest.raises(StoreUnavailable):
        store.put_if_absent(key, source)
    with pytest.raises(StoreUnavailable):
        store.fetch(key, tmp_path / "target.zip")


def test_an_interrupted_put_leaves_nothing_that_could_be_taken_for_an_object(tmp_path, source, key, monkeypatch):
    store = FolderStore(tmp_path / "objects")
    monkeypatch.setattr(os, "fsync", lambda _descriptor: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(StoreUnavailable) as told:
        store.put_if_absent(key, source)
    assert told.value.parameters == {"reason": "No space left on device"}
    assert list(store.list_keys("")) == []
    assert [path for path in (tmp_path / "objects").rglob("*") if path.is_file()] == []


def test_the_settings_choose_the_folder(settings):
    assert isinstance(get_object_store(), FolderStore)


def test_the_settings_choose_the_bucket_and_its_client_is_kept(s3_settings, source, key):
    store = get_object_store()
    assert isinstance(store, S3Store)
    assert get_object_store() is store
    store.put_if_absent(key, source)


def test_boto3_is_loaded_only_where_a_bucket_is_configured():
    code = "import sys, connectors.packages.storage; sys.exit('boto3' in sys.modules or 'botocore' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
