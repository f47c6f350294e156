"""Install: upload, preview with every fault, configure, test, commit by digest, once."""

import re
import socket
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.urls import resolve

from connectors.catalogue.models import ConfigurationSecret, Connector
from connectors.packages.models import StagedPackage
from tests.builders.packages import build_manifest, build_oauth_manifest, build_package, build_program_manifest
from tests.builders.people import make_administrator, make_user
from tests.fakes.mcp_server import McpServer, tool

pytestmark = pytest.mark.django_db

SECRET = "s3cret-never-shown"


@pytest.fixture
def pack(tmp_path):
    def build(manifest=None, **files):
        path = tmp_path / "package.zip"
        build_package(path, manifest=manifest or build_manifest(), **files)
        return path.read_bytes()

    return build


def upload(client, content: bytes, name: str = "package.zip", **headers):
    return client.post("/install/", {"package": SimpleUploadedFile(name, content)}, headers=headers)


def stage(client, content: bytes) -> str:
    """Upload and return the preview's address."""
    return upload(client, content)["Location"]


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def commit(client, preview: str, content_digest: str = "", **fields):
    return client.post(f"{preview}commit/", sent(content_digest, **fields))


def sent(digest: str = "", **fields) -> dict[str, str]:
    return {"archive-sha256": digest or StagedPackage.objects.latest("staged_at").archive_sha256, **fields}


def test_a_user_can_neither_open_install_nor_upload(pack):
    client = Client()
    client.force_login(make_user())
    assert client.get("/install/").status_code == 403
    assert upload(client, pack()).status_code == 403
    assert not StagedPackage.objects.exists()


def test_an_upload_without_javascript_leads_to_the_preview(admin, pack):
    answer = upload(admin, pack())
    assert answer.status_code == 302
    assert admin.get(answer["Location"]).status_code == 200


def test_an_upload_by_script_is_answered_with_the_previews_address(admin, pack):
    answer = upload(admin, pack(), accept="application/json")
    assert answer.json()["location"].startswith("/install/")


def test_sending_no_file_says_so(admin):
    answer = admin.post("/install/")
    assert answer.status_code == 422
    assert "Choose a ZIP file first." in text_of(answer)


@override_settings(MAX_UPLOAD_SIZE_MB=1)
def test_a_file_over_the_limit_is_refused_with_the_limit_named(admin):
    answer = upload(admin, b"x" * (1024 * 1024 + 1))
    assert answer.status_code == 413
    assert "1 MiB" in text_of(answer)


@override_settings(MAX_UPLOAD_SIZE_MB=1)
def test_a_body_over_the_limit_is_refused_before_it_is_read(admin):
    answer = admin.generic("POST", "/install/", b"x" * (3 * 1024 * 1024), content_type="text/plain")
    assert answer.status_code == 413


@override_settings(MAX_UPLOAD_SIZE_MB=1)
def test_a_script_is_told_the_limit_too(admin):
    answer = upload(admin, b"x" * (3 * 1024 * 1024), accept="application/json")
    assert answer.status_code == 413
    assert "1 MiB" in answer.json()["message"]


def test_an_upload_without_the_forms_token_is_refused(pack):
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_administrator())
    assert upload(client, pack()).status_code == 403
    assert not StagedPackage.objects.exists()


def test_the_preview_tells_everything_before_anything_is_written(admin, pack):
    preview = stage(admin, pack())
    page = text_of(admin.get(preview))
    staged = StagedPackage.objects.get()
    for told in ("records", "1.0.0", staged.archive_sha256, "zh-CN", "manifest.json", "effect-read"):
        assert told in page
    assert not Connector.objects.exists()


def test_the_preview_survives_a_reload(admin, pack):
    preview = stage(admin, pack())
    assert text_of(admin.get(preview)).count("records") == text_of(admin.get(preview)).count("records")


def test_another_administrator_does_not_see_the_upload(admin, pack):
    preview = stage(admin, pack())
    other = Client()
    other.force_login(make_administrator())
    assert other.get(preview).status_code == 404
    assert commit(other, preview, endpoint="https://mcp.example.com/").status_code == 404


def test_all_faults_are_told_at_once_each_with_its_place(admin, pack):
    manifest = build_manifest(default_locale="fr", connection_policy="many", key="Not A Key")
    page = text_of(admin.get(stage(admin, pack(manifest))))
    for place in ("/connection_policy", "/key", "/default_locale"):
        assert place in page
    assert "Continue to configuration" not in page


def test_what_is_no_zip_is_refused_on_the_preview(admin):
    page = text_of(admin.get(stage(admin, b"this is no archive")))
    assert "Refused" in page
    assert "Traceback" not in page


def test_a_refused_package_cannot_be_committed(admin):
    preview = stage(admin, b"this is no archive")
    assert commit(admin, preview).status_code == 302
    assert not Connector.objects.exists()


def test_a_program_package_is_announced_as_trusted_code_with_its_source(admin, pack):
    page = text_of(admin.get(stage(admin, pack(build_program_manifest()))))
    assert "trusted code" in page
    assert "provider/main.py" in page


def test_committing_makes_a_draft(admin, pack):
    preview = stage(admin, pack())
    answer = commit(admin, preview, endpoint="https://mcp.example.com/mcp")
    assert answer["Location"] == "/connectors/records/"
    assert Connector.objects.get().status == "draft"


def test_committing_twice_installs_once(admin, pack):
    preview = stage(admin, pack())
    first = commit(admin, preview, endpoint="https://mcp.example.com/mcp")
    second = commit(admin, preview, endpoint="https://mcp.example.com/mcp")
    assert first["Location"] == second["Location"]
    assert Connector.objects.count() == 1


def test_a_digest_that_was_not_shown_is_not_installed(admin, pack):
    preview = stage(admin, pack())
    answer = commit(admin, preview, "0" * 64, endpoint="https://mcp.example.com/mcp")
    assert answer.status_code == 409
    assert not Connector.objects.exists()


def test_bad_values_are_told_on_their_fields_and_typed_values_stay(admin, pack):
    preview = stage(admin, pack(build_oauth_manifest()))
    answer = commit(admin, preview, endpoint="no address", client_id="typed-by-hand", client_secret=SECRET)
    page = text_of(answer)
    assert answer.status_code == 422
    assert "data-takes-focus" in page
    assert 'value="typed-by-hand"' in page
    assert SECRET not in page


def test_a_secret_is_sealed_and_on_no_page_afterwards(admin, pack):
    preview = stage(admin, pack(build_oauth_manifest()))
    commit(admin, preview, endpoint="https://mcp.example.com/mcp", client_id="me", client_secret=SECRET)
    secret = ConfigurationSecret.objects.get()
    assert SECRET.encode() not in bytes(secret.sealed)
    for page in ("", "configuration/", "tools/", "visibility/"):
        assert SECRET not in text_of(admin.get(f"/connectors/records/{page}"))


def test_the_same_files_again_are_told_to_be_installed(admin, pack):
    content = pack()
    commit(admin, stage(admin, content), endpoint="https://mcp.example.com/mcp")
    again = stage(admin, content)
    assert "installed already" in text_of(admin.get(again))
    assert admin.get(f"{again}configure/")["Location"] == again
    page = text_of(admin.post(f"{again}commit/", sent(endpoint="https://mcp.example.com/mcp"), follow=True))
    assert "These very files are installed already" in page
    assert "Installed as a draft" not in page


def test_the_same_version_with_other_content_is_refused(admin, pack):
    commit(admin, stage(admin, pack()), endpoint="https://mcp.example.com/mcp")
    page = text_of(admin.get(stage(admin, pack(build_manifest(connection_policy="multiple_per_user")))))
    assert "with other content" in page
    assert "Continue to configuration" not in page


def test_one_click_offers_the_example_with_its_address_filled_in(admin):
    preview = admin.post("/install/example/")["Location"]
    page = text_of(admin.get(preview))
    assert "Workbench" in page
    configure = re.search(r'href="(/install/[^"]+/configure/[^"]*)"', page).group(1)
    assert "http://127.0.0.1:8765/mcp" in text_of(admin.get(configure))


EXAMPLES = sorted(path.parent.name for path in Path("connectors/examples/packages").glob("*/manifest.json"))


@pytest.mark.parametrize("key", EXAMPLES)
def test_an_empty_console_offers_every_example_and_each_leads_to_its_preview(admin, key):
    for page in ("/connectors/", "/install/"):
        assert f'name="example" value="{key}"' in text_of(admin.get(page))
    page = text_of(admin.get(admin.post("/install/example/", {"example": key})["Location"]))
    assert f"{key}-1.0.0.zip" in page
    assert "Continue to configuration" in page


def test_examples_are_told_in_the_reader_s_language(admin):
    assert "报销台" in text_of(admin.get("/install/", headers={"accept-language": "zh-hans"}))


@pytest.mark.parametrize("key", ["../workbench", "nothing", "."])
def test_an_example_that_is_not_there_is_not_found(admin, key):
    assert admin.post("/install/example/", {"example": key}).status_code == 404


def test_a_secret_is_never_prefilled_from_an_address(admin, pack):
    preview = stage(admin, pack(build_oauth_manifest()))
    page = text_of(admin.get(f"{preview}configure/?client_id=filled&client_secret={SECRET}"))
    assert 'value="filled"' in page
    assert f'value="{SECRET}"' not in page


def test_testing_a_server_that_answers_names_every_stage_and_stores_nothing(admin, pack):
    with McpServer(tools=[tool("search")]) as server:
        preview = stage(admin, pack())
        answer = admin.post(f"{preview}test/", {"endpoint": server.url}, headers={"HX-Target": "test-report"})
    page = text_of(answer)
    assert "It works" in page
    assert "<html" not in page
    assert not Connector.objects.exists()


@pytest.fixture
def dead_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/mcp"


def test_testing_a_port_nobody_listens_on_names_the_stage(admin, pack, dead_address):
    preview = stage(admin, pack())
    answer = admin.post(f"{preview}test/", {"endpoint": dead_address}, headers={"HX-Target": "test-report"})
    assert "stage-failed" in answer.content.decode()
    assert "TCP" in text_of(answer)


def test_testing_without_javascript_shows_the_page_with_the_report_and_what_was_typed(admin, pack, dead_address):
    preview = stage(admin, pack())
    page = text_of(admin.post(f"{preview}test/", {"endpoint": dead_address}))
    assert "<html" in page
    assert f'value="{dead_address}"' in page
    assert "stage-failed" in page


def test_testing_with_a_bad_address_tells_the_field(admin, pack):
    preview = stage(admin, pack())
    answer = admin.post(f"{preview}test/", {"endpoint": "no address"}, headers={"HX-Target": "test-report"})
    assert "Not tested" in text_of(answer)


@pytest.mark.parametrize("key", ["install", "new", "example"])
def test_a_connector_may_bear_any_key_without_hiding_behind_a_page(key):
    match = resolve(f"/connectors/{key}/")
    assert match.view_name == "console:connector_overview"
