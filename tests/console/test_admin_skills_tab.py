"""The Skills tab: what an installed version tells agents."""

import pytest

from connectors.catalogue.installation import install_package
from connectors.packages.inspection import inspect_package
from tests.builders.connectors import make_connector
from tests.builders.people import make_administrator
from tests.builders.workbench import pack_workbench

pytestmark = pytest.mark.django_db
MIB = 1024 * 1024


@pytest.fixture
def admin(client):
    client.force_login(make_administrator())
    return client


def install(archive):
    digest = inspect_package(archive, max_zip_bytes=MIB).archive_sha256
    return install_package(
        archive=archive,
        expected_sha256=digest,
        raw_configuration={"endpoint": "https://tools.example.com/mcp"},
        actor=None,
    )


def test_the_installed_skills_are_shown_as_text(admin, tmp_path):
    connector = install(pack_workbench(tmp_path, "1.0.0"))
    page = admin.get(f"/connectors/{connector.key}/skills/").content.decode()
    for skill in connector.version.skills:
        assert skill["name"] in page
    assert "<strong>Search first.</strong>" in page


def test_a_version_without_skills_says_so(admin):
    make_connector("plain")
    assert "This version has no Skills" in admin.get("/connectors/plain/skills/").content.decode()
