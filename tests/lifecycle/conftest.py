"""Connectors installed from real archives, in a store and a cache of the test's own."""

import pytest

from tests.builders.versions import Workshop


@pytest.fixture(autouse=True)
def object_folder(settings, tmp_path):
    settings.OBJECT_STORE_DIR = tmp_path / "objects"
    settings.PACKAGE_CACHE_DIR = tmp_path / "cache" / "packages"
    return settings.OBJECT_STORE_DIR


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path)
