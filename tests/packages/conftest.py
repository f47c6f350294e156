"""Stores for the storage contract: a folder, and a bucket on a real S3 server process's worth of HTTP."""

from collections.abc import Iterator

import pytest

from connectors.packages.s3_store import S3Store
from connectors.packages.storage import FolderStore
from tests.fakes.s3_server import running_s3_server


@pytest.fixture(scope="session")
def s3_url() -> Iterator[str]:
    """A bucket `packages` behind S3's own protocol on loopback, for the whole run."""
    with running_s3_server() as url:
        yield url


@pytest.fixture
def s3_settings(s3_url, settings):
    """The grown form: archives in the bucket."""
    settings.S3_BUCKET = "packages"
    settings.S3_ENDPOINT_URL = s3_url
    settings.S3_ACCESS_KEY_ID = "id"
    settings.S3_SECRET_ACCESS_KEY = "secret"
    return settings


@pytest.fixture(scope="session")
def s3_store(s3_url) -> S3Store:
    """Making a client reads the whole description of S3; it keeps nothing of what was asked."""
    return S3Store("packages", endpoint_url=s3_url, region="us-east-1", access_key_id="id", secret_access_key="secret")


@pytest.fixture(params=["folder", "s3"])
def store(request, tmp_path):
    if request.param == "folder":
        return FolderStore(tmp_path / "objects")
    return request.getfixturevalue("s3_store")


@pytest.fixture(autouse=True)
def own_folders(settings, tmp_path):
    """Each test keeps its objects and its cache to itself."""
    settings.OBJECT_STORE_DIR = tmp_path / "own" / "objects"
    settings.PACKAGE_CACHE_DIR = tmp_path / "own" / "cache" / "packages"
