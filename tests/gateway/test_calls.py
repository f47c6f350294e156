"""Calls that go out: what is logged, what is kept, and what never happens twice."""

import http.client
import json
import logging
import threading
import uuid

import pytest
from django.db import transaction

from connectors.access.models import AgentToken
from connectors.audit.models import CallRecord, DecisionRecord
from connectors.authorization.credentials import seal_credential
from connectors.gateway.models import Invocation, Run, Toolset
from connectors.vault.fingerprint import keyed_digest
from connectors.vault.secret import Secret
from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant
from tests.fakes.gateway_server import ENVELOPE
from tests.fakes.mcp_server import McpServer, tool
from tests.fakes.world import RULES


def test_a_read_leaves_a_decision_and_a_call(world):
    answer = world.gateway.call("notes__search_notes", {"text": "plum"})
    call = CallRecord.objects.get()
    decision = DecisionRecord.objects.get()
    assert (decision.rule, decision.allowed) == ("granted", True)
    assert decision.manifest_revision == world.connector.version.manifest_revision
    assert len(decision.tool_digest) == 64
    assert (call.decision_id, call.outcome, call.effect) == (decision.pk, "succeeded", "read")
    assert (call.tool, call.upstream_tool) == ("notes__search_notes", "search_notes")
    assert (call.connector_key, call.package_version) == ("notes", "1.0.0")
    assert (call.person_id, call.agent_id) == (world.owner.pk, world.agent.pk)
    assert call.connection_id == world.connection.pk
    assert call.server_address == f"127.0.0.1:{world.upstream.port}"
    assert call.arguments_digest == keyed_digest(b'{"text":"plum"}')
    assert call.arguments_bytes == 15
    assert call.result_bytes == len(answer.body) - len('{"jsonrpc":"2.0","id":1,"result":"resultType":"complete",}')
    assert call.elapsed_us >= call.upstream_us > 0
    assert call.started_at <= call.ended_at
    assert not Invocation.objects.exists()


def test_uses_are_kept_once_a_minute(world):
    world.gateway.call("notes__search_notes")
    world.connector.refresh_from_db()
    world.connection.refresh_from_db()
    first = world.connection.last_used_at
    assert first is not None
    assert world.connector.last_used_at is not None
    assert AgentToken.objects.get(agent=world.agent).last_used_at is not None
    world.gateway.call("notes__search_notes")
    world.connection.refresh_from_db()
    assert world.connection.last_used_at == first


def test_results_pass_through_unread(world):
    raw = {
        "content": [{"type": "mystery", "data": [1, {"deep": None}]}],
        "structuredContent": {"数": 1.5},
        "isError": False,
        "x": "unknown fields stay",
    }
    world.upstream.knobs.result = raw
    assert world.gateway.call("notes__search_notes").result == {**raw, "resultType": "complete"}
    assert world.gateway.legacy("tools/call", {"name": "notes__search_notes"}).result == raw


def test_a_tools_own_error_is_an_ending_of_its_own(world):
    world.upstream.knobs.result = {"content": [], "isError": True}
    assert world.gateway.call("notes__search_notes").result["isError"]
    assert CallRecord.objects.get().outcome == "tool_error"


def test_a_result_without_content_gets_some(world):
    world.upstream.knobs.result = {"structuredContent": {"a": 1}}
    assert world.gateway.call("notes__search_notes").result["content"] == [{"type": "text", "text": '{"a":1}'}]


def test_a_write_is_claimed_sent_and_ended(world):
    world.gateway.call("notes__add_note", {"text": "x"})
    claim, decision, call = Invocation.objects.get(), DecisionRecord.objects.get(), CallRecord.objects.get()
    assert claim.state == "succeeded"
    assert claim.claimed_at <= claim.sent_at <= claim.ended_at
    assert claim.pk == decision.pk == call.decision_id
    assert claim.invocation_id == call.invocation_id
    assert claim.outcome == {"state": "succeeded", "code": ""}


def test_sent_is_committed_before_the_request_goes_out(world):
    world.upstream.knobs.delay = 0.3
    waiting = threading.Thread(target=world.gateway.call, args=("notes__add_note",))
    waiting.start()
    assert world.upstream.call_arrived.wait(10)
    assert Invocation.objects.get().state == "sent"
    assert DecisionRecord.objects.get().allowed
    assert not CallRecord.objects.exists()
    waiting.join()


def test_a_write_that_broke_is_unknown_and_sent_once(world):
    world.upstream.knobs.drop_after_call = True
    answer = world.gateway.call("notes__add_note")
    assert answer.result["isError"]
    assert answer.result["content"][0]["text"].startswith("connector_action_outcome_unknown: ")
    assert len(world.upstream.calls) == 1
    assert Invocation.objects.get().state == "unknown"
    assert CallRecord.objects.get().error_code == "connector_action_outcome_unknown"


def test_a_safe_read_that_broke_is_tried_again_and_is_no_mystery(world):
    world.upstream.knobs.drop_after_call = True
    answer = world.gateway.call("notes__search_notes")
    assert answer.result["content"][0]["text"].startswith("unavailable: ")
    assert len(world.upstream.calls) == 2
    assert CallRecord.objects.get().outcome == "failed"


def test_a_write_that_was_never_sent_is_no_mystery(world):
    assert world.gateway.tool_names()
    world.upstream.__exit__()
    answer = world.gateway.call("notes__add_note")
    assert answer.result["_meta"]["poco.connectors/error"] == {"code": "unavailable", "retryable": True}
    assert Invocation.objects.get().state == "failed"


def test_the_same_invocation_returns_its_recorded_outcome(world):
    key = str(uuid.uuid4())
    meta = {"poco.connectors/invocation-id": key}
    first = world.gateway.call("notes__add_note", {"text": "once"}, **meta)
    second = world.gateway.call("notes__add_note", {"text": "once"}, **meta)
    assert first.result == second.result
    assert len(world.upstream.calls) == 1
    assert CallRecord.objects.count() == 1
    assert [row.reason for row in DecisionRecord.objects.order_by("id")] == ["", "recorded"]


def test_an_unknown_outcome_stays_unknown_when_asked_again(world):
    meta = {"poco.connectors/invocation-id": str(uuid.uuid4())}
    world.upstream.knobs.drop_after_call = True
    first = world.gateway.call("notes__add_note", **meta)
    world.upstream.knobs.drop_after_call = False
    assert world.gateway.call("notes__add_note", **meta).result == first.result
    assert len(world.upstream.calls) == 1


def test_an_invocation_id_belongs_to_one_call(world):
    meta = {"poco.connectors/invocation-id": str(uuid.uuid4())}
    world.gateway.call("notes__add_note", {"text": "a"}, **meta)
    answer = world.gateway.call("notes__add_note", {"text": "b"}, **meta)
    assert answer.result["content"][0]["text"].startswith("invocation_reused: ")
    assert len(world.upstream.calls) == 1


def test_the_same_invocation_many_times_at_once_is_sent_once(world, caplog):
    meta = {"poco.connectors/invocation-id": str(uuid.uuid4())}
    world.gateway.tool_names()
    world.upstream.knobs.delay = 0.2
    threads = [threading.Thread(target=world.gateway.call, args=("notes__add_note",), kwargs=meta) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(world.upstream.calls) == 1
    assert CallRecord.objects.count() == 1
    assert DecisionRecord.objects.count() == 12
    assert [line.getMessage() for line in caplog.records if line.levelno >= logging.WARNING] == []


def test_many_at_once_are_all_logged(world):
    world.gateway.tool_names()
    threads = [threading.Thread(target=world.gateway.call, args=("notes__search_notes",)) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert CallRecord.objects.filter(outcome="succeeded").count() == 24
    assert Run.objects.count() == 1


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "authorization_required"), (403, "insufficient_scope"), (429, "rate_limited"), (400, "external_error")],
)
def test_a_refusal_upstream_is_told_in_our_words(world, status, code):
    world.gateway.tool_names()
    world.upstream.knobs.status = {"tools/call": status}
    answer = world.gateway.call("notes__search_notes")
    assert answer.result["_meta"]["poco.connectors/error"]["code"] == code
    assert CallRecord.objects.get().error_code == code


def test_a_missing_scope_is_named_to_the_agent(world):
    world.gateway.tool_names()
    world.upstream.knobs.forbid = True
    world.upstream.knobs.challenge = 'Bearer error="insufficient_scope", scope="notes.read notes.all"'
    answer = world.gateway.call("notes__search_notes")
    assert "Scopes needed: notes.read, notes.all." in answer.result["content"][0]["text"]


def test_the_credential_is_opened_sent_and_never_logged(world):
    with McpServer([tool("search_notes")], key=("Authorization", "Bearer canary-71")) as keyed:
        connector = make_connector("keyed", endpoint=keyed.url, rules=RULES, static=True)
        connection = make_connection(world.owner, connector)
        with transaction.atomic():
            credential = seal_credential(connection, {"token": Secret("canary-71")})
        make_grant(world.agent, connection)
        world.announce()
        answer = world.gateway.call("keyed__search_notes", {"text": "found"})
        assert answer.result["content"][0]["text"] == "found"
        assert keyed.calls[0].headers["authorization"] == "Bearer canary-71"
    assert CallRecord.objects.get().credential_fingerprint == credential.fingerprint
    for model in (CallRecord, DecisionRecord, Toolset, Run):
        assert "canary" not in str(list(model.objects.values()))


def test_the_inbound_token_never_travels_on(world):
    world.gateway.call("notes__search_notes")
    assert world.gateway.token not in str(world.upstream.calls[0].headers)


def test_conversations_are_runs_of_their_agent(world):
    meta = {"poco.connectors/conversation": "one"}
    world.gateway.call("notes__search_notes", **meta)
    world.gateway.call("notes__search_notes", **meta)
    world.gateway.call("notes__search_notes")
    other, token = make_agent(world.owner)
    make_grant(other, world.connection)
    world.announce()
    world.gateway.holding(token).call("notes__search_notes", **meta)
    assert sorted((run.agent_id == other.pk, run.conversation) for run in Run.objects.all()) == [
        (False, ""),
        (False, "one"),
        (True, "one"),
    ]
    assert Run.objects.first().connector_versions == {"notes": world.connector.version.manifest_revision}


def test_a_client_that_hangs_up_cancels_and_the_ending_is_logged(world):
    world.gateway.tool_names()
    world.upstream.knobs.delay = 20
    gateway, name = world.gateway, "notes__add_note"
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "_meta": ENVELOPE}}
    headers = {"Authorization": f"Bearer {gateway.token}", "Content-Type": "application/json", "Mcp-Name": name}
    headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call"}
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port)
    connection.request("POST", "/mcp", json.dumps(body), headers)
    assert world.upstream.call_arrived.wait(10)
    connection.close()
    _wait_until(CallRecord.objects.exists)
    call = CallRecord.objects.get()
    assert (call.outcome, call.error_code) == ("unknown", "connector_action_outcome_unknown")
    assert Invocation.objects.get().state == "unknown"


def test_a_handshake_era_client_cancels_by_notification(world):
    world.gateway.tool_names()
    world.upstream.knobs.delay = 20
    answers = []
    asking = threading.Thread(
        target=lambda: answers.append(world.gateway.legacy("tools/call", {"name": "notes__search_notes"}))
    )
    asking.start()
    assert world.upstream.call_arrived.wait(10)
    note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    _other, token = make_agent()
    world.gateway.holding(token).post(note)
    assert not answers
    world.gateway.post(note)
    asking.join(10)
    assert answers[0].error["code"] == -32800
    assert CallRecord.objects.get().error_code == "cancelled"


def _wait_until(holds) -> None:
    limit = threading.Event()
    for _ in range(200):
        if holds():
            return
        limit.wait(0.05)
    raise AssertionError
