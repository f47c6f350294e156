"""What the record of a call says: every field, where the time went, and content only where it was asked for."""

import re

import pytest
from django.db import transaction

from connectors.audit.capture import open_content
from connectors.audit.models import CallRecord, CapturedContent, DecisionRecord
from connectors.authorization.credentials import seal_credential
from connectors.catalogue.capture import set_capture
from connectors.vault.secret import MASK, Secret
from tests.builders.connectors import make_connection, make_connector, make_grant
from tests.builders.people import make_administrator
from tests.fakes.mcp_server import McpServer, tool
from tests.fakes.world import RULES

CANARY = "canary-9f3a77"
TRACE = "0af7651916cd43dd8448eb211c80319c"
DELAY = 0.15


def parts(call: CallRecord) -> int:
    return call.queue_us + call.refresh_us + call.connect_us + call.upstream_us


@pytest.fixture
def keyed(world):
    """A second connector, whose account's key is the canary."""
    with McpServer([tool("search_notes"), tool("add_note")], key=("Authorization", f"Bearer {CANARY}")) as server:
        connector = make_connector("keyed", endpoint=server.url, rules=RULES, static=True)
        connection = make_connection(world.owner, connector, alias="work")
        with transaction.atomic():
            seal_credential(connection, {"token": Secret(CANARY)})
        make_grant(world.agent, connection)
        world.announce()
        server.connector = connector
        yield server


def test_every_field_of_a_call_is_filled(world, keyed):
    world.gateway.modern(
        "tools/call",
        {"name": "keyed__search_notes", "arguments": {"text": "x"}},
        traceparent=f"00-{TRACE}-{'b' * 16}-01",
    )
    call = CallRecord.objects.get()
    empty = {field.attname for field in CallRecord._meta.concrete_fields if not getattr(call, field.attname)}
    assert empty - {"queue_us", "connect_us"} == {
        "approval_id",  # nobody was asked
        "captured",
        "error_code",
        "invocation_id",  # a read
        "refresh_us",
        "retries",
        "server",  # the connector has one server
    }
    assert (call.alias, call.trace_id, call.origin) == ("work", TRACE, "chat")
    decision = DecisionRecord.objects.get()
    empty = {field.attname for field in DecisionRecord._meta.concrete_fields if not getattr(decision, field.attname)}
    assert empty == {"approval_id", "reason", "server"}


def test_the_parts_of_a_calls_time_are_no_more_than_the_whole(world):
    world.upstream.knobs.delay = DELAY
    world.gateway.call("notes__search_notes")
    call = CallRecord.objects.get()
    assert call.upstream_us >= DELAY * 900_000
    assert parts(call) <= call.elapsed_us
    assert call.elapsed_us <= (call.ended_at - call.started_at).total_seconds() * 1_000_000 + 5_000


@pytest.mark.parametrize("name", ["search_notes", "add_note"])
def test_a_call_that_failed_took_its_time_as_well(world, name):
    world.gateway.tool_names()
    world.upstream.knobs.delay = DELAY
    world.upstream.knobs.drop_after_call = True
    world.gateway.call(f"notes__{name}")
    call = CallRecord.objects.get()
    assert call.outcome != "succeeded"
    assert parts(call) <= call.elapsed_us
    assert call.server_address == f"127.0.0.1:{world.upstream.port}"


def test_a_repeated_read_that_failed_again_says_so(world):
    world.gateway.tool_names()
    world.upstream.knobs.status = {"tools/call": 503}
    world.gateway.call("notes__search_notes")
    call = CallRecord.objects.get()
    assert (call.outcome, call.retries) == ("failed", 1)


@pytest.mark.parametrize(
    "traceparent",
    [
        "", "nonsense", f"00-{TRACE}-{'b' * 16}", f"00-{'0' * 32}-{'b' * 16}-01", f"00-{TRACE}-{'0' * 16}-01",
        f"ff-{TRACE}-{'b' * 16}-01", f"00-{TRACE.upper()}-{'b' * 16}-01", f"00-{TRACE}-{'b' * 16}-01-more",
    ],
)  # fmt: skip
def test_a_trace_that_is_none_is_not_taken_over(world, traceparent):
    headers = {"traceparent": traceparent} if traceparent else {}
    world.gateway.modern("tools/call", {"name": "notes__search_notes", "arguments": {}}, **headers)
    found = CallRecord.objects.get().trace_id
    assert re.fullmatch("[0-9a-f]{32}", found)
    assert found != TRACE


def test_a_later_version_of_the_header_may_say_more(world):
    later = f"01-{TRACE}-{'b' * 16}-01-more"
    world.gateway.modern("tools/call", {"name": "notes__search_notes", "arguments": {}}, traceparent=later)
    assert CallRecord.objects.get().trace_id == TRACE


def test_nothing_of_what_is_said_is_kept_by_default(world, keyed):
    world.gateway.call("keyed__search_notes", {"text": "legible"})
    assert not CallRecord.objects.get().captured
    assert not CapturedContent.objects.exists()


@pytest.mark.parametrize("name", ["search_notes", "add_note"])
def test_content_is_kept_where_an_administrator_asks_without_the_credential(world, keyed, name):
    admin = make_administrator()
    set_capture(connector=keyed.connector, days=2, actor=admin)
    keyed.knobs.result = lambda _name, _arguments: {"content": [{"type": "text", "text": f"you sent {CANARY}"}]}
    answer = world.gateway.call(f"keyed__{name}", {"text": "a plum"})
    assert CANARY in str(answer.result)

    call = CallRecord.objects.get()
    content = open_content(call=call, actor=admin)
    assert call.captured
    assert content.arguments == '{"text":"a plum"}'
    assert CANARY not in content.result
    assert f"you sent {MASK}" in content.result
    assert (content.expires_at - content.captured_at).days == 2


def test_turning_it_off_counts_from_the_very_next_call(world, keyed):
    admin = make_administrator()
    set_capture(connector=keyed.connector, days=2, actor=admin)
    for _ in range(2):  # the first one finds out what tools there are, and the view is made anew after it
        world.gateway.call("keyed__search_notes")
    set_capture(connector=keyed.connector, days=0, actor=admin)
    world.gateway.call("keyed__search_notes")
    assert list(CallRecord.objects.order_by("id").values_list("captured", flat=True)) == [True, True, False]
