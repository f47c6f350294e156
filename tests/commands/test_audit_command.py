"""`manage.py audit`: exit codes for cron, heads kept elsewhere, and the same files as the pages give."""

import errno
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command, load_command_class
from django.db import transaction

from connectors.audit.models import AdminEvent, ChainCheck, ChainHead, ChainTip
from connectors.audit.recording import record_admin_event
from connectors.management.commands import audit
from connectors.management.commands.audit import _tell_fault
from connectors.vault.canaries import ensure_canaries
from connectors.vault.key_ring import make_key_text
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db
RECIPE = Path(__file__).parents[2] / "docs" / "decisions" / "0015-a-chain-of-administrative-events.md"


def write(count: int) -> None:
    with transaction.atomic():
        for number in range(count):
            record_admin_event(actor=None, act="tried", target_kind="test", target_id=number, target_name="it")


def refused(*arguments: str) -> CommandError:
    with pytest.raises(CommandError) as caught:
        call_command("audit", *arguments)
    return caught.value


def test_a_whole_chain_is_told_and_kept(capsys):
    write(3)
    call_command("audit", "verify")
    assert capsys.readouterr().out == "3 events are whole, up to number 3.\n"
    assert ChainCheck.objects.get().ok


def test_cron_hears_nothing_while_all_is_right(capsys):
    write(1)
    call_command("audit", "verify", "--quiet")
    assert capsys.readouterr().out == ""


def test_a_broken_chain_ends_with_one_and_names_the_row():
    write(3)
    AdminEvent.objects.filter(sequence=2).update(actor_name="somebody else")
    error = refused("verify")
    assert error.returncode == 1
    assert str(error) == f"Event 2 ({AdminEvent.objects.get(sequence=2).pk}) was altered."
    assert not ChainCheck.objects.get().ok


@pytest.mark.parametrize(
    "fault",
    ["altered", "removed", "reordered", "truncated", "inserted", "rewritten", "restored", "signature", "key_missing"],
)
def test_every_fault_has_its_words(fault):
    assert "7" in _tell_fault(ChainCheck(fault=fault, fault_sequence=7))


def test_a_head_that_was_kept_elsewhere_finds_an_older_state(tmp_path):
    write(2)
    call_command("audit", "head", "--output", str(tmp_path / "head.json"))
    call_command("audit", "verify", "--head", str(tmp_path / "head.json"))
    kept = tmp_path / "head.json"
    assert oct(kept.stat().st_mode)[-3:] == "600"
    for table in (AdminEvent, ChainHead, ChainTip):
        table.objects.all().delete()
    write(1)
    assert refused("verify", "--head", str(kept)).returncode == 1


def test_what_is_no_head_ends_with_two(tmp_path):
    (tmp_path / "head.json").write_text("{}")
    assert refused("verify", "--head", str(tmp_path / "head.json")).returncode == 2
    assert refused("verify", "--head", str(tmp_path / "missing.json")).returncode == 2
    assert refused("head").returncode == 2


def test_with_another_key_under_its_name_the_log_is_not_called_forged(settings):
    settings.VAULT_KEYS = f"k:{make_key_text()}"
    ensure_canaries()
    write(2)
    settings.VAULT_KEYS = f"k:{make_key_text()}"
    error = refused("verify")
    assert error.returncode == 2
    assert "another key has its name" in str(error)
    assert not ChainCheck.objects.exists()


def test_an_outsider_checks_a_head_with_nothing_but_what_is_written_about_it(tmp_path):
    """The program in decision 15, run where nothing of ours can be imported, on a true head and on a false one."""
    (program,) = re.findall(r"```python\n(.*?)```", RECIPE.read_text(), re.DOTALL)
    write(2)
    call_command("audit", "head", "--output", str(tmp_path / "head.json"))

    def run() -> int:
        command = [sys.executable, "-I", "-c", program]
        return subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, timeout=60).returncode

    assert run() == 0
    forged = json.loads((tmp_path / "head.json").read_text()) | {"sequence": 1}
    (tmp_path / "head.json").write_text(json.dumps(forged))
    assert run() != 0


def exported(tmp_path, *arguments: str) -> list[dict]:
    file = tmp_path / "out.jsonl"
    call_command("audit", "export", "--output", str(file), *arguments)
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_day_is_the_zones_own_on_both_sides_of_a_clock_change(tmp_path):
    ann = make_user()
    for hour in (22, 23):  # of the 28th, UTC: before and at Berlin's midnight
        make_call(ann, tool=f"before {hour}", at=datetime(2026, 3, 28, hour, 30, tzinfo=UTC))
    for hour in (21, 22):  # of the 29th: summer time by now, so midnight is an hour earlier
        make_call(ann, tool=f"after {hour}", at=datetime(2026, 3, 29, hour, 30, tzinfo=UTC))
    rows = exported(tmp_path, "--since", "2026-03-29", "--until", "2026-03-30", "--zone", "Europe/Berlin")
    assert [row["tool"] for row in rows] == ["after 21", "before 23"]
    assert [row["started_at"][-6:] for row in rows] == ["+02:00", "+01:00"]


def test_filters_are_those_of_the_pages(tmp_path):
    ann = make_user()
    make_decision(ann, allowed=False)
    make_decision(ann)
    rows = exported(tmp_path, "--kind", "decisions", "--where", "allowed=false", "--columns", "allowed,rule")
    assert rows == [{"allowed": False, "rule": "grant_missing"}]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--where", "nothing=1"], "nothing=1: a filter is one of agent_id"),
        (["--where", "allowed"], "allowed: a filter is one of"),
        (["--where", "run_id=x"], "run_id=x cannot be read."),
        (["--where", "person_ids=99999999999999999999"], "cannot be read."),
        (["--where", "text=a\0b"], "cannot be read."),
        (["--where", "text=\udcff"], "text=\N{REPLACEMENT CHARACTER} cannot be read."),
        (["--where", "outcome=lost"], "outcome=lost: a filter is one of succeeded, tool_error, failed, unknown."),
        (["--since", "yesterday"], "yesterday is no time."),
        (["--since", "999999d"], "999999d is no time."),
        (["--since", "0001-01-01", "--zone", "Asia/Kathmandu"], "0001-01-01 is no time."),
        (["--until", "9999-12-31T23:59:59-12:00"], "is no time."),
        (["--since", "2026-12-01", "--until", "2026-11-01"], "is not after"),
        (["--zone", "Mars/Base"], "There is no time zone Mars/Base."),
        (["--zone", "../../etc/passwd"], "There is no time zone ../../etc/passwd."),
        (["--columns", "tool,password"], "There is no column password."),
        (["--limit", "0"], "--limit"),
        (["--limit", "-1"], "--limit"),
        (["--kind", "decisions", "--where", "allowed=maybe"], "allowed=maybe cannot be read."),
    ],
)
def test_what_cannot_be_read_is_named_before_anything_is_written(arguments, told):
    error = refused("export", *arguments)
    assert error.returncode == 1
    assert told in str(error)
    assert not AdminEvent.objects.exists()


@pytest.mark.parametrize(("zone", "night"), [("America/New_York", "2026-11-01"), ("Australia/Lord_Howe", "2026-04-05")])
def test_an_end_that_a_clock_shows_twice_is_the_later_one_as_on_the_page(tmp_path, zone, night):
    """Half past one comes twice in both nights (in Lord Howe half an hour later)."""
    ann = make_user()
    first = datetime.fromisoformat(f"{night}T01:40").replace(tzinfo=ZoneInfo(zone))
    second = first.replace(fold=1)
    assert first.astimezone(UTC) != second.astimezone(UTC)
    for moment in (first, second):
        make_call(ann, at=moment.astimezone(UTC))
    rows = exported(tmp_path, "--since", f"{night}T01:40", "--until", f"{night}T01:41", "--zone", zone)
    assert [row["started_at"] for row in rows] == [
        moment.isoformat(timespec="microseconds") for moment in (second, first)
    ]


def test_of_a_file_that_could_not_be_finished_nothing_stays(tmp_path, monkeypatch):
    make_call(make_user())
    monkeypatch.setattr(audit, "export_rows", lambda **_: on_a_full_disk())
    error = refused("export", "--output", str(tmp_path / "out.jsonl"))
    assert "No space left on device" in str(error)
    assert not (tmp_path / "out.jsonl").exists()


def on_a_full_disk():
    yield b"{}\n"
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_behind_standard_output_is_told_in_one_line():
    write_out = (
        "import django; django.setup(); from connectors.management.commands import audit; audit._write_out([b'x'])"
    )
    told = f"try: exec({write_out!r})\nexcept Exception as error: raise SystemExit(str(error))"
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", told],
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "poco.settings"},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
    assert done.stderr == "The file is not whole: No space left on device.\n"


def test_a_file_that_is_there_is_not_written_over(tmp_path):
    (tmp_path / "out.jsonl").write_text("mine")
    refused("export", "--output", str(tmp_path / "out.jsonl"))
    assert (tmp_path / "out.jsonl").read_text() == "mine"


def test_help_names_the_exit_codes(capsys):
    with pytest.raises(SystemExit):
        load_command_class("connectors", "audit").run_from_argv(["manage.py", "audit", "--help"])
    assert "0: whole, 1: broken, 2: could not be verified" in " ".join(capsys.readouterr().out.split())
