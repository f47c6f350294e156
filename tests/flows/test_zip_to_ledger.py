"""From a ZIP to a logged tool call, through the pages a person uses and a real MCP client, against real processes."""

import re
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import MCPError
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.flows.product import Product
from tests.flows.visitor import Visitor

pytestmark = pytest.mark.timeout(180)

TOOLS = {"search_notes", "read_note", "create_note", "delete_note", "slow_report"}


async def call(product: Product, token: str, tool: str, arguments: dict[str, Any], mode: str = "auto") -> Any:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http,
        Client(streamable_http_client(f"{product.address}/mcp", http_client=http), mode=mode) as client,
    ):
        return await client.call_tool(tool, arguments)


async def list_tools(product: Product, token: str, mode: str = "auto") -> set[str]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http,
        Client(streamable_http_client(f"{product.address}/mcp", http_client=http), mode=mode) as client,
    ):
        return {tool.name for tool in (await client.list_tools()).tools}


def refused() -> Any:
    """Expect what a client is told of a tool outside its view: that there is none."""
    return pytest.RaisesGroup(pytest.RaisesExc(MCPError, match=r"(?i)unknown tool"), flatten_subgroups=True)


def text_of(result: Any) -> str:
    return "\n".join(part.text for part in result.content)


def install(admin: Visitor, archive: Path, endpoint: str) -> None:
    admin.open("/install/")
    admin.submit("/install/", package=archive)
    assert "Nothing has been written yet" in admin.text()
    admin.open(admin.url + "configure/")
    admin.submit("/commit/", endpoint=endpoint)


def publish(admin: Visitor, key: str) -> None:
    admin.open(f"/connectors/{key}/publish/")
    admin.submit(f"/connectors/{key}/publish/")


def make_agent(person: Visitor, name: str) -> str:
    """Return the new agent's token, which the page shows once."""
    person.open("/agents/new/")
    person.submit("/agents/new/", expect=201, name=name)
    found = re.search(r"poco_[A-Za-z0-9_-]{43}", person.html)
    assert found is not None
    return found.group()


def grant(person: Visitor, name: str, breadth: str, access: str, tools: list[str] | None = None) -> None:
    person.open("/agents/")
    person.open(next(a["href"] for a in person.page.find_all("a") if a.get_text(strip=True) == name))
    person.open(next(a["href"] for a in person.page.find_all("a", href=re.compile("/grants/"))))
    path = re.sub(r"^https?://[^/]+", "", person.url)
    person.submit(path, breadth=breadth, access=access, **({"tools": tools} if tools else {}))


@pytest.fixture(scope="module")
def token(product: Product, packages: Path, admin: Visitor, mei: Visitor) -> str:
    """Mei's agent, granted every tool of the published example: steps 2 and 3 of the tour."""
    install(admin, packages / "workbench.zip", f"{product.example_address}/mcp")
    publish(admin, "workbench")
    mei.open("/catalogue/workbench/")
    mei.submit("/catalogue/workbench/connect/")
    assert "Connected" in mei.text()
    made = make_agent(mei, "Helper")
    grant(mei, "Helper", "all", "read_write")
    return made


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_an_agent_lists_exactly_what_it_was_granted(product: Product, token: str, mode: str) -> None:
    names = await list_tools(product, token, mode)
    assert {f"workbench__{tool}" for tool in TOOLS} <= names
    assert len(names) == len(TOOLS) + 1  # and the one with the Chinese name, under a readable stem


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_read_is_answered_by_the_upstream_server(product: Product, token: str, mode: str) -> None:
    result = await call(product, token, "workbench__search_notes", {"query": "offsite"}, mode)
    assert "Hangzhou" in text_of(result)


async def test_a_tool_with_a_chinese_name_is_called(product: Product, token: str) -> None:
    (chinese,) = {name for name in await list_tools(product, token) if name.removeprefix("workbench__") not in TOOLS}
    result = await call(product, token, chinese, {"城市": "杭州"})
    assert "小雨" in text_of(result)


async def test_a_call_is_on_my_calls_and_on_the_auditors_pages(
    product: Product, token: str, mei: Visitor, admin: Visitor
) -> None:
    await call(product, token, "workbench__create_note", {"title": "Ledger", "body": "seen"})
    mei.open("/my/calls/")
    mei.open(next(a["href"] for a in mei.page.find_all("a") if a.get_text(strip=True) == "create_note"))
    detail = mei.text()
    for expected in ("127.0.0.1", "Helper", "Succeeded"):
        assert expected in detail
    for path in ("/audit/calls/", "/audit/decisions/"):
        admin.open(path)
        assert "create_note" in admin.text()
        assert "Mei" in admin.text()


async def test_the_connector_list_shows_the_last_use(product: Product, token: str, admin: Visitor) -> None:
    await call(product, token, "workbench__search_notes", {})
    admin.open("/connectors/")
    row = next(row for row in admin.page.find_all("tr") if "Workbench" in row.get_text())
    assert row.find("time") is not None


async def test_a_destructive_tool_asks_for_confirmation_and_does_nothing(
    product: Product, token: str, mei: Visitor
) -> None:
    result = await call(product, token, "workbench__delete_note", {"note_id": 1})
    assert result.is_error
    assert "confirmation_required" in result.model_dump_json()
    assert "#1 " in text_of(await call(product, token, "workbench__read_note", {"note_id": 1}))
    mei.open("/my/decisions/")
    assert "delete_note" in mei.text()


async def test_a_grant_that_is_missing_is_refused_and_the_decision_says_why(
    product: Product, token: str, mei: Visitor
) -> None:
    stranger = make_agent(mei, "Stranger")
    assert await list_tools(product, stranger) == set()
    with refused():
        await call(product, stranger, "workbench__search_notes", {})
    mei.open("/my/decisions/")
    assert "grant_missing" in mei.html


async def test_a_read_only_grant_refuses_a_write(product: Product, token: str, mei: Visitor) -> None:
    reader = make_agent(mei, "Reader")
    grant(mei, "Reader", "all", "read_only")
    assert "workbench__create_note" not in await list_tools(product, reader)
    with refused():
        await call(product, reader, "workbench__create_note", {"title": "x", "body": "y"})


async def test_a_withdrawn_connector_is_refused_at_the_next_call(
    product: Product, token: str, admin: Visitor, mei: Visitor
) -> None:
    admin.open("/connectors/workbench/")
    admin.submit("/connectors/workbench/disable/")
    with refused():
        await call(product, token, "workbench__search_notes", {})
    publish(admin, "workbench")
    result = await call(product, token, "workbench__search_notes", {"query": "offsite"})
    assert "Hangzhou" in text_of(result)
    mei.open("/my/decisions/")
    assert "connector_unpublished" in mei.html


async def test_an_account_behind_a_key_is_verified_and_its_key_never_shown(
    product: Product, packages: Path, admin: Visitor, mei: Visitor, token: str
) -> None:
    install(admin, packages / "workbench-keyed.zip", f"{product.example_address}/keyed/mcp")
    publish(admin, "workbench-keyed")
    mei.open("/catalogue/workbench-keyed/connect/")
    mei.submit("/connect/", expect=422, api_key="not-the-key")
    assert "not-the-key" not in mei.html
    mei.submit("/connect/", api_key=product.example_key)
    assert product.example_key not in mei.html
    mei.open("/connections/")
    assert "Workbench" in mei.text()
    assert product.example_key not in mei.html
    for file in product.folder.rglob("*"):
        if file.is_file() and file.name != "key":
            assert product.example_key.encode() not in file.read_bytes(), f"the key is readable in {file.name}"


@pytest.mark.parametrize("bearer", ["", "Bearer poco_" + "x" * 43, "Basic abc"])
def test_a_wrong_token_is_401_with_where_to_learn_more(product: Product, bearer: str) -> None:
    answer = httpx2.post(f"{product.address}/mcp", headers={"Authorization": bearer} if bearer else {}, json={})
    assert answer.status_code == 401
    assert "/.well-known/oauth-protected-resource" in answer.headers["www-authenticate"]
