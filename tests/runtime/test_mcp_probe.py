"""Test connection names the stage that fails."""

import pytest

from connectors.runtime.mcp_client import Deadline, UpstreamServer, probe
from connectors.vault.secret import Secret
from tests.fakes.mcp_server import McpServer, tool

NETWORK = ["dns", "tcp", "http"]


async def look(url: str, transport: str = "streamable_http", seconds: float = 5, **headers: str):
    server = UpstreamServer(url, transport, {name: Secret(value) for name, value in headers.items()})
    return await probe(server, deadline=Deadline.after(seconds))


def stages(report) -> list[str]:
    return [stage.name for stage in report.stages]


@pytest.mark.parametrize("knobs", [{"handshake": False}, {"modern": False}])
async def test_a_good_server_passes_every_stage(knobs):
    with McpServer([tool("one"), tool("two")], **knobs) as server:
        report = await look(server.url)
    assert report.ok
    assert report.reached
    assert stages(report) == [*NETWORK, "authorization", "handshake", "list_tools"]
    assert report.tools == ("one", "two")
    assert sum(stage.seconds for stage in report.stages) < 5


async def test_a_good_legacy_server_passes_every_stage():
    with McpServer() as server:
        report = await look(server.sse_url, "sse")
    assert report.ok
    assert stages(report)[-1] == "list_tools"


@pytest.mark.parametrize(
    ("knobs", "stage", "code"),
    [
        ({"html": True}, "http", "not_mcp"),
        ({"key": ("Authorization", "Bearer k")}, "authorization", "authorization_required"),
        ({"forbid": True}, "authorization", "insufficient_scope"),
        ({"status": {"initialize": 500}, "modern": False}, "http", "http_status"),
        ({"errors": {"initialize": {"code": -32603, "message": "x"}}, "modern": False}, "handshake", "rpc_error"),
        ({"hang": frozenset({"initialize"}), "modern": False}, "handshake", "timed_out"),
        ({"errors": {"tools/list": {"code": -32603, "message": "x"}}}, "list_tools", "rpc_error"),
        ({"status": {"tools/list": 500}}, "list_tools", "http_status"),
        ({"page_size": 1, "repeat_cursor": True}, "list_tools", "cursor_repeated"),
    ],
)
async def test_what_fails_ends_the_test_at_its_stage(knobs, stage, code):
    with McpServer([tool("a"), tool("b")], **knobs) as server:
        report = await look(server.url, seconds=1)
    last = report.stages[-1]
    assert (last.name, last.ok, last.code) == (stage, False, code)
    assert report.reached
    assert all(each.ok for each in report.stages[:-1])
    assert stages(report)[: len(NETWORK) - 1] == NETWORK[:-1]


async def test_a_wrong_path_is_an_http_stage():
    with McpServer() as server:
        report = await look(f"{server.origin}/nothing")
    assert (report.stages[-1].name, report.stages[-1].code, report.stages[-1].detail) == (
        "http",
        "http_status",
        "HTTP 404",
    )


async def test_a_key_that_fits_passes():
    with McpServer(key=("Authorization", "Bearer k")) as server:
        assert (await look(server.url, Authorization="Bearer k")).ok


async def test_a_hanging_server_is_an_http_stage():
    with McpServer(hang=frozenset({"server/discover"})) as server:
        report = await look(server.url, seconds=0.5)
    assert (report.stages[-1].name, report.stages[-1].code) == ("http", "timed_out")


async def test_nobody_listening_is_a_tcp_stage():
    with McpServer() as server:
        pass
    report = await look(server.url)
    assert stages(report) == ["dns", "tcp"]
    assert not report.reached


async def test_a_name_nobody_has_is_a_dns_stage():
    report = await look("http://nobody.invalid/mcp")
    assert stages(report) == ["dns"]
    assert not report.reached


async def test_a_forbidden_address_is_a_dns_stage():
    report = await look("http://169.254.169.254/mcp")
    assert (report.stages[-1].name, report.stages[-1].code) == ("dns", "address_refused")
