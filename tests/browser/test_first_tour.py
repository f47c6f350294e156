"""The first tour in a browser: install, publish, connect, make an agent, call, and see the call. In this order."""

import re

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from playwright.sync_api import Page, expect

from tests.browser.conftest import shoot
from tests.flows.product import Product


def install_example(admin: Page) -> None:
    admin.goto("/connectors/")
    shoot(admin, "01-connectors-empty")
    admin.get_by_role("button", name="Install the example").click()
    expect(admin.get_by_role("heading", name="Workbench", level=1)).to_be_visible()
    shoot(admin, "02-preview")
    admin.get_by_role("link", name="Continue to configuration").first.click()
    admin.get_by_role("button", name="Test connection").click()
    expect(admin.get_by_text("It works:")).to_be_visible(timeout=15_000)
    shoot(admin, "03-configure-tested")
    admin.get_by_role("button", name="Install as a draft").click()
    shoot(admin, "04-draft")


def publish(admin: Page) -> None:
    admin.goto("/connectors/workbench/publish/")
    shoot(admin, "05-publish")
    admin.get_by_role("button", name="Publish", exact=True).click()
    expect(admin.get_by_text("Published").first).to_be_visible()
    shoot(admin, "06-published")


def connect(mei: Page) -> None:
    mei.goto("/")
    shoot(mei, "07-home-person")
    mei.goto("/catalogue/")
    shoot(mei, "08-catalogue")
    mei.get_by_role("link", name="Workbench").first.click()
    shoot(mei, "09-catalogue-connector")
    mei.get_by_role("button", name="Connect").first.click()
    expect(mei.get_by_text("Connected").first).to_be_visible()


def make_agent(mei: Page) -> str:
    mei.goto("/agents/new/")
    mei.locator("input[name=name]").fill("Claude Code")
    mei.get_by_role("button", name="Make the agent and its token").click()
    shoot(mei, "10-token")
    token = re.search(r"poco_[A-Za-z0-9_-]{43}", mei.content())
    assert token is not None
    mei.goto("/agents/")
    mei.get_by_role("link", name="Claude Code").first.click()
    mei.get_by_role("link", name=re.compile("Grant Workbench")).click()
    mei.locator("input[name=breadth][value=all]").check()
    mei.locator("input[name=access][value=read_write]").check()
    shoot(mei, "11-grant")
    mei.locator(".grant-form button[type=submit]").click()
    expect(mei.get_by_text("Read and write").first).to_be_visible()
    shoot(mei, "12-agent")
    return token.group()


async def call(product: Product, token: str) -> None:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http,
        Client(streamable_http_client(f"{product.address}/mcp", http_client=http)) as client,
    ):
        await client.call_tool("workbench__search_notes", {"query": "offsite"})
        await client.call_tool("workbench__create_note", {"title": "Tour", "body": "Seen in a browser."})
        await client.call_tool("workbench__delete_note", {"note_id": 1})


@pytest.fixture(scope="module")
def toured(product: Product, admin: Page, mei: Page) -> str:
    """The tour up to the calls; returns the agent's token."""
    import asyncio  # noqa: PLC0415
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    install_example(admin)
    publish(admin)
    connect(mei)
    token = make_agent(mei)
    with ThreadPoolExecutor(1) as thread:  # Playwright's own loop runs in this one
        thread.submit(asyncio.run, call(product, token)).result()
    return token


def test_the_persons_calls_and_decisions_are_on_their_pages(toured: str, mei: Page) -> None:
    mei.goto("/my/calls/")
    expect(mei.get_by_role("link", name="create_note").first).to_be_visible()
    shoot(mei, "13-my-calls")
    mei.get_by_role("link", name="create_note").first.click()
    expect(mei.get_by_text("127.0.0.1").first).to_be_visible()
    shoot(mei, "14-call")
    mei.goto("/my/decisions/")
    expect(mei.get_by_text("delete_note").first).to_be_visible()
    shoot(mei, "15-my-decisions")


def test_an_auditor_sees_everybodys(toured: str, admin: Page) -> None:
    admin.goto("/audit/calls/")
    expect(admin.get_by_text("Mei Chen").first).to_be_visible()
    shoot(admin, "16-audit-calls")
    admin.goto("/audit/decisions/")
    expect(admin.get_by_text("Mei Chen").first).to_be_visible()
    shoot(admin, "17-audit-decisions")


def test_the_connector_list_shows_use(toured: str, admin: Page) -> None:
    admin.goto("/connectors/")
    expect(admin.locator("table time").first).to_be_visible()
    shoot(admin, "18-connectors")


def test_a_token_is_shown_once(toured: str, mei: Page) -> None:
    mei.goto("/agents/")
    mei.get_by_role("link", name="Claude Code").first.click()
    assert toured not in mei.content()
