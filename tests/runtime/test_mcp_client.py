"""The upstream client against servers of every era."""

import pytest

from connectors.egress.metering import Meter, current_meter
from connectors.errors import OutcomeUnknown, Unreachable, UpstreamFault
from connectors.runtime import mcp_eras
from connectors.runtime.mcp_client import Deadline, UpstreamServer, call_tool, list_tools
from connectors.vault.secret import Secret
from tests.fakes.mcp_server import McpServer, tool

ERAS = {
    "2026-07-28": {"handshake": False, "sse": False},
    "handshake": {"modern": False, "sse": False},
    "sse": {"modern": False, "handshake": False},
}


@pytest.fixture(params=ERAS)
def era(request):
    return request.param


def at(server: McpServer, era: str = "", **headers: str) -> UpstreamServer:
    url, transport = (server.sse_url, "sse") if era == "sse" else (server.url, "streamable_http")
    return UpstreamServer(url, transport, {name: Secret(value) for name, value in headers.items()})


async def call(server: McpServer, era: str = "", name: str = "echo", seconds: float = 5, **options):
    arguments = options.pop("arguments", {"text": "hello"})
    options.setdefault("session_key", "k")
    return await call_tool(at(server, era), name, arguments, deadline=Deadline.after(seconds), **options)


async def test_a_server_of_any_era_is_listed_and_called(era):
    with McpServer([tool("echo"), tool("other")], **ERAS[era]) as server:
        listed = await list_tools(at(server, era), deadline=Deadline.after(5))
        result = await call(server, era)
    assert [each["name"] for each in listed.tools] == ["echo", "other"]
    assert listed.era == era
    assert listed.server_info["name"] == "fake"
    assert result.raw["content"] == [{"type": "text", "text": "hello"}]
    assert result.server_address == f"127.0.0.1:{server.port}"


async def test_answers_in_an_event_stream_are_read_past_notifications(era):
    with McpServer(answer_in_stream=True, **ERAS[era]) as server:
        result = await call(server, era)
    assert result.raw["content"][0]["text"] == "hello"


async def test_the_credential_travels_with_every_request(era):
    with McpServer(key=("X-Key", "k1"), **ERAS[era]) as server:
        await list_tools(at(server, era, **{"X-Key": "k1"}), deadline=Deadline.after(5))
        with pytest.raises(UpstreamFault) as refused:
            await list_tools(at(server, era, **{"X-Key": "other"}), deadline=Deadline.after(5))
    assert refused.value.code == "authorization_required"
    assert refused.value.parameters["stage"] == "authorization"


async def test_the_newest_era_mirrors_method_and_name_in_headers():
    schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
    with McpServer([tool("搜索", inputSchema=schema)]) as server:
        await call(server, name="搜索", arguments={"region": "de"}, parameter_headers={("region",): "Mcp-Param-Region"})
    headers = server.calls[0].headers
    assert headers["mcp-method"] == "tools/call"
    assert headers["mcp-name"] == "=?base64?5pCc57Si?="
    assert headers["mcp-param-region"] == "de"
    assert headers["mcp-protocol-version"] == "2026-07-28"
    assert "mcp-session-id" not in headers


async def test_the_era_is_asked_once():
    with McpServer(modern=False) as server:
        await call(server)
        await call(server)
    assert server.hits["server/discover"] == 1
    assert server.hits["initialize"] == 1
    assert server.hits["tools/call"] == 2


async def test_the_era_is_asked_again_after_a_failure():
    with McpServer(handshake=False) as server:
        await call(server)
        server.knobs.modern, server.knobs.handshake = False, True
        with pytest.raises(UpstreamFault):
            await call(server)
        await call(server)
    assert server.hits["server/discover"] == 2


async def test_sessions_are_kept_apart_by_key():
    with McpServer(modern=False) as server:
        await call(server, session_key="one")
        await call(server, session_key="two")
        await call(server, session_key="one")
    assert server.hits["initialize"] == 2
    sessions = [each.headers["mcp-session-id"] for each in server.calls]
    assert sessions[0] == sessions[2] != sessions[1]


async def test_a_forgotten_session_is_replaced_once_for_a_read():
    with McpServer(modern=False) as server:
        await call(server)
        server.forget_sessions()
        meter = Meter()
        current_meter.set(meter)
        await call(server, may_repeat=True)
    assert meter.retries == 1
    assert server.hits["initialize"] == 2


async def test_a_write_into_a_forgotten_session_is_unknown_and_not_sent_again():
    with McpServer(modern=False) as server:
        await call(server)
        server.forget_sessions()
        with pytest.raises(OutcomeUnknown):
            await call(server)
        assert server.hits["tools/call"] == 2
        await call(server)
    assert len(server.calls) == 2


async def test_an_idle_session_is_checked_before_a_write(monkeypatch):
    monkeypatch.setattr("connectors.runtime.mcp_sessions.IDLE_SECONDS", 0)
    with McpServer(modern=False) as server:
        await call(server)
        server.forget_sessions()
        await call(server)
    assert server.hits["ping"] == 2
    assert len(server.calls) == 2


async def test_a_list_is_asked_again_in_a_new_session():
    with McpServer(modern=False) as server:
        await list_tools(at(server), deadline=Deadline.after(5), session_key="k")
        server.forget_sessions()
        listed = await list_tools(at(server), deadline=Deadline.after(5), session_key="k")
    assert len(listed.tools) == 1


async def test_a_broken_connection_after_sending_is_unknown(era):
    with McpServer(drop_after_call=True, **ERAS[era]) as server, pytest.raises(OutcomeUnknown):
        await call(server, era, seconds=1)
    assert len(server.calls) == 1


async def test_a_safe_read_is_tried_once_more():
    with McpServer(drop_after_call=True) as server, pytest.raises(OutcomeUnknown):
        await call(server, may_repeat=True)
    assert len(server.calls) == 2


async def test_a_time_out_after_sending_is_unknown():
    with McpServer(delay=30) as server, pytest.raises(OutcomeUnknown) as lost:
        await call(server, seconds=0.5)
    assert lost.value.parameters["reason"] == "timed_out"


async def test_nothing_is_sent_when_the_handshake_hangs():
    with McpServer(modern=False, hang=frozenset({"initialize"})) as server, pytest.raises(Unreachable):
        await call(server, seconds=0.5)
    assert not server.calls


async def test_nobody_listening_is_unreachable():
    with McpServer() as server:
        pass
    with pytest.raises(Unreachable):
        await call(server)


@pytest.mark.parametrize("status", [500, 502, 503])
async def test_a_server_error_leaves_a_call_in_doubt(status):
    with McpServer(status={"tools/call": status}) as server, pytest.raises(OutcomeUnknown):
        await call(server)


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "authorization_required"), (403, "insufficient_scope"), (429, "rate_limited"), (400, "http_status")],
)
async def test_a_clear_no_is_a_fault(status, code):
    with McpServer(status={"tools/call": status}) as server, pytest.raises(UpstreamFault) as refused:
        await call(server)
    assert refused.value.code == code


async def test_an_error_answer_is_a_fault_without_the_upstreams_words():
    with (
        McpServer(errors={"tools/call": {"code": -32602, "message": "secret internals"}}) as server,
        pytest.raises(UpstreamFault) as refused,
    ):
        await call(server)
    assert refused.value.code == "external_error"
    assert "secret" not in str(refused.value)


async def test_a_request_for_input_is_a_fault():
    with McpServer(result={"resultType": "input_required", "inputRequests": {}}) as server:
        # The fake stamps `complete` on modern answers; an older server's is left alone.
        server.knobs.modern = False
        with pytest.raises(UpstreamFault):
            await call(server)


async def test_every_page_is_followed():
    with McpServer([tool(f"t{number}") for number in range(7)], page_size=2) as server:
        listed = await list_tools(at(server), deadline=Deadline.after(5))
    assert len(listed.tools) == 7


async def test_a_repeated_cursor_is_refused():
    with (
        McpServer([tool("a"), tool("b")], page_size=1, repeat_cursor=True) as server,
        pytest.raises(UpstreamFault) as refused,
    ):
        await list_tools(at(server), deadline=Deadline.after(5))
    assert refused.value.code == "cursor_repeated"


async def test_malformed_tools_are_left_out_and_named():
    wrong = [
        "text",
        {"name": ""},
        tool("echo"),
        {"name": "bare"},
        tool("out", outputSchema=[]),
        tool("d", description=1),
    ]
    with McpServer([tool("echo"), *wrong, tool("last")]) as server:
        listed = await list_tools(at(server), deadline=Deadline.after(5))
    assert [each["name"] for each in listed.tools] == ["echo", "last"]
    assert [each.reason for each in listed.malformed] == [
        "not_an_object",
        "name_invalid",
        "name_repeated",
        "input_schema_invalid",
        "output_schema_invalid",
        "text_invalid",
    ]


async def test_a_schema_too_large_or_too_deep_is_left_out():
    deep: dict = {}
    for _ in range(25):
        deep = {"properties": {"x": deep}}
    large = {"type": "object", "description": "x" * 70_000}
    with McpServer([tool("large", inputSchema=large), tool("deep", inputSchema={"type": "object", **deep})]) as server:
        listed = await list_tools(at(server), deadline=Deadline.after(5))
    assert [each.reason for each in listed.malformed] == ["input_schema_too_large", "input_schema_too_deep"]


async def test_too_many_tools_are_refused():
    with (
        McpServer([tool(f"t{number}") for number in range(501)], page_size=100) as server,
        pytest.raises(UpstreamFault) as refused,
    ):
        await list_tools(at(server), deadline=Deadline.after(5))
    assert refused.value.code == "too_many_tools"


async def test_a_legacy_server_is_found_behind_the_streamable_address():
    """A server that knows only the legacy transport answers 405 to POST and an event stream to GET."""
    with McpServer(modern=False, handshake=False) as server:
        listed = await list_tools(UpstreamServer(server.sse_url, "streamable_http"), deadline=Deadline.after(5))
    assert listed.era == "sse"


@pytest.mark.parametrize("told", ["http://127.0.0.2:1/messages", "http://[", "//[::1", "javascript:0"])
async def test_a_legacy_endpoint_on_another_origin_is_refused(told):
    with McpServer(sse_endpoint=told) as server, pytest.raises(UpstreamFault) as refused:
        await list_tools(at(server, "sse"), deadline=Deadline.after(5))
    assert refused.value.code == "endpoint_elsewhere"


async def test_a_server_of_only_unknown_versions_is_refused():
    error = {"code": -32022, "message": "no", "data": {"supported": ["2099-01-01"]}}
    with McpServer(errors={"server/discover": error}) as server, pytest.raises(UpstreamFault) as refused:
        await list_tools(at(server), deadline=Deadline.after(5))
    assert refused.value.code == "version_unsupported"


def test_only_so_many_eras_are_remembered(monkeypatch):
    monkeypatch.setattr(mcp_eras, "MAX_REMEMBERED", 2)
    for number in range(3):
        mcp_eras.remember(UpstreamServer(f"http://127.0.0.1/{number}"), mcp_eras.Spoken("sse"))
    assert mcp_eras.recall(UpstreamServer("http://127.0.0.1/0")) is None
    assert mcp_eras.recall(UpstreamServer("http://127.0.0.1/2")) is not None
