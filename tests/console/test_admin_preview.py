"""The preview tells what a package is and does, and what it would change in the connector of its key."""

import re
import time
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from connectors.catalogue.models import Connector, PackageVersion
from connectors.console.file_tree import build_tree
from connectors.packages.inspected import PackageFile
from connectors.packages.models import StagedPackage
from tests.builders.packages import (
    ENDPOINT_FIELD,
    OAUTH_AUTH,
    build_manifest,
    build_oauth_manifest,
    build_package,
    build_program_manifest,
    remote_runtime,
)

pytestmark = pytest.mark.django_db
RULES = build_manifest()["tool_policy"]["rules"]


@pytest.fixture
def preview(admin, tmp_path):
    """Upload a package and return its preview's text."""

    def show(manifest=None, files=None, language: str = "en", archive: bytes | None = None) -> str:
        path = build_package(tmp_path / "package.zip", manifest=manifest, files=files)
        content = path.read_bytes() if archive is None else archive
        address = admin.post("/install/", {"package": SimpleUploadedFile("package.zip", content)})["Location"]
        answer = admin.get(address, headers={"accept-language": language}, follow=True)
        assert answer.status_code == 200
        return re.sub(r"\s+", " ", answer.content.decode())

    return show


@pytest.fixture
def install(admin, preview):
    def commit(manifest=None, files=None, **values) -> Connector:
        preview(manifest, files)
        staged = StagedPackage.objects.latest("staged_at")
        fields = {"archive-sha256": staged.archive_sha256, "endpoint": "https://mcp.example.com/mcp", **values}
        admin.post(f"/install/{staged.pk}/commit/", fields)
        return Connector.objects.get()

    return commit


def test_every_host_the_manifest_names_is_told(preview):
    servers = [
        {"key": "a", "endpoint": {"url": "https://One.example.com/mcp"}},
        {"key": "b", "endpoint": {"configuration_field": "endpoint"}},
    ]
    auth = {**OAUTH_AUTH, "options": {**OAUTH_AUTH["options"]}}
    fields = [
        {**ENDPOINT_FIELD, "default": "https://two.example.com/mcp"},
        {"key": "portal", "type": "url", "label_key": "portal", "default": "https://three.example.com/"},
        *build_oauth_manifest()["configuration"]["fields"][1:],
    ]
    rules = [{**rule, "server": "a"} for rule in RULES]
    binding = {"type": "http_header", "name": "Authorization", "scheme": "Bearer", "credential_field": "access_token"}
    page = preview(
        build_oauth_manifest(
            auth=auth,
            runtime=remote_runtime(servers=servers, credential_binding=binding),
            configuration={"fields": fields},
            tool_policy={"default": "deny", "rules": rules},
        )
    )
    hosts = page.split("Hosts it will talk to")[1].split("</ul>")[0]
    for host in ("one.example.com", "two.example.com", "three.example.com", "identity.example.com"):
        assert f"<code>{host}</code>" in hosts


def test_a_program_s_whole_source_is_shown_with_the_entry_point_first(preview):
    files = {"provider/main.py": "print('the entry point')", "provider/aside.py": "print('beside it')"}
    page = preview(build_program_manifest(), files)
    assert page.index("the entry point") < page.index("beside it")


def test_what_of_a_program_cannot_be_shown_is_named(preview):
    files = {
        "provider/main.py": "import core",
        "provider/core.so": b"\x7fELF\0\0",
        "provider/large.py": "#" * 300_000,
        "provider/latin.py": b"\xe9",
    }
    page = preview(build_program_manifest(), files)
    unseen = page.split("Not shown here")[1]
    for path in ("provider/core.so", "provider/large.py", "provider/latin.py"):
        assert f"<code>{path}</code>" in unseen


def test_characters_that_hide_code_are_written_out(preview):
    page = preview(
        build_program_manifest(), {"provider/main.py": "if access != 'user\u202e \u2066# ok\u2069 \u2066':\u200b pass"}
    )
    assert "\\u202e" in page
    assert not {"\u202e", "\u2066", "\u200b"} & set(page)


def test_names_that_hide_are_written_out_in_the_file_tree(preview):
    page = preview(files={"notes/\u202egnp.exe": b"x"})
    assert "\\u202egnp.exe" in page
    assert "\u202e" not in page


@pytest.mark.parametrize("wrapped", ["", "records/"])
@pytest.mark.parametrize(
    "beside", [{}, {"a-manifest.json": b"{}"}, {"provider/manifest.json": b"{}"}, {"资料/说明.txt": "说明".encode()}]
)
def test_the_source_is_found_whatever_lies_beside_the_manifest(preview, tmp_path, wrapped, beside):
    """The source is read as the inspection reads: `zipfile` names entries otherwise."""
    path = build_package(
        tmp_path / "a.zip", manifest=build_program_manifest(), files={"provider/工具.py": "SEEN = 1", **beside}
    )
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "b.zip", "w") as new:
        new.writestr("__MACOSX/manifest.json", b"{}")
        for name in old.namelist():
            new.writestr(f"{wrapped}{name}", old.read(name))
    without_flag = _without_utf8_flag((tmp_path / "b.zip").read_bytes())
    assert "SEEN = 1" in preview(archive=without_flag)


def _without_utf8_flag(archive: bytes) -> bytes:
    """As macOS writes archives: names in UTF-8, and no flag that says so."""
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        parts = archive.split(signature)
        cleared = [part[: place - 4] + bytes(2) + part[place - 2 :] for part in parts[1:]]
        archive = signature.join([parts[0], *cleared])
    return archive


def test_a_higher_version_shows_the_difference_most_dangerous_first(install, preview):
    install()
    manifest = build_manifest(
        package_version="1.1.0",
        tool_policy={"default": "deny", "rules": [*RULES, {"tool": "export_all", "effect": "read", "retry": "safe"}]},
    )
    page = preview(manifest, {"notes.txt": "new"})
    assert "Update name (en) to 1.1.0" in page
    assert "Version 1.0.0 is in use. Nothing has been written yet." in page
    assert "Continue to configuration" not in page
    told = page.split("What would change")[1]
    assert told.index("new tool export_all (read)") < told.index("version 1.0.0 → 1.1.0") < told.index("notes.txt")


def test_the_difference_is_told_in_the_reader_s_language(install, preview):
    install()
    assert "版本 1.0.0 → 1.1.0" in preview(build_manifest(package_version="1.1.0"), language="zh-hans")


PROGRAM = """
import json, sys
asked = json.load(sys.stdin)["operation"]
result = {"identity": 1} if asked == "authorization_identity" else {}
print(json.dumps({"protocol_version": 1, "ok": True, "result": result}))
"""


def test_changed_program_source_is_told(install, preview):
    program = build_program_manifest()
    install(program, {"provider/main.py": PROGRAM})
    page = preview({**program, "package_version": "1.1.0"}, {"provider/main.py": "print('other')"})
    assert "program source changed: provider/main.py" in page


def test_a_program_that_breaks_while_it_is_installed_is_told_at_the_form(admin, preview):
    preview(build_program_manifest(), {"provider/main.py": "raise KeyError(open(0).read()[:9])"})
    staged = StagedPackage.objects.latest("staged_at")
    fields = {"archive-sha256": staged.archive_sha256, "endpoint": "https://mcp.example.com/mcp"}
    answer = admin.post(f"/install/{staged.pk}/commit/", fields)
    assert answer.status_code == 502
    assert "program gave no valid answer" in answer.content.decode()
    assert 'value="https://mcp.example.com/mcp"' in answer.content.decode()
    assert not Connector.objects.exists()


def test_a_difference_of_thousands_of_files_stays_a_page(install, preview):
    install()
    page = preview(build_manifest(package_version="1.1.0"), {f"data/{n}.txt": b"x" for n in range(600)})
    assert page.index("version 1.0.0 → 1.1.0") < page.index("file added: data/0.txt")
    assert "102 more changes are not listed." in page


def test_a_program_of_thousands_of_files_stays_a_page(preview):
    page = preview(build_program_manifest(), {f"provider/part{n}.bin": b"\0" for n in range(600)})
    assert "and 100 more files" in page


def test_a_lower_version_is_refused(install, preview):
    install(build_manifest(package_version="2.0.0"))
    page = preview(build_manifest(package_version="1.9.9"))
    assert "This is version 1.9.9; version 2.0.0 is installed" in page
    assert "Continue to configuration" not in page


def test_an_installed_archive_that_is_gone_leaves_the_rest_of_the_difference(install, preview, settings, tmp_path):
    install()
    settings.OBJECT_STORE_DIR = tmp_path / "empty"
    settings.PACKAGE_CACHE_DIR = tmp_path / "cache" / "packages"
    page = preview(build_manifest(package_version="1.1.0"))
    assert "version 1.0.0 → 1.1.0" in page
    assert "its files are not compared" in page


def test_a_version_of_a_removed_connector_keeps_its_content(install, preview):
    install().delete()
    assert PackageVersion.objects.exists()
    assert "with other content" in preview(build_manifest(connection_policy="multiple_per_user"))


def test_a_very_deep_folder_is_shown(preview):
    assert "deepest.txt" in preview(files={f"{'a/' * 240}deepest.txt": b"x"})


def test_ten_thousand_files_are_shown_in_time(preview):
    began = time.monotonic()
    page = preview(files={f"data/{n:04}.txt": b"x" for n in range(9_900)})
    assert "data/" in page
    assert "1500.txt" in page
    assert "more files are not listed" in page
    assert page.count('class="file"') == 2_000
    assert time.monotonic() - began < 20


def test_folders_come_first_and_close_where_they_end():
    paths = ["z.txt", "a/y.txt", "a/b/x.txt", "c/w.txt"]
    tree = build_tree([PackageFile(path, 1, "") for path in paths])
    told = [line.name if line.kind == "file" else f"{line.name}{line.kind}" for line in tree.lines]
    assert told == ["aopen", "bopen", "x.txt", "close", "y.txt", "close", "copen", "w.txt", "close", "z.txt"]
    assert tree.untold == 0


def test_what_an_administrator_will_configure_is_told(preview):
    page = preview(build_oauth_manifest())
    fields = page.split("You will be asked to configure:")[1].split("</ul>")[0]
    assert 'configuration.clientSecret.label (en) <span class="badge">secret</span>' in fields
