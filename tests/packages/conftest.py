"""Stores for the storage contract: a folder, and a bucket on a real S3 server process's worth of HTTP."""

from collections.abc import Iterator

import boto3
import pytest
from moto.server import ThreadedMotoServer

from connectors.packages.s3_store import S3Store
from connectors.packages.storage import FolderStore


@pytest.fixture(scope="session")
def s3_url() -> Iterator[str]:
    """A bucket `packages` behind S3's own protocol on loopback, for the whole run."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    keys = {"aws_access_key_id": "id", "aws_secret_access_key": "secret"}
    client = boto3.session.Session().client("s3", endpoint_url=url, region_name="us-east-1", **keys)
    client.create_bucket(Bucket="packages")
    client.close()
    yield url
    server.stop()


@pytest.fixture
def s3_settings(s3_url, settings):
    """The grown form: archives in the bucket."""
    settings.S3_BUCKET = "packages"
    settings.S3_ENDPOINT_URL = s3_url
    settings.S3_ACCESS_KEY_ID = "id"
    settings.S3_SECRET_ACCESS_KEY = "secret"
    return settings


@pytest.fixture(params=["folder", "s3"])
def store(request, tmp_path):
    if request.param == "folder":
        return FolderStore(tmp_path / "objects")
    url = request.getfixturevalue("s3_url")
    return S3Store("packages", endpoint_url=url, region="us-east-1", access_key_id="id", secret_access_key="secret")


@pytest.fixture(autouse=True)
def own_folders(settings, tmp_path):
    """Each test keeps its objects and its cache to itself."""
    settings.OBJECT_STORE_DIR = tmp_path / "own" / "objects"
    settings.PACKAGE_CACHE_DIR = tmp_path / "own" / "cache" / "packages"
