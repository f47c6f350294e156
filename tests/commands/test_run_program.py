"""`run_program`: the author's loop (issue "Programs")."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from connectors.management.authoring.script import main
from connectors.runtime.operations import OPERATIONS
from tests.builders.packages import build_folder, build_manifest, build_program_manifest
from tests.builders.programs import READ, RESULTS, WELL_BEHAVED

TEXTBENCH = Path("connectors/examples/packages/textbench")


def run(folder: Path, operation: str, context: Any = None, *, scratch: Path | None = None) -> int:
    arguments = ["run", str(folder), operation, "--locale", "en"]
    if context is not None:
        path = (scratch or folder.parent) / "context.json"
        path.write_text(context if isinstance(context, str) else json.dumps(context))
        arguments += ["--context", str(path)]
    return main(arguments)


def make_folder(folder: Path, source: str, **changes: Any) -> Path:
    return build_folder(
        folder / "package", manifest=build_program_manifest(**changes), files={"provider/main.py": source}
    )


def test_it_shows_request_answer_time_and_stderr(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    context = {"tool_name": "measure_text", "arguments": {"text": "one two"}}
    assert run(TEXTBENCH, "tool_invoke", context, scratch=tmp_path) == 0
    out = capsys.readouterr().out
    assert '"operation": "tool_invoke"' in out
    assert '"words": 2' in out
    assert "exit code 0" in out
    assert "s of CPU" in out


def test_discovery_that_equals_the_policy_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    assert run(TEXTBENCH, "tools_discover", {}, scratch=tmp_path) == 0
    assert "tools: 2, as tool_policy says" in capsys.readouterr().out


def test_the_management_command_is_the_same_act(capfd: pytest.CaptureFixture[str]):
    call_command("run_program", str(TEXTBENCH), "authorization_begin")
    assert "as the protocol wants it" in capfd.readouterr().out


@pytest.mark.parametrize(
    "operation", sorted(OPERATIONS.keys() - {"credential_refresh", "credential_revoke", "launch_url"})
)
def test_every_operation_has_a_sample_context(tmp_path: Path, operation: str, capsys: pytest.CaptureFixture[str]):
    folder = make_folder(tmp_path, WELL_BEHAVED)
    (folder / "provider" / "answers.py").write_text(f"RESULTS = {RESULTS!r}")
    code = run(folder, operation)
    captured = capsys.readouterr()
    if operation == "tools_discover":
        assert code == 1
        assert "search: The program lists this tool, but no rule allows it." in captured.err
        assert "search_records: A rule names this tool" in captured.err
    else:
        assert code == 0, captured.err
    assert "working on" in captured.out


def test_secrets_of_the_context_are_masked_in_what_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = make_folder(tmp_path, f"{READ}print('x')")
    context = {
        "configuration": {"public": {}, "secret": {"client_secret": "canary-1"}},
        "credentials": {"t": "canary-2"},
    }
    assert run(folder, "tools_discover", context) == 1
    captured = capsys.readouterr()
    assert "canary" not in captured.out + captured.err
    assert "program_protocol" in captured.err


@pytest.mark.parametrize(
    ("context", "code", "told"),
    [
        ({"argument": {}}, 1, "context_name_unknown"),
        ([], 1, "context_no_object"),
        ("{", 2, "json_"),
    ],
)
def test_a_context_that_cannot_be_sent_is_refused_before_anything_runs(
    tmp_path: Path, context: Any, code: int, told: str, capsys: pytest.CaptureFixture[str]
):
    folder = make_folder(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')")
    assert run(folder, "tool_invoke", context) == code
    assert told in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()


def test_a_capability_that_is_not_declared_is_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(make_folder(tmp_path, ""), "launch_url") == 1
    assert "capability_missing" in capsys.readouterr().err


def test_a_package_without_a_program_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(build_folder(tmp_path / "package", manifest=build_manifest()), "tools_discover") == 1
    assert "program_absent" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_unreadable(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(tmp_path / "nowhere", "tools_discover") in {1, 2}
    assert capsys.readouterr().err
