"""A connector's later life in a browser: updated, drained, rolled back and removed. In this order."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from axe_playwright_python.sync_playwright import Axe
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from playwright.sync_api import Page, expect

from tests.browser.conftest import shoot
from tests.builders.workbench import pack_workbench
from tests.flows.product import Product

DRESSES = (("zh-hans", "dark", 1280), ("en", "light", 360))
IDLE = "from django.utils import timezone; from connectors.gateway.models import Run; Run.objects.update(idle_ends_at=timezone.now())"


@pytest.fixture(scope="module")
def published(admin: Page) -> None:
    """The example, installed and published."""
    admin.goto("/connectors/")
    admin.get_by_role("button", name="Install the example").click()
    admin.get_by_role("link", name="Continue to configuration").first.click()
    admin.get_by_role("button", name="Install as a draft").click()
    admin.goto("/connectors/workbench/publish/")
    admin.get_by_role("button", name="Publish", exact=True).click()


def upload(admin: Page, archive: Path) -> None:
    admin.goto("/connectors/workbench/")
    admin.get_by_role("link", name="Update…").click()
    admin.locator("input[type=file]").set_input_files(archive)
    admin.wait_for_url(re.compile(r"/update/[0-9a-f-]{36}/"))


def tick_all(admin: Page) -> None:
    for box in admin.locator("input[name=accepted-risk]").all():
        box.check()


def begin_a_run(product: Product, agent: str) -> None:
    """With an agent of its own: the gateway remembers an agent's open run, and does not learn that a test ended it."""
    done = product.manage("new_agent", "--owner", "admin", "--name", agent, "--grant", "workbench")
    found = re.search(r"poco_[A-Za-z0-9_-]{43}", done.stdout)
    assert found is not None, done.stderr

    async def call(token: str) -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http,
            Client(streamable_http_client(f"{product.address}/mcp", http_client=http)) as client,
        ):
            await client.call_tool("workbench__read_note", {"note_id": 1})

    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(call(found.group()))).result()


def let_runs_go_idle(product: Product) -> None:
    done = product.manage("shell", "-c", IDLE)
    assert done.returncode == 0, done.stderr


def look(page: Page, name: str) -> None:
    """In both languages, themes and widths: nothing serious for axe, no sideways scroll; a picture of each."""
    address, faults = page.url, []
    for language, theme, width in DRESSES:
        dress(page, language, theme)
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(address)
        shoot(page, f"{name}-{language}-{theme}-{width}")
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        faults += [f"{language} {width}: {overflow} px sideways"] if overflow > 0 else []
        faults += [
            f"{language} {theme}: {violation['id']}: {violation['nodes'][0]['html'][:160]}"
            for violation in Axe().run(page).response["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
    dress(page, "en", "light")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(address)
    assert faults == []


def dress(page: Page, language: str, theme: str) -> None:
    for name, value in (("language", language), ("theme", theme)):
        page.goto("/preferences/")
        form = {"csrfmiddlewaretoken": page.locator("input[name=csrfmiddlewaretoken]").first.input_value()}
        form |= {name: value, "next": "/"}
        assert page.request.post("/preferences/", form=form, headers={"Referer": page.url}).ok


def update_with_raised_risks(admin: Page, tmp_path: Path) -> None:
    upload(admin, pack_workbench(tmp_path, "1.1.0", riskier=True))
    expect(admin.get_by_role("heading", name="Update Workbench to 1.1.0")).to_be_visible()
    boxes = admin.locator("input[name=accepted-risk]")
    expect(boxes).to_have_count(2)
    look(admin, "60-update")

    admin.get_by_role("button", name="Update to 1.1.0").click()
    alert = admin.locator(".notice[data-takes-focus]")
    expect(alert).to_be_focused()
    expect(alert.get_by_role("link")).to_have_count(3)
    shoot(admin, "61-update-what-is-wrong")
    alert.get_by_role("link", name="new tool purge_notes (destructive)").click()
    expect(boxes.last).to_be_focused()

    tick_all(admin)
    admin.locator("input[name=team]").fill("Operations")
    admin.get_by_role("button", name="Test connection").click()
    expect(admin.get_by_text("It works:")).to_be_visible()
    admin.get_by_role("button", name="Update to 1.1.0").click()
    expect(admin.get_by_role("heading", name="What changed from 1.0.0 to 1.1.0")).to_be_visible()
    look(admin, "62-updated")


def compare_and_download(admin: Page) -> None:
    admin.goto("/connectors/workbench/versions/")
    admin.locator("#compare-from").select_option("1.1.0")
    admin.wait_for_url("**/versions/?from=1.1.0&to=1.1.0*")
    admin.locator("#compare-to").select_option("1.0.0")
    expect(admin.get_by_text("tool purge_notes is gone")).to_be_attached()
    look(admin, "63-versions")
    with admin.expect_download() as download:
        admin.get_by_role("link", name="Download 1.0.0").click()
    assert download.value.suggested_filename == "workbench-1.0.0.zip"


def drain_an_update_refused_while_in_use(admin: Page, product: Product, tmp_path: Path) -> None:
    begin_a_run(product, "Nightly")
    upload(admin, pack_workbench(tmp_path, "1.2.0", riskier=True))
    expect(admin.get_by_text("1 thing uses it at this moment")).to_be_visible()
    expect(admin.locator(".occupants")).to_contain_text("Nightly")
    look(admin, "64-occupied")
    admin.get_by_role("button", name="Try now").click()
    expect(admin.get_by_text("workbench is in use at this moment.")).to_be_visible()
    admin.get_by_role("button", name="Drain and update").click()
    expect(admin.get_by_text("Draining: the update to 1.2.0")).to_be_visible()
    look(admin, "65-draining")

    let_runs_go_idle(product)
    expect(admin.get_by_text("Updated to 1.2.0 by itself")).to_be_visible(timeout=60_000)
    expect(admin.locator(".page-header")).to_contain_text("1.2.0")
    shoot(admin, "66-updated-by-itself")


def cancel_a_drain(admin: Page, product: Product, tmp_path: Path) -> None:
    begin_a_run(product, "Hourly")
    upload(admin, pack_workbench(tmp_path, "1.3.0", riskier=True))
    admin.get_by_role("button", name="Drain and update").click()
    admin.get_by_role("button", name="Cancel the drain").click()
    expect(admin.get_by_text("Cancelled. Nothing was changed")).to_be_visible()
    expect(admin.get_by_text("Draining:")).to_have_count(0)
    expect(admin.locator(".page-header")).to_contain_text("1.2.0")
    let_runs_go_idle(product)


def roll_back(admin: Page) -> None:
    admin.goto("/connectors/workbench/versions/")
    admin.get_by_role("link", name="Roll back… 1.0.0").click()
    expect(admin.get_by_text("1 field is gone in this version; its value is cleared:")).to_be_visible()
    look(admin, "67-roll-back")
    tick_all(admin)
    admin.get_by_role("button", name="Roll back to 1.0.0").click()
    expect(admin.get_by_role("heading", name="What changed from 1.2.0 to 1.0.0")).to_be_visible()
    admin.goto("/connectors/workbench/versions/")
    expect(admin.get_by_role("link", name="Return to it… 1.2.0")).to_be_visible()


def remove_by_typed_key(admin: Page) -> None:
    admin.goto("/connectors/workbench/")
    admin.get_by_role("link", name="Remove…").click()
    look(admin, "68-remove")
    admin.locator("input[name=typed_key]").fill("Workbench")
    admin.get_by_role("button", name="Remove for good").click()
    expect(admin.get_by_text("This is not the connector's key.").first).to_be_visible()
    admin.locator("input[name=typed_key]").fill("workbench")
    admin.get_by_role("button", name="Remove for good").click()
    expect(admin.get_by_role("heading", name="Removal of Workbench")).to_be_visible()
    shoot(admin, "69-removal")
    expect(admin.get_by_text("Nothing of it is left but what the logs tell.")).to_be_visible(timeout=90_000)
    look(admin, "70-removed")
    admin.goto("/connectors/")
    expect(admin.get_by_role("link", name="Workbench")).to_have_count(0)


@pytest.mark.timeout(540)
@pytest.mark.usefixtures("published")
def test_a_connector_is_updated_drained_rolled_back_and_removed(admin: Page, product: Product, tmp_path: Path) -> None:
    update_with_raised_risks(admin, tmp_path)
    compare_and_download(admin)
    drain_an_update_refused_while_in_use(admin, product, tmp_path)
    cancel_a_drain(admin, product, tmp_path)
    roll_back(admin)
    remove_by_typed_key(admin)
