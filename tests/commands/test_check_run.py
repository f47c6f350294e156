"""`check --run`: a program's operations tried offline, and what is said about those that do not do their part."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from connectors.management.authoring.script import main
from tests.builders.packages import PROGRAM, build_folder, build_manifest, build_package, build_program_manifest
from tests.builders.programs import READ, RESULTS, TOOL

EXAMPLES = Path("connectors/examples/packages")
RULES = {"default": "deny", "rules": [{"tool": "search", "effect": "read", "retry": "safe"}]}
DECLARED = {**PROGRAM, "capabilities": ["credential_refresh", "credential_revoke", "launch_url"]}
ANSWERS: dict[str, Any] = {**RESULTS, "tools_discover": {"tools": [TOOL]}}
REFUSES_INCOMPLETE = """
if request["operation"] == "configuration_validate" and not request["context"]["configuration"]["public"]:
    fail("bad_request", "The address is missing")
"""


def source(before: str = REFUSES_INCOMPLETE, **changes: Any) -> str:
    """A program that does its part, but for the changed results and what is said before it answers."""
    return f"""{READ}
def fail(code, message):
    told = {{"code": code, "message": message, "retryable": False}}
    print(json.dumps({{"protocol_version": 1, "ok": False, "error": told}}))
    sys.exit()
{before}
result = { ({**ANSWERS, **changes})!r}[request["operation"]]
print(json.dumps({{"protocol_version": 1, "ok": True, "result": result}}))
"""


@pytest.fixture
def check(tmp_path, capsys):
    """Check a package with that program; returns the exit code and the report."""

    def run(source: str, *options: str, **changes: Any):
        manifest = build_program_manifest(**{"program": DECLARED, "tool_policy": RULES, **changes})
        folder = build_folder(tmp_path / "package", manifest=manifest, files={"provider/main.py": source})
        code = main(["check", str(folder), "--run", "--json", "--locale", "en", *options])
        return code, json.loads(capsys.readouterr().out)

    return run


def told(report, kind: str) -> set[tuple[str, str]]:
    return {(one["code"], one["where"]) for one in report[kind]}


def test_a_program_that_does_its_part_has_neither_errors_nor_warnings(check):
    code, report = check(source())
    assert (code, report["ok"], report["errors"], report["warnings"]) == (0, True, [], [])


@pytest.mark.parametrize("name", ["textbench", "stockroom", "helpdesk", "design-studio"])
def test_the_example_programs_do_their_part(name, capsys):
    assert main(["check", str(EXAMPLES / name), "--run", "--locale", "en"]) == 0
    out = capsys.readouterr().out
    assert "configuration_validate: ok" in out
    assert "Warnings" not in out


def test_a_new_program_package_does_its_part(tmp_path, capsys):
    assert main(["new", "mine", "--auth", "program", "--into", str(tmp_path)]) == 0
    assert main(["check", str(tmp_path / "mine"), "--run", "--locale", "en"]) == 0
    assert "Warnings" not in capsys.readouterr().out


def test_an_archive_is_tried_as_a_folder_is(tmp_path, capsys):
    manifest = build_program_manifest(program=DECLARED, tool_policy=RULES)
    archive = build_package(tmp_path / "a.zip", manifest=manifest, files={"provider/main.py": source()})
    assert main(["check", str(archive), "--run", "--locale", "zh-CN"]) == 0
    assert "已运行：\n  configuration_validate: ok" in capsys.readouterr().out


def test_nothing_runs_without_being_asked(tmp_path):
    breaks = {"provider/main.py": "raise SystemExit(1)"}
    folder = build_folder(tmp_path / "package", manifest=build_program_manifest(), files=breaks)
    assert main(["check", str(folder)]) == 0
    assert main(["check", str(folder), "--run"]) == 1


def test_a_package_without_a_program_is_told_that_nothing_ran(tmp_path, capsys):
    folder = build_folder(tmp_path / "package", manifest=build_manifest())
    assert main(["check", str(folder), "--run", "--json"]) == 0
    assert told(json.loads(capsys.readouterr().out), "warnings") == {("program_absent", "/program")}


def test_a_refused_package_is_not_run(check):
    code, report = check("raise SystemExit(1)", connection_policy="many")
    assert code == 1
    assert {where for _, where in told(report, "errors")} == {"/connection_policy"}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"tools_discover": {"tools": []}}, ("tool_not_discovered", "search")),
        ({"tools_discover": {"tools": [{**TOOL, "key": "other"}, TOOL]}}, ("tool_not_in_policy", "other")),
        ({"tools_discover": {"tools": [TOOL, TOOL]}}, ("tool_repeated", "search")),
        ({"tools_discover": {"tools": [{**TOOL, "effect": "write"}]}}, ("tool_effect_differs", "search")),
        ({"tools_discover": {"tools": [{**TOOL, "retry_policy": "never"}]}}, ("tool_retry_differs", "search")),
        (
            {"tools_discover": {"tools": [{**TOOL, "confirmation": "user_required"}]}},
            ("tool_confirmation_differs", "search"),
        ),
        ({"tools_discover": {"tools": [{"key": "search"}]}}, ("run_result_wrong", "tools_discover")),
        ({"launch_url": {"url": "javascript:alert(1)"}}, ("run_launch_address", "launch_url")),
        ({"launch_url": {"url": "file:///etc/passwd"}}, ("run_launch_address", "launch_url")),
        ({"launch_url": {}}, ("run_launch_address", "launch_url")),
        ({"authorization_begin": {"type": "account", "account": {}}}, ("run_beginning_differs", "authorization_begin")),
        ({"authorization_identity": {"who": 1}}, ("run_result_wrong", "authorization_identity")),
        ({"credential_refresh": {"credential": "x"}}, ("run_result_wrong", "credential_refresh")),
        ({"credential_revoke": {"more": 1}}, ("run_result_wrong", "credential_revoke")),
    ],
)
def test_what_breaks_the_protocol_or_the_manifest_refuses_the_package(check, changes, fault):
    code, report = check(source(**changes))
    assert code == 1
    assert report["ok"] is False
    assert fault in told(report, "errors")


@pytest.mark.parametrize(
    ("before", "fault"),
    [
        ("raise KeyError('api_key')", "run_no_answer"),
        ("print('working')", "run_answer_not_json"),
        ("print('{}'); sys.exit()", "run_envelope_wrong"),
        ("import atexit; atexit.register(os._exit, 3)", "run_exit_code"),
        ("sys.stdout.write('x' * 6_000_000)", "run_too_large"),
    ],
)
def test_a_program_that_breaks_is_told_apart_by_how(check, before, fault):
    code, report = check(source(before))
    assert code == 1
    assert (fault, "configuration_validate") in told(report, "errors")


def test_the_last_line_of_a_traceback_is_shown_without_secrets(check, tmp_path):
    values = tmp_path / "values.json"
    values.write_text(json.dumps({"endpoint": "https://x.example.com", "client_secret": "canary-1"}))
    fields = [
        {"key": "endpoint", "type": "url", "label_key": "e", "required": True},
        {"key": "client_secret", "type": "secret", "label_key": "s", "required": True},
    ]
    leaking = (
        "raise KeyError(request['context'].get('configuration', {}).get('secret', {}).get('client_secret', 'none'))"
    )
    _, report = check(source(leaking), "--configuration", str(values), configuration={"fields": fields})
    assert "KeyError" in report["errors"][0]["message"]
    assert "canary-1" not in json.dumps(report)


def test_an_identity_must_be_the_same_when_asked_twice_and_hold_no_secret(check):
    changing = 'if request["operation"] == "authorization_identity":\n    ANSWER = os.urandom(8).hex()\n'
    program = source(REFUSES_INCOMPLETE + changing).replace(
        'print(json.dumps({"protocol_version": 1, "ok": True, "result": result}))',
        'result = {"identity": ANSWER} if request["operation"] == "authorization_identity" else result\n'
        'print(json.dumps({"protocol_version": 1, "ok": True, "result": result}))',
    )
    code, report = check(program)
    assert code == 1
    assert told(report, "errors") == {("run_identity_changes", "authorization_identity")}
    assert (
        check(source(authorization_identity={"identity": "sample-secret"}), configuration=_with_secret())[1]["errors"][
            0
        ]["code"]
        == "run_identity_secret"
    )


def _with_secret() -> dict[str, Any]:
    return {"fields": [{"key": "client_secret", "type": "secret", "label_key": "s", "required": True}]}


@pytest.mark.parametrize(
    ("before", "warning"),
    [
        ("", "run_incomplete_accepted"),
        (REFUSES_INCOMPLETE.replace('"bad_request"', '"unavailable"'), "run_refusal_code"),
        (
            REFUSES_INCOMPLETE + 'if request["operation"] == "configuration_validate": fail("bad_request", "no")',
            "run_sample_refused",
        ),
    ],
)
def test_what_only_may_be_wrong_is_a_warning(check, before, warning):
    code, report = check(source(before))
    assert code == 0
    assert told(report, "warnings") == {(warning, "configuration_validate")}


def test_an_operation_that_needs_the_service_is_a_warning_and_no_fault(check):
    before = REFUSES_INCOMPLETE + 'if request["operation"] == "tools_discover": fail("unavailable", "no network")'
    code, report = check(source(before))
    assert code == 0
    assert told(report, "warnings") == {("run_unanswered_offline", "tools_discover")}


def test_values_that_are_given_must_be_accepted_and_must_fit_the_fields(check, tmp_path):
    values = tmp_path / "values.json"
    values.write_text(json.dumps({"endpoint": "https://x.example.com"}))
    refuses = 'if request["operation"] == "configuration_validate": fail("bad_request", "no")'
    code, report = check(source(refuses), "--configuration", str(values))
    assert code == 1
    assert told(report, "errors") == {("run_configuration_refused", "configuration_validate")}

    values.write_text(json.dumps({"endpoint": "nowhere", "more": 1}))
    code, report = check(source(), "--configuration", str(values))
    assert code == 1
    assert {where for _, where in told(report, "errors")} == {"endpoint", "more"}

    values.write_text("[]")
    assert check(source(), "--configuration", str(values))[1]["errors"][0]["code"] == "context_no_object"


def test_undeclared_operations_are_never_run(check):
    broken = dict.fromkeys(DECLARED["capabilities"], 1)
    assert check(source(**broken))[0] == 1
    assert check(source(**broken), program=PROGRAM)[0] == 0


def test_a_program_that_asks_the_network_reaches_nobody_and_at_once(check):
    before = (
        REFUSES_INCOMPLETE
        + """
if request["operation"] == "tools_discover":
    import urllib.request
    try:
        urllib.request.urlopen("http://192.0.2.1/", timeout=25)
    except OSError:
        fail("unavailable", "no network")
"""
    )
    began = time.monotonic()
    code, report = check(source(before))
    assert code == 0
    assert told(report, "warnings") == {("run_unanswered_offline", "tools_discover")}
    assert time.monotonic() - began < 20


def test_a_configuration_that_is_not_there_is_unreadable(check, tmp_path, capsys):
    folder = build_folder(tmp_path / "p", manifest=build_program_manifest())
    assert main(["check", str(folder), "--run", "--configuration", str(tmp_path / "nowhere.json")]) == 2
    assert "nowhere.json" in capsys.readouterr().err
