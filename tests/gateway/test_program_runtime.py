"""A program package from its ZIP to an agent's call through /mcp (handbook §8)."""

import hashlib
import http.client
import json
import os
import shutil
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psutil
import pytest

from connectors.audit.models import CallRecord
from connectors.authorization.complete import connect_account, reconnect_account
from connectors.authorization.credentials import open_credential
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from connectors.errors import Invalid
from connectors.gateway.discovery import refresh_toolset
from connectors.runtime.program_errors import ProgramFault, ProgramUnavailable
from connectors.runtime.slots import SLOTS
from tests.builders.booking import FIELDS, Booked, configure, install, install_booking
from tests.builders.packages import PROGRAM_AUTH
from tests.builders.people import make_user
from tests.fakes.gateway_server import ENVELOPE, MODERN

TEXTBENCH = Path("connectors/examples/packages/textbench")


@pytest.fixture
def booking(transactional_db: None, served: Any, tmp_path: Path) -> Booked:
    return Booked(served, install_booking(tmp_path), api_key="key-1234")


def test_the_example_program_works_from_its_zip_to_an_agents_call(transactional_db: None, served: Any, tmp_path: Path):
    archive = Path(shutil.make_archive(str(tmp_path / "textbench"), "zip", TEXTBENCH))
    bench = Booked(served, install(archive, {"words_per_minute": "60"}))
    assert bench.connection.external_account_name == "Textbench"
    assert bench.gateway.tool_names() == ["textbench__compare_texts", "textbench__measure_text"]
    result = bench.call("textbench__measure_text", {"text": "你好 world"})
    assert result["structuredContent"] == {"characters": 8, "words": 3, "lines": 1, "reading_seconds": 3}
    call = CallRecord.objects.get()
    assert (call.outcome, call.connector_key, call.upstream_tool) == ("succeeded", "textbench", "measure_text")
    assert call.upstream_us > 0


def test_a_form_is_turned_into_an_account_with_its_credential(booking: Booked):
    connection = Connection.objects.select_related("connector", "credential").get()
    assert (connection.external_account_id, connection.external_account_name) == ("7", "Ada")
    assert connection.granted_scopes == ["book"]
    assert connection.public_metadata == {"intent": "connect"}
    assert {key: secret.reveal() for key, secret in open_credential(connection).items()} == {"token": "t-key-1234"}
    assert connection.credential.expires_at.year == 2036
    assert len(connection.credential.fingerprint) == 6


def test_reconnecting_says_so_to_the_program(booking: Booked):
    again = reconnect_account(connection=booking.connection, raw_credentials={"api_key": "n"})
    assert again.public_metadata == {"intent": "reauthorize"}
    assert again.grant_revision == 2


def test_a_key_the_program_refuses_is_a_fault_in_its_own_words(transactional_db: None, tmp_path: Path):
    connector = install_booking(tmp_path)
    with pytest.raises(Invalid) as raised:
        connect_account(person=make_user(), connector=connector, raw_credentials={"api_key": "wrong"})
    assert raised.value.faults[0].parameters == {"message": "this key does not work"}
    assert not Connection.objects.exists()


def test_an_answer_of_another_interaction_is_refused(transactional_db: None, tmp_path: Path):
    connector = install_booking(tmp_path, auth={**PROGRAM_AUTH, "interaction": "none", "fields": []})
    with pytest.raises(ProgramFault) as raised:
        connect_account(person=make_user(), connector=connector)
    assert raised.value.parameters["reason"] == "interaction_differs"


def test_a_call_carries_the_upstream_name_the_credential_and_the_metadata(booking: Booked):
    seen = booking.call("booking__find")["structuredContent"]
    assert seen == {
        "tool_name": "up_find",
        "invocation_id": None,
        "credentials": {"token": "t-key-1234"},
        "connection_metadata": {"intent": "connect"},
    }


def test_a_write_carries_an_invocation_id_of_its_own_or_the_callers(booking: Booked):
    first, second = (booking.call("booking__book")["structuredContent"]["invocation_id"] for _ in range(2))
    assert UUID(first) != UUID(second)
    given = str(uuid4())
    told = [booking.call("booking__book", **{"poco.connectors/invocation-id": given}) for _ in range(2)]
    assert told[0]["structuredContent"]["invocation_id"] == given
    assert told[0] == told[1]


@pytest.mark.parametrize(("reported", "code"), [("rate_limited", "rate_limited"), ("monthly_quota", "external_error")])
def test_what_the_program_reports_is_a_tool_error_without_the_credential(booking: Booked, reported: str, code: str):
    result = booking.call("booking__book", {"fail": reported})
    assert result["isError"]
    assert result["_meta"]["poco.connectors/error"]["code"] == code
    assert result["content"][0]["text"].startswith(f"{code}: no, says ")
    assert "key-1234" not in json.dumps(result)
    assert CallRecord.objects.get().outcome == "tool_error"


def test_an_error_beside_content_keeps_both(booking: Booked):
    error = {"code": "bad_request", "message": "which day?", "retryable": False}
    result = booking.call("booking__find", {"error": error})
    assert result["content"] == [{"type": "text", "text": "ok"}]
    assert result["_meta"]["poco.connectors/error"] == {"code": "bad_request", "retryable": False}


def test_a_write_that_gives_no_answer_has_an_unknown_outcome(booking: Booked, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("connectors.gateway.invocation.BUDGET_SECONDS", 1.0)
    result = booking.call("booking__book", {"sleep": True})
    assert result["_meta"]["poco.connectors/error"]["code"] == "connector_action_outcome_unknown"
    assert CallRecord.objects.get().outcome == "unknown"


def test_a_read_that_gives_no_answer_has_timed_out(booking: Booked, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("connectors.gateway.invocation.BUDGET_SECONDS", 1.0)
    result = booking.call("booking__find", {"sleep": True})
    assert result["_meta"]["poco.connectors/error"]["code"] == "program_timeout"
    assert CallRecord.objects.get().outcome == "failed"
    assert SLOTS.waiting == 0


@pytest.mark.parametrize(("tool", "outcome"), [("find", "failed"), ("book", "unknown")])
def test_a_client_that_hangs_up_ends_the_program(booking: Booked, tool: str, outcome: str, tmp_path: Path):
    booking.gateway.tool_names()
    marker = f"marker-{tmp_path.name}-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as bell:
        arguments = {"bell": bell.getsockname()[1], "marker": marker}
        params = {"name": f"booking__{tool}", "arguments": arguments, "_meta": ENVELOPE}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        client = http.client.HTTPConnection("127.0.0.1", booking.gateway.port)
        headers = {"Authorization": f"Bearer {booking.gateway.token}", "MCP-Protocol-Version": MODERN}
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": params["name"]}
        client.request("POST", "/mcp", body, {**headers, "Content-Type": "application/json"})
        bell.settimeout(20)
        bell.accept()[0].close()
        client.close()
    wait_for(CallRecord.objects.exists)
    assert not running(marker)
    assert CallRecord.objects.get().outcome == outcome


def running(marker: str) -> list[int]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE and marker in process.cmdline():
                found.append(process.pid)
    return found


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_tool_that_differs_from_its_rule_is_left_out_and_named(transactional_db: None, served: Any, tmp_path: Path):
    booked = Booked(served, install_booking(tmp_path, book_effect="destructive"), api_key="key-1234")
    assert booked.gateway.tool_names() == ["booking__find"]
    toolset = refresh_toolset(connection=booked.connection)
    assert toolset.malformed == [{"server": "", "name": "book", "reason": "tool_effect_differs"}]


def test_what_the_program_calls_its_tools_is_not_shown(booking: Booked):
    assert "up_find" not in json.dumps(booking.gateway.modern("tools/list").result)


def test_a_configuration_the_program_refuses_is_not_saved(transactional_db: None, tmp_path: Path):
    connector = install_booking(tmp_path)
    with pytest.raises(Invalid) as raised:
        configure(connector, "https://booking.example.com/wrong")
    assert raised.value.faults[0].code == "configuration_refused"
    connector.refresh_from_db()
    assert connector.configuration_revision == 1


def test_another_identity_is_another_fingerprint(transactional_db: None, tmp_path: Path):
    connector = install_booking(tmp_path)
    changed = configure(connector, "https://other.example.com/api")
    assert changed.authorization_fingerprint != connector.authorization_fingerprint


def test_a_standard_strategy_with_a_program_is_verified_by_listing_its_tools(transactional_db: None, tmp_path: Path):
    static = {
        "strategy": "static_credentials",
        "interaction": "form",
        "fields": FIELDS,
        "options": {"type": "static_credentials"},
    }
    connector = install_booking(tmp_path, auth=static)
    connection = connect_account(person=make_user(), connector=connector, raw_credentials={"api_key": "key-1234"})
    assert {key: secret.reveal() for key, secret in open_credential(connection).items()} == {"api_key": "key-1234"}


def test_a_program_that_breaks_at_the_check_ends_the_installation(transactional_db: None, tmp_path: Path):
    with pytest.raises(ProgramUnavailable):
        install_booking(tmp_path, provider="raise SystemExit(3)")
    assert not Connector.objects.exists()


def test_the_package_on_disk_is_the_one_that_was_installed(transactional_db: None, tmp_path: Path):
    connector = install_booking(tmp_path)
    digest = hashlib.sha256((tmp_path / "booking.zip").read_bytes()).hexdigest()
    assert connector.version.archive_sha256 == digest
