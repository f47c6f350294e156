"""Calls over credentials that run out or are refused: one refresh, one more try, and never a write twice."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from connectors.audit.models import CallRecord
from connectors.authorization.models import Connection, Credential, RefreshLease
from connectors.gateway.binding import open_binding
from connectors.gateway.models import Invocation, Toolset
from tests.builders.booking import PROVIDER, Booked, install_booking
from tests.builders.connectors import make_connection, make_connector, make_grant
from tests.builders.oauth_accounts import grant_of, make_oauth_connection, make_oauth_connector, replace_credential
from tests.fakes.mcp_server import McpServer, tool
from tests.fakes.token_server import TokenServer
from tests.fakes.world import RULES, TOOLS

ERROR = "poco.connectors/error"


class Cloud:
    """An account at a service whose access token is `access-0`, over now, and whose next one is `access-1`."""

    def __init__(self, world: Any, tokens: TokenServer, upstream: McpServer) -> None:
        self.tokens, self.upstream = tokens, upstream
        self.gateway = world.gateway
        self.connector = make_oauth_connector(tokens.url, endpoint=upstream.url, rules=RULES)
        self.connection = make_oauth_connection(self.connector, world.owner)
        make_grant(world.agent, self.connection)
        world.announce()

    def accept(self, token: str) -> None:
        self.upstream.knobs.key = ("Authorization", f"Bearer {token}")

    def call(self, name: str) -> Any:
        return self.gateway.call(f"cloudnotes__{name}").result

    def code(self, name: str) -> str:
        return self.call(name)["_meta"][ERROR]["code"]

    def has(self, token: str, *, until: timedelta) -> None:
        values = {"access_token": token, "refresh_token": self.tokens.families[0].current}
        grant = grant_of(self.connector)
        replace_credential(self.connection, values, expires_at=timezone.now() + until, grant=grant)

    @property
    def state(self) -> str:
        return Connection.objects.get(pk=self.connection.pk).state


@pytest.fixture
def cloud(world):
    with TokenServer() as tokens, McpServer([tool(name) for name in TOOLS]) as upstream:
        tokens.issue("r1")
        cloud = Cloud(world, tokens, upstream)
        cloud.accept("access-1")
        yield cloud


def test_an_expired_credential_is_renewed_before_the_call(cloud):
    assert cloud.call("search_notes")["content"][0]["text"] == "search_notes"

    assert cloud.tokens.refreshes == ["r1"]
    assert [call.headers["authorization"] for call in cloud.upstream.calls] == ["Bearer access-1"]
    fingerprint = Credential.objects.get(connection=cloud.connection).fingerprint
    assert CallRecord.objects.get().credential_fingerprint == fingerprint


def test_a_refresh_leaves_the_list_of_tools_as_it_is(cloud):
    cloud.call("search_notes")
    listed = Toolset.objects.get(connection=cloud.connection).discovered_at
    cloud.has("access-1", until=timedelta(seconds=-1))
    cloud.accept("access-2")

    assert not cloud.call("search_notes").get("isError")
    assert Toolset.objects.get(connection=cloud.connection).discovered_at == listed


def test_a_write_refused_with_401_is_sent_once_more_with_a_new_credential(cloud):
    cloud.accept("access-0")
    cloud.has("access-0", until=timedelta(hours=1))
    cloud.gateway.tool_names()
    cloud.accept("access-1")

    assert not cloud.call("add_note").get("isError")

    assert cloud.tokens.refreshes == ["r1"]
    assert [call.headers["authorization"] for call in cloud.upstream.calls] == ["Bearer access-1"]
    record = CallRecord.objects.get()
    assert (record.outcome, record.retries) == ("succeeded", 1)
    assert 0 < record.refresh_us <= record.elapsed_us - record.upstream_us
    assert record.connect_us == 0  # reaching the token server is part of the refresh
    assert Invocation.objects.get().state == "succeeded"


def test_a_credential_refused_again_after_its_refresh_needs_its_owner(cloud):
    cloud.accept("access-0")
    cloud.has("access-0", until=timedelta(hours=1))
    cloud.gateway.tool_names()
    cloud.accept("nothing we have")

    assert cloud.code("search_notes") == "authorization_required"

    assert cloud.tokens.refreshes == ["r1"]
    assert cloud.state == "reauthorization_required"
    assert cloud.upstream.calls == []


def test_a_grant_that_is_over_is_told_and_nothing_is_sent(cloud):
    cloud.accept("access-0")
    cloud.has("access-0", until=timedelta(hours=1))
    cloud.gateway.tool_names()
    cloud.tokens.families[0].ended = True
    cloud.has("access-0", until=timedelta(seconds=-1))

    assert cloud.code("add_note") == "authorization_required"

    assert cloud.upstream.calls == []
    assert cloud.state == "reauthorization_required"
    assert Invocation.objects.get().state == "failed"


def test_a_token_server_that_is_down_costs_the_call_and_not_the_grant(cloud):
    cloud.accept("access-0")
    cloud.has("access-0", until=timedelta(hours=1))
    cloud.gateway.tool_names()
    cloud.has("access-0", until=timedelta(seconds=-1))
    cloud.tokens.answers = [(500, b"")]

    assert [cloud.code("search_notes") for _ in range(3)] == ["connector_unavailable"] * 3
    assert len(cloud.tokens.refreshes) == 1
    assert cloud.state == "active"

    RefreshLease.objects.update(cooldown_until=None)
    cloud.accept("access-1")
    assert not cloud.call("search_notes").get("isError")


def test_a_credential_that_still_lives_is_used_while_its_refresh_fails(cloud):
    cloud.accept("access-0")
    cloud.has("access-0", until=timedelta(seconds=20))
    cloud.tokens.answers = [(500, b"")]

    assert not cloud.call("search_notes").get("isError")
    assert len(cloud.tokens.refreshes) == 1


def test_a_static_credential_that_is_refused_needs_its_owner(world):
    with McpServer([tool("search_notes")], key=("Authorization", "Bearer good")) as keyed:
        connector = make_connector("keyed", endpoint=keyed.url, rules=RULES, static=True)
        connection = make_connection(world.owner, connector, values={"token": "good"})
        make_grant(world.agent, connection)
        world.announce()
        world.gateway.tool_names()
        keyed.knobs.key = ("Authorization", "Bearer other")

        answer = world.gateway.call("keyed__search_notes").result

    assert answer["_meta"][ERROR]["code"] == "authorization_required"
    assert Connection.objects.get(pk=connection.pk).state == "reauthorization_required"


def test_a_refresh_token_stays_in_the_house(cloud):
    binding = open_binding(cloud.connection.pk)

    assert [secret.reveal() for secret in binding.servers[""].headers.values()] == ["Bearer access-0"]


REFRESHING = """
if json.dumps(context).count("t-key") and operation == "credential_refresh":
    old = context["credential"]
    assert old["token"] == old["values"]["token"], old
    fresh = {"values": {"token": "fresh"}, "expires_at": "2036-01-01T00:00:00Z"}
    print(json.dumps({"protocol_version": 1, "ok": True, "result": {"credential": fresh, "granted_scopes": None}}))
    sys.exit(0)
if operation == "credential_refresh":
    fail("authorization_required", "sign in again")
if operation == "tool_invoke":
    print("asked by", context.get("invocation_id"), file=sys.stderr)
if operation == "tool_invoke" and context["credentials"]["token"] != context["arguments"].get("accepts"):
    fail("authorization_required", "not this token")
"""


@pytest.fixture
def booking(transactional_db, served, tmp_path):
    before, after = PROVIDER.split('if operation == "configuration_validate":')
    provider = f'{before}{REFRESHING}\nif operation == "configuration_validate":{after}'
    program = {
        "protocol_version": 1,
        "runtime": "python",
        "entrypoint": "provider/main.py",
        "capabilities": ["credential_refresh"],
    }
    return Booked(served, install_booking(tmp_path, provider=provider, program=program), api_key="key")


def test_a_program_that_wants_authorization_is_refreshed_and_its_read_repeated(booking):
    result = booking.call("booking__find", {"accepts": "fresh"})

    assert not result.get("isError")
    assert result["structuredContent"]["credentials"] == {"token": "fresh"}
    assert Connection.objects.get().granted_scopes == ["book"]
    assert Credential.objects.get().version == 2


def test_a_call_that_is_run_again_carries_the_same_invocation_id(booking, caplog):
    given = str(uuid4())
    with caplog.at_level("INFO", "connectors.runtime.program"):
        booking.call("booking__find", {"accepts": "fresh"}, **{"poco.connectors/invocation-id": given})

    asked = [line.split()[-1] for record in caplog.records if "asked by" in (line := record.getMessage())]
    assert asked == [given, given]


def test_a_programs_write_is_not_run_again_but_the_next_one_has_a_fresh_credential(booking):
    first = booking.call("booking__book", {"accepts": "fresh"})
    second = booking.call("booking__book", {"accepts": "fresh"})

    assert first["_meta"][ERROR]["code"] == "authorization_required"
    assert not second.get("isError")
    assert Connection.objects.get().state == "active"


def test_a_program_that_wants_authorization_at_its_refresh_ends_the_grant(booking):
    booking.call("booking__find", {"accepts": "fresh"})

    ended = booking.call("booking__find", {"accepts": "something newer"})

    assert ended["_meta"][ERROR]["code"] == "authorization_required"
    assert Connection.objects.get().state == "reauthorization_required"
