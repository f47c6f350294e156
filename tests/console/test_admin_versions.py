"""The Versions tab: who installed what when, what is in it, its exact archive, and how any two differ."""

import hashlib
import re

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from connectors.catalogue.installation import install_package
from connectors.catalogue.models import PackageVersion
from connectors.packages.inspection import inspect_package
from tests.builders.booking import install_booking
from tests.builders.connectors import make_version
from tests.builders.packages import build_manifest, build_package, build_texts

pytestmark = pytest.mark.django_db
ADDRESS = "https://mcp.example.com/mcp"
RULES = build_manifest()["tool_policy"]["rules"]


@pytest.fixture
def install(tmp_path, ada):
    """Install a version; a further one of the same key stands beside it, as after an update."""

    def commit(manifest=None, files=None):
        path = build_package(tmp_path / "package.zip", manifest=manifest, files=files)
        package = inspect_package(path)
        install_package(
            archive=path,
            expected_sha256=package.archive_sha256,
            raw_configuration={"endpoint": ADDRESS},
            actor=ada,
        )
        return path.read_bytes()

    return commit


def beside(number: int, **changes) -> PackageVersion:
    """Another version of the installed key as a row of its own, without an archive."""
    manifest = build_manifest(package_version=f"1.{number}.0", **changes)
    return make_version(manifest, texts=build_texts(manifest))


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def test_a_version_tells_who_installed_it_when_with_digest_and_size(admin, install):
    content = install()
    page = text_of(admin.get("/connectors/records/versions/"))
    for told in ("1.0.0", "in use", "· Ada", hashlib.sha256(content).hexdigest(), "KiB"):
        assert told in page


def test_versions_stand_in_the_order_of_their_numbers(admin, install):
    install()
    beside(9)
    beside(10)
    page = text_of(admin.get("/connectors/records/versions/"))
    assert page.index("<strong>1.10.0") < page.index("<strong>1.9.0") < page.index("<strong>1.0.0")


def test_the_archive_is_downloaded_as_it_was_uploaded(admin, install):
    content = install()
    answer = admin.get("/connectors/records/versions/1.0.0/archive/")
    assert b"".join(answer.streaming_content) == content
    assert answer["Content-Type"] == "application/zip"
    assert answer["Content-Disposition"] == 'attachment; filename="records-1.0.0.zip"'
    assert answer["Content-Length"] == str(len(content))
    assert "no-store" in answer["Cache-Control"]


def test_asked_for_its_head_alone_it_tells_the_size_and_reads_nothing_out(admin, install):
    content = install()
    answer = admin.head("/connectors/records/versions/1.0.0/archive/")
    assert answer["Content-Length"] == str(len(content))
    answer.close()


def test_an_altered_archive_is_not_handed_out(admin, install):
    install()
    stored = settings.OBJECT_STORE_DIR / PackageVersion.objects.get().object_key
    stored.chmod(0o600)
    stored.write_bytes(stored.read_bytes() + b"!")
    answer = admin.get("/connectors/records/versions/1.0.0/archive/")
    assert answer.status_code == 502
    assert "not the one that was installed" in text_of(answer)


def test_a_missing_archive_is_told_and_the_list_stays(admin, install):
    install()
    (settings.OBJECT_STORE_DIR / PackageVersion.objects.get().object_key).unlink()
    assert admin.get("/connectors/records/versions/1.0.0/archive/").status_code == 502
    assert admin.get("/connectors/records/versions/1.0.0/").status_code == 502
    assert admin.get("/connectors/records/versions/").status_code == 200


def test_a_version_that_is_not_installed_is_not_found(admin, install):
    install()
    for page in ("versions/2.0.0/", "versions/2.0.0/archive/", "versions/?from=1.0.0&to=2.0.0"):
        assert admin.get(f"/connectors/records/{page}").status_code == 404


def test_a_version_shows_everything_in_it_with_its_programs_source(admin, tmp_path):
    install_booking(tmp_path)
    page = text_of(admin.get("/connectors/booking/versions/1.0.0/"))
    for told in ("provider/main.py", "there is no such service", "manifest.json", "effect-write"):
        assert told in page


def test_the_difference_between_two_versions_is_chosen_in_the_address(admin, install):
    install()
    beside(1, tool_policy={"default": "deny", "rules": RULES[:2]})
    up = text_of(admin.get("/connectors/records/versions/?from=1.0.0&to=1.1.0"))
    down = text_of(admin.get("/connectors/records/versions/?from=1.1.0&to=1.0.0"))
    assert "tool delete_record is gone" in up
    assert "new tool delete_record (destructive)" in down
    assert "Raises the risk:" in down


def test_without_a_choice_no_difference_is_worked_out_and_the_one_before_is_offered(admin, install):
    install()
    beside(1)
    page = text_of(admin.get("/connectors/records/versions/"))
    assert re.search(r'<option value="1.1.0" selected>', page)
    assert "difference-" not in page


def test_the_tab_asks_as_often_for_twelve_versions_as_for_two(admin, install):
    install()
    beside(1)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            admin.get("/connectors/records/versions/")
        return len(queries)

    count()
    few = count()
    for number in range(2, 12):
        beside(number)
    assert count() <= few
