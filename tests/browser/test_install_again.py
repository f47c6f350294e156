"""Install in a browser: a bad package dropped, all its faults read at once, the mended one dropped, seen and committed."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.browser.conftest import shoot
from tests.builders.packages import build_manifest, build_package
from tests.flows.product import Product

LIMIT_MIB = 3
MIB = 1024 * 1024
DROP = """([name, content]) => {
  const transfer = new DataTransfer();
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  transfer.items.add(new File([bytes], name, { type: "application/zip" }));
  return transfer;
}"""


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """With a small limit, so that passing it takes no large file."""
    folder = tmp_path_factory.mktemp("product") / "var"
    with Product(folder, {"MAX_UPLOAD_SIZE_MB": str(LIMIT_MIB)}, ["--no-example"]) as running:
        yield running


@pytest.fixture
def sent(admin: Page) -> list[str]:
    """Every upload the browser begins from now on."""
    begun: list[str] = []
    admin.on("request", lambda request: begun.append(request.url) if request.method == "POST" else None)
    return begun


def drop(page: Page, path: Path) -> None:
    page.goto("/install/")
    transfer = page.evaluate_handle(DROP, [path.name, base64.b64encode(path.read_bytes()).decode()])
    page.dispatch_event("#upload", "dragover", {"dataTransfer": transfer})
    page.dispatch_event("#upload", "drop", {"dataTransfer": transfer})
    page.wait_for_url(re.compile(r"/(install|update)/[0-9a-f-]{36}/"))


def test_a_bad_package_is_mended_previewed_reloaded_and_committed(admin: Page, tmp_path: Path) -> None:
    bad = build_manifest(default_locale="fr", connection_policy="many", package_version="1", permission_key="records")
    drop(admin, build_package(tmp_path / "records-bad.zip", manifest=bad, files={"assets/icon.svg": "no image"}))
    expect(admin.get_by_role("heading", name="Refused: 5 faults")).to_be_visible()
    for place in ("/default_locale", "/connection_policy", "/package_version", "/permission_key", "assets/icon.svg"):
        expect(admin.get_by_text(place, exact=True)).to_be_visible()
    expect(admin.get_by_text("The icon's content is no image we know.")).to_be_visible()
    assert "Something is wrong" not in admin.content()
    shoot(admin, "30-install-refused")

    admin.get_by_role("link", name="Upload the mended package").click()
    skills = {
        "skills/search/SKILL.md": "---\nname: Search well\ndescription: How to search.\n---\n# Search\n\nUse *words*."
    }
    mended = build_manifest(skills=[{"key": "search", "path": "skills/search"}])
    drop(admin, build_package(tmp_path / "records.zip", manifest=mended, files=skills))
    expect(admin.get_by_role("heading", name="name (en)", level=1)).to_be_visible()
    for told in ("search_records", "update_record", "delete_record", "Search well", "zh-CN", "manifest.json"):
        expect(admin.get_by_text(told).first).to_be_visible()
    shoot(admin, "31-install-preview")

    address = admin.url
    admin.reload()
    assert admin.url == address
    expect(admin.get_by_role("heading", name="name (en)", level=1)).to_be_visible()

    admin.get_by_role("link", name="Continue to configuration").first.click()
    admin.locator("input[name=endpoint]").fill("https://mcp.example.com/mcp")
    admin.get_by_role("button", name="Install as a draft").click()
    admin.wait_for_url("**/connectors/records/")
    expect(admin.get_by_text("Draft").first).to_be_visible()

    drop(admin, build_package(tmp_path / "records-1.1.0.zip", manifest={**mended, "package_version": "1.1.0"}))
    expect(admin.get_by_role("heading", name="Update name (en) to 1.1.0")).to_be_visible()
    shoot(admin, "32-install-known-key")


def test_a_file_over_the_limit_is_refused_before_anything_is_sent(admin: Page, sent: list[str], tmp_path: Path) -> None:
    large = tmp_path / "large.zip"
    with large.open("wb") as file:
        file.truncate(LIMIT_MIB * MIB + 1)
    admin.goto("/install/")
    admin.locator("input[type=file]").set_input_files(large)
    expect(admin.get_by_text(f"This file is too large. The limit is {LIMIT_MIB} MiB")).to_be_visible()
    expect(admin.locator("input[type=file]")).to_be_focused()
    assert sent == []
    shoot(admin, "33-install-too-large")


def test_what_is_no_zip_is_refused_before_anything_is_sent(admin: Page, sent: list[str], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no archive")
    admin.goto("/install/")
    admin.locator("input[type=file]").set_input_files(tmp_path / "notes.txt")
    expect(admin.get_by_text("This is not a ZIP file.")).to_be_visible()
    assert sent == []


@pytest.fixture
def slow(admin: Page) -> Iterator[CDPSession]:
    """An uplink slow enough to change one's mind."""
    session = admin.context.new_cdp_session(admin)
    session.send("Network.enable")
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 100_000}
    session.send("Network.emulateNetworkConditions", slow)
    yield session
    session.send("Network.emulateNetworkConditions", {**slow, "uploadThroughput": -1})


def test_an_upload_shows_its_bytes_and_can_be_cancelled(admin: Page, slow: CDPSession, tmp_path: Path) -> None:
    archive = tmp_path / "slow.zip"
    archive.write_bytes(b"PK" + bytes(2 * MIB))
    admin.goto("/install/")
    admin.locator("input[type=file]").set_input_files(archive)
    cancel = admin.get_by_role("button", name="Cancel")
    expect(cancel).to_be_visible()
    expect(admin.locator("[data-told]")).to_have_text(re.compile(r"^[\d.]+ [KM]iB of 2 MiB$"))
    shoot(admin, "34-install-progress")
    cancel.click()
    expect(cancel).to_be_hidden()
    expect(admin.locator("input[type=file]")).to_be_visible()
    assert admin.locator("input[type=file]").input_value() == ""
    assert admin.url.endswith("/install/")
