"""The endpoint's own rules: tokens, origins, sizes, and what each era demands of a request."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.access.models import AgentToken
from connectors.audit.models import CallRecord, DecisionRecord
from tests.builders.connectors import make_agent
from tests.fakes.gateway_server import ENVELOPE, MODERN


def change_token(world, **values) -> None:
    AgentToken.objects.filter(agent=world.agent).update(**values)


@pytest.mark.parametrize("token", ["", "wrong", "poco_" + "a" * 43, "Bearer"])
def test_a_wrong_token_is_challenged_with_where_to_read_more(world, token):
    answer = world.gateway.holding(token).modern("tools/list")
    assert answer.status == 401
    challenge = answer.headers["www-authenticate"]
    assert challenge.startswith("Bearer resource_metadata=")
    assert "/.well-known/oauth-protected-resource" in challenge
    assert "invalid_token" in challenge


def test_a_missing_token_is_challenged_without_an_error(world):
    answer = world.gateway.request("POST", body=b"{}", Authorization=None)
    assert answer.status == 401
    assert "error=" not in answer.headers["www-authenticate"]


def test_an_expired_token_stops_working(world):
    change_token(world, expires_at=timezone.now() - timedelta(seconds=1))
    assert world.gateway.modern("tools/list").status == 401


def test_a_revoked_token_stops_at_the_very_next_request(world):
    assert world.gateway.modern("tools/list").status == 200
    change_token(world, revoked_at=timezone.now())
    assert world.gateway.modern("tools/list").status == 401


def test_a_deactivated_owner_stops_every_token(world):
    world.change(world.owner, is_active=False)
    assert world.gateway.modern("tools/list").status == 401


def test_metadata_of_the_resource_is_public(world):
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
        answer = world.gateway.request("GET", path, Authorization=None)
        assert answer.status == 200
        assert answer.json["resource"].endswith("/mcp")
        assert answer.json["bearer_methods_supported"] == ["header"]
    assert world.gateway.request("POST", path, b"").status == 405


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_post_is_answered(world, method):
    answer = world.gateway.request(method)
    assert answer.status == 405
    assert answer.headers["allow"] == "POST"


def test_a_foreign_origin_is_refused(world):
    assert world.gateway.modern("tools/list", Origin="https://evil.example").status == 403
    assert world.gateway.modern("tools/list", Origin="http://localhost:6274").status == 200


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "null", "http://localhost@evil.example", "\xff", ""])
def test_an_origin_that_is_none_is_a_foreign_one(world, origin):
    assert world.gateway.modern("tools/list", Origin=origin).status == 403


def test_a_rebound_host_is_refused(world):
    assert world.gateway.modern("tools/list", Host="evil.example").status == 421


def test_a_body_of_another_type_is_refused(world):
    assert world.gateway.request("POST", body=b"a=1", Content_Type="text/plain").status == 415


def test_a_body_over_the_limit_is_refused(world):
    assert world.gateway.request("POST", body=b" " * (1024 * 1024 + 1)).status == 413


@pytest.mark.parametrize("size", [256 * 1024 - 12, 256 * 1024 - 10])
def test_arguments_have_a_limit(world, size):
    """`{"text":"…"}` is eleven bytes around its text."""
    answer = world.gateway.call("notes__search_notes", {"text": "x" * size})
    assert answer.status == (200 if size + 11 <= 256 * 1024 else 400)


@pytest.mark.parametrize("body", [b"", b"{", b'{"a":1,"a":2}', b'{"a":NaN}', b"[" * 100, b'{"a":"\\ud800"}', b"\xff"])
def test_broken_json_is_a_parse_error(world, body):
    answer = world.gateway.request("POST", body=body)
    assert answer.status == 400
    assert answer.error["code"] == -32700
    assert answer.json["id"] is None


@pytest.mark.parametrize(
    "message",
    [1, {"id": 1}, {"jsonrpc": "1.0", "id": 1, "method": "x"}, {"jsonrpc": "2.0", "id": None, "method": "ping"},
     {"jsonrpc": "2.0", "id": True, "method": "ping"}, {"jsonrpc": "2.0", "id": 1, "method": 5},
     {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}],
)  # fmt: skip
def test_what_is_no_request_is_an_invalid_request(world, message):
    answer = world.gateway.post(message)
    assert answer.status == 400
    assert answer.error["code"] == -32600


def test_discover_says_what_is_served(world):
    result = world.gateway.modern("server/discover").result
    assert result["supportedVersions"] == [MODERN]
    assert result["resultType"] == "complete"
    assert result["cacheScope"] == "private"
    assert result["ttlMs"] == 0
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "poco-connectors"


def test_a_modern_list_is_complete_private_and_in_order(world):
    answer = world.gateway.modern("tools/list")
    names = [tool["name"] for tool in answer.result["tools"]]
    assert names == sorted(names)
    assert (answer.result["resultType"], answer.result["cacheScope"]) == ("complete", "private")
    assert "mcp-session-id" not in answer.headers


def test_an_unknown_cursor_is_refused(world):
    assert world.gateway.modern("tools/list", {"cursor": "x"}).error["code"] == -32602


@pytest.mark.parametrize("key", ["protocolVersion", "clientCapabilities"])
def test_the_envelope_is_checked_first(world, key):
    meta = {name: value for name, value in ENVELOPE.items() if not name.endswith(key)}
    message = {"jsonrpc": "2.0", "id": 1, "method": "no/such", "params": {"_meta": meta}}
    answer = world.gateway.post(message, MCP_Protocol_Version=MODERN, Mcp_Method="other")
    assert answer.status == 400
    assert answer.error["code"] == -32602


@pytest.mark.parametrize(
    "headers",
    [{"MCP_Protocol_Version": "2025-11-25"}, {"Mcp_Method": "tools/list"}, {"Mcp_Name": "other"}, {"Mcp_Name": None},
     {"Mcp_Method": None}, {"Mcp_Name": "=?base64?!!?="}],
)  # fmt: skip
def test_headers_that_disagree_with_the_body_are_refused(world, headers):
    answer = world.gateway.modern("tools/call", {"name": "notes__search_notes", "arguments": {}}, **headers)
    assert answer.status == 400
    assert answer.error["code"] == -32020
    assert not world.upstream.calls


def test_a_missing_version_header_is_a_mismatch(world):
    assert world.gateway.modern("tools/list", MCP_Protocol_Version=None).error["code"] == -32020


def test_a_wrapped_name_is_understood(world):
    answer = world.gateway.modern(
        "tools/call",
        {"name": "notes__search_notes", "arguments": {}},
        Mcp_Name="=?base64?bm90ZXNfX3NlYXJjaF9ub3Rlcw==?=",
    )
    assert answer.status == 200


def test_an_unknown_version_is_told_what_is_supported(world):
    params = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}}
    answer = world.gateway.modern("tools/list", params, MCP_Protocol_Version="2099-01-01")
    assert answer.status == 400
    assert answer.error["code"] == -32022
    assert answer.error["data"] == {"supported": [MODERN], "requested": "2099-01-01"}


@pytest.mark.parametrize("method", ["initialize", "ping", "resources/list", "subscriptions/listen"])
def test_a_method_this_era_does_not_have_is_not_found(world, method):
    answer = world.gateway.modern(method)
    assert answer.status == 404
    assert answer.error["code"] == -32601


def test_modern_notifications_are_accepted_and_dropped(world):
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    assert world.gateway.post(message, MCP_Protocol_Version=MODERN).status == 202
    assert world.gateway.post(message, MCP_Protocol_Version="2099-01-01").error["code"] == -32022


def test_a_modern_batch_is_refused(world):
    assert world.gateway.post([{}], MCP_Protocol_Version=MODERN).error["code"] == -32600


def test_a_posted_response_is_refused_in_the_modern_era(world):
    message = {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert world.gateway.post(message, MCP_Protocol_Version=MODERN).status == 400


@pytest.mark.parametrize("wanted", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_initialize_agrees_on_the_version_that_is_asked_for(world, wanted):
    answer = world.gateway.legacy("initialize", {"protocolVersion": wanted}, MCP_Protocol_Version=None)
    assert answer.result["protocolVersion"] == wanted
    assert "mcp-session-id" not in answer.headers


def test_initialize_offers_the_newest_handshake_version_otherwise(world):
    answer = world.gateway.legacy("initialize", {"protocolVersion": "1999-01-01"}, MCP_Protocol_Version=None)
    assert answer.result["protocolVersion"] == "2025-11-25"


def test_handshake_era_manners(world):
    assert world.gateway.legacy("ping").result == {}
    assert world.gateway.legacy("no/such").error["code"] == -32601
    assert world.gateway.legacy("no/such").status == 200
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert world.gateway.post(note).status == 202
    assert world.gateway.post({"jsonrpc": "2.0", "id": 1, "result": {}}).status == 202


def test_mirrored_arguments_are_compared_with_the_body(world):
    schema = {
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "count": {"type": "integer", "x-mcp-header": "Count"},
        },
    }
    world.upstream.tools[0]["inputSchema"] = schema
    params = {"name": "notes__search_notes", "arguments": {"region": "de", "count": 42}}
    good = {"Mcp_Param_Region": "de", "Mcp_Param_Count": "42.0"}
    assert world.gateway.modern("tools/call", params, **good).status == 200
    wrong = [{"Mcp_Param_Region": "fr"}, {"Mcp_Param_Region": None}, {"Mcp_Param_Count": "43"}]
    for change in wrong:
        assert world.gateway.modern("tools/call", params, **{**good, **change}).error["code"] == -32020
    params["arguments"].pop("region")
    assert world.gateway.modern("tools/call", params, **good).error["code"] == -32020
    assert world.upstream.calls[0].headers["mcp-param-region"] == "de"
    assert len(world.upstream.calls) == 1


@pytest.mark.parametrize(
    "params",
    [{"name": ""}, {"name": 1}, {"name": "x" * 300}, {"name": "x", "arguments": []},
     {"name": "x", "_meta": {"poco.connectors/invocation-id": "no"}},
     {"name": "x", "_meta": {"poco.connectors/conversation": "x" * 129}}],
)  # fmt: skip
def test_call_parameters_are_checked(world, params):
    assert world.gateway.legacy("tools/call", params).error["code"] == -32602
    assert not DecisionRecord.objects.exists()


def test_a_batch_is_answered_in_the_version_that_has_them(world):
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "notes__search_notes"}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": 5}},
    ]
    answers = world.gateway.post(batch[:3]).json
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["content"][0]["text"] == "search_notes"
    assert world.gateway.post(batch, MCP_Protocol_Version="2025-06-18").status == 400
    assert world.gateway.post([batch[1]]).status == 202
    assert world.gateway.post([]).status == 400


def test_the_first_refusal_of_a_batch_refuses_all_of_it(world):
    names = ["notes__search_notes", "notes__not_in_policy"]
    batch = [
        {"jsonrpc": "2.0", "id": index, "method": "tools/call", "params": {"name": name}}
        for index, name in enumerate(names)
    ]
    answers = world.gateway.post(batch).json
    assert answers[0]["result"]["isError"]
    assert "error" in answers[1]
    assert not world.upstream.calls
    assert {row.rule for row in DecisionRecord.objects.all()} == {"batch_refused", "tool_not_in_policy"}


def test_remote_address_and_trace_are_logged(world):
    trace = "0af7651916cd43dd8448eb211c80319c"
    world.gateway.modern(
        "tools/call", {"name": "notes__search_notes", "arguments": {}}, traceparent=f"00-{trace}-b7ad6b7169203331-01"
    )
    call = CallRecord.objects.get()
    assert call.remote_address == "127.0.0.1"
    assert call.trace_id == trace


def test_another_agents_token_sees_its_own_tools_only(world):
    _agent, token = make_agent()
    assert world.gateway.holding(token).tool_names() == []


def test_health_needs_no_token(world):
    assert world.gateway.request("GET", "/livez", Authorization=None).status == 200
    ready = world.gateway.request("GET", "/readyz", Authorization=None)
    assert ready.status == 200
    assert json.loads(ready.body)["parts"] == {"database": True, "broker": True, "vault": True}


@pytest.mark.parametrize("name", ["notes__a\x1b[2J", "notes__a\u0085", "notes__\u202eabc", ""])
def test_a_name_that_cannot_be_a_tools_is_no_call(world, name):
    answer = world.gateway.legacy("tools/call", {"name": name, "arguments": {}})
    assert answer.error == {"code": -32602, "message": "params.name must be the name of a tool"}
    assert not DecisionRecord.objects.exists()
