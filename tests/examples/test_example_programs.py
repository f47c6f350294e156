"""The example programs, each operation a real process, against a real service on loopback (handbook §8, §10)."""

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

import connectors.examples
from connectors.runtime.deadline import Deadline
from connectors.runtime.operations import AUTHORIZATION_IDENTITY
from connectors.runtime.program import ProgramSource, invoke_program
from connectors.runtime.program_context import AuthorizationIdentity, Configuration
from connectors.runtime.protocol import PackageName
from tests.examples.service import serve

PACKAGES = Path(connectors.examples.__file__).parent / "packages"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
CALLBACK = "http://127.0.0.1/api/v1/connectors/oauth/callback"
INVOCATION = "0198c2f0-0000-7000-8000-000000000001"
OAUTH_PROGRAMS = ["helpdesk", "design-studio"]
PROGRAMS = ["stockroom", *OAUTH_PROGRAMS]


COMMAND = [sys.executable, "-B", Path(__file__).with_name("run_forked.py")]


@pytest.fixture(scope="module", autouse=True)
def forking():
    """The process that the programs are forked from; one test starts them the way a call does."""
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PATH": "/usr/bin:/bin"}) as one:
        run.process = one
        yield
        one.stdin.close()


def run(package, operation, context):
    """The whole answer of one operation."""
    folder = PACKAGES / package / "provider"
    request = {
        "protocol_version": 1,
        "operation": operation,
        "package": {"key": package, "version": "1.0.0"},
        "context": context,
    }
    asked = {"folder": str(folder), "request": json.dumps(request)}
    run.process.stdin.write(json.dumps(asked).encode() + b"\n")
    run.process.stdin.flush()
    done = json.loads(run.process.stdout.readline())
    assert done["code"] == 0
    answer = json.loads(done["answer"])
    assert answer["protocol_version"] == 1
    assert set(answer) == {"protocol_version", "ok", "result" if answer["ok"] else "error"}
    return answer


def result(package, operation, context):
    answer = run(package, operation, context)
    assert answer["ok"], answer
    return answer["result"]


def error(package, operation, context):
    answer = run(package, operation, context)
    assert not answer["ok"]
    return answer["error"]


@pytest.fixture
def service():
    with serve() as served:
        yield served


def configured(url, **more):
    configuration = {
        "public": {"base_url": url, "page_size": 5, "client_id": "console", "endpoint": url},
        "secret": {"client_secret": "s3cret"},
    }
    return {"configuration": configuration, "options": {}, **more}


def invoking(url, tool, arguments, **credentials):
    return configured(
        url, tool_name=tool, arguments=arguments, credentials=credentials, invocation_id=INVOCATION, connection_metadata={}
    )  # fmt: skip


@pytest.mark.parametrize("package", PROGRAMS)
def test_a_good_configuration_is_accepted_and_a_bad_or_missing_one_is_not(package):
    assert result(package, "configuration_validate", configured("https://x.example.com", require_complete=True)) == {}
    assert result(package, "configuration_validate", _empty(require_complete=False)) == {}
    assert error(package, "configuration_validate", _empty(require_complete=True))["code"] == "bad_request"
    with_path = configured("https://x.example.com/path", require_complete=True)
    assert error(package, "configuration_validate", with_path)["code"] == "bad_request"


def _empty(**more):
    return {"configuration": {"public": {}, "secret": {}}, **more}


@pytest.mark.parametrize("package", PROGRAMS)
async def test_the_interpreter_that_programs_get_is_enough_for_it(package):
    program = ProgramSource(PACKAGES / package, "provider/main.py", PackageName(package, "1.0.0"))
    configuration = Configuration(public={"base_url": "https://x.example.com"})
    context = AuthorizationIdentity(configuration=configuration, options={})
    answer = await invoke_program(program, AUTHORIZATION_IDENTITY, context, deadline=Deadline.after(10))
    assert answer.identity


@pytest.mark.parametrize("package", PROGRAMS)
def test_the_identity_follows_the_address_and_never_holds_a_secret(package):
    one, other = (result(package, "authorization_identity", configured(f"https://{x}.example.com")) for x in "ab")

    assert one != other
    assert "s3cret" not in json.dumps(one)


@pytest.mark.parametrize("package", ["stockroom", "helpdesk"])
def test_the_tools_found_are_exactly_those_of_the_policy(package):
    tools = result(package, "tools_discover", configured("https://x.example.com"))["tools"]
    rules = json.loads((PACKAGES / package / "manifest.json").read_text())["tool_policy"]["rules"]

    found = {one["key"]: (one["effect"], one["retry_policy"], one["confirmation"]) for one in tools}
    assert found == {r["tool"]: (r["effect"], r["retry"], r.get("confirmation", "not_required")) for r in rules}


@pytest.mark.parametrize("package", PROGRAMS)
def test_an_operation_that_does_not_exist_is_a_bad_request(package):
    assert error(package, "self_destruct", {})["code"] == "bad_request"


def test_stockroom_tries_the_access_key_before_it_is_kept(service):
    _, url = service
    submission = {"type": "credentials", "values": {"access_key": "good", "warehouse": "north"}}
    assert result("stockroom", "authorization_begin", configured(url)) == {"type": "form"}

    account = result("stockroom", "authorization_complete", configured(url, submission=submission))
    assert account["external_account_id"] == "42"
    assert account["credential"]["values"] == {"access_key": "good", "warehouse": "north"}

    submission["values"]["access_key"] = "wrong"
    refused = error("stockroom", "authorization_complete", configured(url, submission=submission))
    assert refused["code"] == "authorization_required"
    assert (
        error("stockroom", "authorization_complete", configured(url, submission={"type": "none"}))["code"]
        == "bad_request"
    )


def test_stockroom_finds_reads_and_books(service):
    handler, url = service
    key = {"access_key": "good", "warehouse": "south"}

    assert (
        "Bolt"
        in result("stockroom", "tool_invoke", invoking(url, "find_items", {"query": "bolt"}, **key))["content"][0][
            "text"
        ]
    )
    assert parse_qs(urlsplit(handler.requests[-1][1]).query) == {"q": ["bolt"], "warehouse": ["south"], "limit": ["5"]}
    assert (
        result("stockroom", "tool_invoke", invoking(url, "read_item", {"item": "B-1"}, **key))["structured_content"][
            "stock"
        ]
        == 7
    )
    movement = {"item": "B-1", "quantity": -2, "reason": "sold"}
    assert (
        "5" in result("stockroom", "tool_invoke", invoking(url, "book_movement", movement, **key))["content"][0]["text"]
    )
    assert handler.requests[-1][2]["Idempotency-Key"] == INVOCATION


def test_stockroom_tells_apart_what_is_missing_wrong_and_unknown(service):
    handler, url = service
    key = {"access_key": "good", "warehouse": "south"}

    missing = result("stockroom", "tool_invoke", invoking(url, "read_item", {"item": "B-2"}, **key))
    assert missing["is_error"]
    assert missing["error"]["code"] == "not_found"
    sent = len(handler.requests)
    for item in ("../me", "B-1/movements", "B-1?x=1", "名"):
        assert (
            error("stockroom", "tool_invoke", invoking(url, "read_item", {"item": item}, **key))["code"]
            == "bad_request"
        )
    assert len(handler.requests) == sent, "nothing that is no number may reach the service"
    assert error("stockroom", "tool_invoke", invoking(url, "fly", {}, **key))["code"] == "bad_request"


def test_a_write_that_got_no_answer_is_never_called_retryable(service):
    handler, url = service
    handler.mood = "silent"
    movement = {"item": "B-1", "quantity": 1, "reason": "found"}

    lost = error("stockroom", "tool_invoke", invoking(url, "book_movement", movement, access_key="good", warehouse="n"))
    assert (lost["code"], lost["retryable"]) == ("external_error", False)
    lost = error(
        "helpdesk", "tool_invoke", invoking(url, "add_comment", {"ticket": 7, "text": "x"}, access_token="good")
    )
    assert (lost["code"], lost["retryable"]) == ("external_error", False)


def test_an_unreachable_or_busy_service_may_be_asked_again(service):
    handler, url = service
    handler.mood = "busy"

    busy = error("helpdesk", "tool_invoke", invoking(url, "read_ticket", {"ticket": 7}, access_token="good"))
    assert (busy["code"], busy["retryable"]) == ("rate_limited", True)
    nobody = error(
        "helpdesk", "tool_invoke", invoking("http://127.0.0.1:9", "read_ticket", {"ticket": 7}, access_token="good")
    )
    assert (nobody["code"], nobody["retryable"]) == ("unavailable", True)


@pytest.mark.parametrize("package", OAUTH_PROGRAMS)
def test_signing_in_goes_through_pkce_and_comes_back_with_an_account(package, service):
    handler, url = service
    handler.challenge = CHALLENGE
    begun = result(
        package,
        "authorization_begin",
        configured(url, intent="reauthorize", state="st", redirect_uri=CALLBACK, code_challenge=CHALLENGE),
    )
    query = parse_qs(urlsplit(begun["authorize_url"]).query)

    assert begun["type"] == "redirect"
    assert begun["authorize_url"].startswith(url)
    assert query["code_challenge"] == [CHALLENGE]
    assert query["code_challenge_method"] == ["S256"]
    assert query["state"] == ["st"]
    assert query["prompt"] == ["login"]
    assert all(isinstance(value, str) for value in begun["private_context"].values())

    submission = {"type": "oauth_code", "code": "c", "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
    context = configured(url, intent="connect", private_context=begun["private_context"], submission=submission)
    account = result(package, "authorization_complete", context)
    assert account["granted_scopes"] == ["tickets.read"]
    assert account["credential"]["values"] == {"access_token": "good", "refresh_token": "r1"}
    assert account["credential"]["expires_at"].endswith("Z")


@pytest.mark.parametrize("package", OAUTH_PROGRAMS)
def test_a_wrong_verifier_another_callback_or_another_kind_of_answer_is_refused(package, service):
    handler, url = service
    handler.challenge = CHALLENGE
    submission = {"type": "oauth_code", "code": "c", "redirect_uri": CALLBACK, "code_verifier": "other"}
    context = configured(url, private_context={"redirect_uri": CALLBACK}, submission=submission)

    assert error(package, "authorization_complete", context)["code"] == "authorization_required"
    context["private_context"] = {"redirect_uri": "http://127.0.0.1/elsewhere"}
    assert error(package, "authorization_complete", context)["code"] == "bad_request"
    context["submission"] = {"type": "credentials", "values": {}}
    assert error(package, "authorization_complete", context)["code"] == "bad_request"


@pytest.mark.parametrize("package", OAUTH_PROGRAMS)
def test_refreshing_keeps_the_old_refresh_token_and_scopes_when_none_come_back(package, service):
    _, url = service
    refreshed = result(
        package, "credential_refresh", configured(url, credential={"access_token": "a", "refresh_token": "r1"})
    )

    assert refreshed["credential"]["values"] == {"access_token": "good-2", "refresh_token": "r1"}
    assert refreshed["granted_scopes"] is None
    spent = configured(url, credential={"access_token": "a", "refresh_token": "spent"})
    assert error(package, "credential_refresh", spent)["code"] == "authorization_required"


@pytest.mark.parametrize("package", OAUTH_PROGRAMS)
def test_refreshing_and_revoking_read_the_credential_with_its_dates_too(package, service):
    handler, url = service
    credential = {
        "values": {"access_token": "a", "refresh_token": "r1"},
        "expires_at": None,
        "refresh_expires_at": None,
    }

    assert result(package, "credential_refresh", configured(url, credential=credential))["granted_scopes"] is None
    assert result(package, "credential_revoke", configured(url, credential=credential)) == {}
    assert parse_qs(handler.requests[-1][3]) == {"token": ["r1"]}


@pytest.mark.parametrize("package", OAUTH_PROGRAMS)
def test_a_credential_without_a_refresh_token_asks_for_a_new_sign_in(package, service):
    _, url = service
    context = configured(url, credential={"values": {"access_token": "a"}})
    assert error(package, "credential_refresh", context)["code"] == "authorization_required"


@pytest.mark.parametrize("package", OAUTH_PROGRAMS)
def test_an_answer_that_is_no_json_is_an_external_error(package, service):
    handler, url = service
    handler.mood = "html"

    context = configured(url, credential={"access_token": "a", "refresh_token": "r1"})
    assert error(package, "credential_refresh", context)["code"] == "external_error"


@pytest.mark.parametrize("package", OAUTH_PROGRAMS)
def test_revoking_hands_in_the_refresh_token_and_says_when_it_failed(package, service):
    handler, url = service
    context = configured(url, credential={"access_token": "a", "refresh_token": "r1"})

    assert result(package, "credential_revoke", context) == {}
    assert parse_qs(handler.requests[-1][3]) == {"token": ["r1"]}
    handler.mood = "busy"
    assert error(package, "credential_revoke", context)["retryable"]


def test_helpdesk_reads_answers_and_reports_a_conflict(service):
    handler, url = service

    def call(tool, **arguments):
        return result("helpdesk", "tool_invoke", invoking(url, tool, arguments, access_token="good"))

    assert "#7 [open] Login" in call("search_tickets", query="login", status="open")["content"][0]["text"]
    assert "Ada: It fails" in call("read_ticket", ticket=7)["content"][0]["text"]
    assert not call("add_comment", ticket=7, text="Try again")["is_error"]
    assert not call("assign_ticket", ticket=7, assignee="Grace")["is_error"]
    assert call("close_ticket", ticket=7, reason="done")["error"]["code"] == "conflict"
    assert handler.requests[-1][2]["Idempotency-Key"] == INVOCATION
    assert error("helpdesk", "tool_invoke", invoking(url, "fly", {}, access_token="good"))["code"] == "bad_request"


@pytest.mark.parametrize(
    ("metadata", "url"),
    [({"workspace": "north"}, "https://desk.example.com/w/north"), ({"workspace": "../x"}, "https://desk.example.com/w/..%2Fx"), ({}, None)],
)  # fmt: skip
def test_helpdesk_launches_only_its_own_site(metadata, url):
    context = {"public_configuration": {"base_url": "https://desk.example.com/"}, "connection_metadata": metadata}

    assert result("helpdesk", "launch_url", context) == {"url": url}
