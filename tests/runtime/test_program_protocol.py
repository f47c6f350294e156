"""The envelopes, the nine operations, and what each must answer (handbook §8)."""

import json
from typing import Any
from uuid import UUID

import pytest

from connectors.runtime.operations import LAUNCH_URL, OPERATIONS, TOOL_INVOKE, TOOLS_DISCOVER
from connectors.runtime.program_context import AuthorizationComplete, NoSubmission, OAuthCode, secrets_within
from connectors.runtime.program_errors import ProgramFault, ProgramRefused, RequestRefused
from connectors.runtime.protocol import PackageName, build_request, read_answer
from connectors.vault.secret import Secret
from tests.builders.programs import RESULTS, TOOL, make_context

PACKAGE = PackageName("records", "1.0.0")
TOOLS_CONTEXT = {
    "configuration",
    "options",
    "transport",
    "credentials",
    "connection_metadata",
    "definition_id",
    "connection_id",
    "configuration_revision",
    "authorization_fingerprint",
    "grant_revision",
    "credential_version",
}
NAMES = {
    "configuration_validate": {"configuration", "require_complete"},
    "authorization_identity": {"configuration", "options"},
    "authorization_begin": {"configuration", "options", "intent", "state", "redirect_uri", "code_challenge"},
    "authorization_complete": {"configuration", "options", "intent", "private_context", "submission"},
    "credential_refresh": {"configuration", "options", "credential"},
    "credential_revoke": {"configuration", "options", "credential"},
    "tools_discover": TOOLS_CONTEXT,
    "tool_invoke": {*TOOLS_CONTEXT, "tool_name", "arguments"},
    "launch_url": {"public_configuration", "connection_metadata"},
}


def success(result: Any, **more: Any) -> bytes:
    return json.dumps({"protocol_version": 1, "ok": True, "result": result, **more}).encode()


def failure(**error: Any) -> bytes:
    return json.dumps({"protocol_version": 1, "ok": False, "error": error}).encode()


def test_there_are_nine_operations_with_the_time_limits_of_the_handbook():
    limits = {name: operation.seconds for name, operation in OPERATIONS.items()}
    assert limits == {
        "configuration_validate": 10,
        "authorization_identity": 10,
        "launch_url": 10,
        "tool_invoke": 75,
        "authorization_begin": 30,
        "authorization_complete": 30,
        "credential_refresh": 30,
        "credential_revoke": 30,
        "tools_discover": 30,
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_request_has_exactly_the_envelope_and_the_context_names_of_the_handbook(name: str):
    request = json.loads(build_request(name, PACKAGE, make_context(name).wire()))
    assert {key: request[key] for key in request if key != "context"} == {
        "protocol_version": 1,
        "operation": name,
        "package": {"key": "records", "version": "1.0.0"},
    }
    assert request["context"].keys() == NAMES[name]


def test_secrets_are_revealed_on_the_wire_and_nowhere_else():
    context = make_context("tool_invoke")
    assert context.wire()["credentials"] == {"access_token": "s3cr3t-token"}
    assert "s3cr3t" not in repr(context)
    assert {secret.reveal() for secret in secrets_within(context)} == {"s3cr3t-config", "s3cr3t-token"}


def test_an_invocation_id_is_sent_when_there_is_one_and_left_out_when_not():
    given = UUID(int=7)
    assert make_context("tool_invoke", invocation_id=given).wire()["invocation_id"] == str(given)
    assert "invocation_id" not in make_context("tool_invoke").wire()


@pytest.mark.parametrize("operation", ["credential_refresh", "credential_revoke"])
def test_refresh_and_revoke_receive_the_credential_as_it_was_issued_and_flat(operation):
    assert make_context(operation).wire()["credential"] == {
        "access_token": "s3cr3t-token",
        "values": {"access_token": "s3cr3t-token"},
        "expires_at": None,
        "refresh_expires_at": None,
    }


@pytest.mark.parametrize(
    ("submission", "wired"),
    [
        (NoSubmission(), {"type": "none"}),
        (
            OAuthCode(code=Secret("c"), redirect_uri="https://poco.example/cb", code_verifier=Secret("v")),
            {"type": "oauth_code", "code": "c", "redirect_uri": "https://poco.example/cb", "code_verifier": "v"},
        ),
    ],
)
def test_a_submission_is_told_apart_by_its_type(submission: Any, wired: dict[str, str]):
    context = make_context("authorization_complete", submission=submission)
    assert isinstance(context, AuthorizationComplete)
    assert context.wire()["submission"] == wired


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_documented_result_of_each_operation_is_accepted(name: str):
    assert read_answer(success(RESULTS[name]), OPERATIONS[name]) is not None


OTHER_ANSWERS = [
    success({"surprise": 1}),
    success([]),
    success(None),
    success({}, log="no"),
    b'{"protocol_version": 2, "ok": true, "result": {}}',
    b'{"protocol_version": 1, "ok": 1, "result": {}}',
    b'{"protocol_version": 1, "result": {}}',
    b'{"protocol_version": 1, "ok": true}',
    b'{"protocol_version": 1, "ok": false, "error": {"code": "x", "message": "y"}}',
    b'{"protocol_version": 1, "ok": false, "error": {"code": "x", "message": "y", "retryable": true}, "result": 1}',
    b"[]",
    b"null",
    b"",
    b"  \n",
    b"done\n" + success({}),
    success({}) + success({}),
    success({})[:-1],
    b'{"protocol_version": 1, "protocol_version": 1, "ok": true, "result": {}}',
    b'{"protocol_version": 1, "ok": true, "result": NaN}',
    b'\xff{"protocol_version": 1, "ok": true, "result": {}}',
    b'{"protocol_version": 1, "ok": true, "result": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b'{"protocol_version": 1, "ok": true, "result": ' + b'{"a":' * 64 + b"1" + b"}" * 65,
]


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_other_answer_breaks_the_protocol(name: str):
    for answer in OTHER_ANSWERS:
        with pytest.raises(ProgramFault) as raised:
            read_answer(answer, OPERATIONS[name])
        assert raised.value.code == "program_protocol", answer[:100]


def test_a_trailing_line_break_is_no_second_object():
    assert read_answer(success({"url": None}) + b"\n", LAUNCH_URL).url is None


@pytest.mark.parametrize(
    ("reported", "code"),
    [
        ("bad_request", "bad_request"),
        ("action_forbidden", "action_forbidden"),
        ("authorization_required", "authorization_required"),
        ("insufficient_scope", "insufficient_scope"),
        ("rate_limited", "rate_limited"),
        ("unavailable", "unavailable"),
        ("external_error", "external_error"),
        ("quota_of_the_month", "external_error"),
        ("connector_action_outcome_unknown", "external_error"),
    ],
)
def test_the_recommended_error_codes_pass_and_every_other_is_an_external_error(reported: str, code: str):
    with pytest.raises(ProgramRefused) as raised:
        read_answer(failure(code=reported, message="no", retryable=True), TOOL_INVOKE)
    assert (raised.value.code, raised.value.retryable, raised.value.parameters["reported"]) == (code, True, reported)


def test_an_error_message_is_cut_at_two_thousand_characters():
    with pytest.raises(ProgramRefused) as raised:
        read_answer(failure(code="unavailable", message="错" * 3000, retryable=False), TOOL_INVOKE)
    assert raised.value.parameters["message"] == "错" * 2000


def test_a_secret_the_program_repeats_in_its_error_message_is_masked():
    with pytest.raises(ProgramRefused) as raised:
        read_answer(
            failure(code="unavailable", message="401 for hunter2hunter2", retryable=False),
            TOOL_INVOKE,
            secrets=[Secret("hunter2hunter2")],
        )
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(("size", "accepted"), [(256 * 1024 - 1, True), (256 * 1024, True), (256 * 1024 + 1, False)])
def test_arguments_may_be_256_kib_and_not_a_byte_more(size: int, accepted: bool):
    empty = len(b'{"q":""}')
    context = make_context("tool_invoke", arguments={"q": "x" * (size - empty)}).wire()
    if accepted:
        assert build_request("tool_invoke", PACKAGE, context)
    else:
        with pytest.raises(RequestRefused):
            build_request("tool_invoke", PACKAGE, context)


@pytest.mark.parametrize(("spare", "accepted"), [(-1, True), (0, True), (1, False)])
def test_a_request_may_be_2_mib_and_not_a_byte_more(spare: int, accepted: bool):
    context = make_context("authorization_identity", options={"pad": ""}).wire()
    room = 2 * 1024 * 1024 - len(build_request("authorization_identity", PACKAGE, context))
    context["options"]["pad"] = "x" * (room + spare)
    if accepted:
        assert len(build_request("authorization_identity", PACKAGE, context)) == 2 * 1024 * 1024 + spare
    else:
        with pytest.raises(RequestRefused):
            build_request("authorization_identity", PACKAGE, context)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {1, 2}])
def test_arguments_that_are_not_json_are_refused(value: Any):
    with pytest.raises(RequestRefused):
        build_request("tool_invoke", PACKAGE, make_context("tool_invoke", arguments={"q": value}).wire())


@pytest.mark.parametrize(("count", "accepted"), [(499, True), (500, True), (501, False)])
def test_a_connector_may_have_five_hundred_tools(count: int, accepted: bool):
    answer = success({"tools": [{**TOOL, "key": f"t{number}"} for number in range(count)]})
    if accepted:
        assert len(read_answer(answer, TOOLS_DISCOVER).tools) == count
    else:
        with pytest.raises(ProgramFault):
            read_answer(answer, TOOLS_DISCOVER)


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth - 1):
        schema = {"not": schema}
    return schema


def of_size(size: int) -> dict[str, Any]:
    return {"title": "x" * (size - len(b'{"title":""}'))}


@pytest.mark.parametrize(
    ("schema", "accepted"),
    [
        *((nested(depth), depth <= 20) for depth in (19, 20, 21)),
        *((of_size(64 * 1024 + more), more <= 0) for more in (-1, 0, 1)),
    ],
)
@pytest.mark.parametrize("field", ["input_schema", "output_schema"])
def test_a_schema_may_be_64_kib_and_twenty_deep(field: str, schema: dict[str, Any], accepted: bool):
    answer = success({"tools": [{**TOOL, field: schema}]})
    if accepted:
        assert read_answer(answer, TOOLS_DISCOVER)
    else:
        with pytest.raises(ProgramFault):
            read_answer(answer, TOOLS_DISCOVER)
