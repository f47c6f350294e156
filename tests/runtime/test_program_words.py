"""What a program says beside its answer: redacted, then cut; the last of its notes kept (handbook §8)."""

import logging
from pathlib import Path

import pytest

from connectors.runtime.deadline import Deadline
from connectors.runtime.operations import AUTHORIZATION_IDENTITY
from connectors.runtime.program import invoke_program
from connectors.runtime.program_context import AuthorizationIdentity, Configuration
from connectors.runtime.program_words import MARGIN, MAX_NOTE_BYTES, keep_notes, tell_message
from connectors.vault.secret import MASK, Secret
from tests.builders.programs import answering, make_program

KEY = "hunter2-hunter2-hunter2-hunter2"
SECRETS = [Secret(KEY)]


@pytest.mark.parametrize("length", [1999, 2000, 2001, 5_000_000])
def test_a_message_is_two_thousand_characters_and_no_more(length: int):
    assert tell_message("错" * length, ()) == "错" * min(length, 2000)


@pytest.mark.parametrize("before", [0, 1975, 1990, 1999, 2000, 4000])
def test_a_secret_that_lies_across_the_cut_leaves_nothing_behind(before: int):
    told = tell_message("." * before + KEY + "." * 3000, SECRETS)
    assert "hunter" not in told
    assert len(told) == 2000


def test_masking_many_secrets_does_not_bring_half_a_one_into_view():
    assert "hunt" not in tell_message(f"{KEY} " * 500, SECRETS)


def test_a_key_nobody_told_us_of_is_masked_across_the_cut_too():
    assert "sk_live" not in tell_message("." * 1980 + " sk_live_0123456789abcdef0123456789", ())


def test_the_last_64_kib_of_the_notes_are_kept_and_none_before():
    kept = keep_notes(b"first" + b"." * (MAX_NOTE_BYTES - 4) + b"last", ())
    assert len(kept) == MAX_NOTE_BYTES
    assert kept.endswith("last")
    assert "first" not in kept


@pytest.mark.parametrize("lost", range(1, len(KEY), 5))
def test_notes_that_begin_within_a_secret_show_no_part_of_it(lost: int):
    """Of a flood only the end has been read; where that begins is chance."""
    flood = KEY.encode()[lost:] + b" " + f"{KEY}\n".encode() * 4000
    kept = keep_notes(flood[: MAX_NOTE_BYTES + MARGIN], SECRETS)
    assert "unter" not in kept.removesuffix(kept[-len(KEY) :])
    assert MASK in kept


def test_a_character_cut_in_two_does_not_spoil_the_notes():
    assert len(keep_notes("错".encode() * 40_000, ()).encode()) in range(MAX_NOTE_BYTES - 3, MAX_NOTE_BYTES + 1)


async def test_what_a_program_writes_to_stderr_is_logged_redacted_and_cannot_forge_a_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    noise = "import sys\nsys.stderr.write('gone' + '.' * 90000 + chr(10))\n"
    source = (
        f"{noise}sys.stderr.write('key {KEY}' + chr(10) + chr(27) + 'WARNING forged')\n{answering({'identity': 1})}"
    )
    context = AuthorizationIdentity(configuration=Configuration(secret={"key": SECRETS[0]}), options={})
    with caplog.at_level(logging.INFO, "connectors.runtime.program"):
        await invoke_program(
            make_program(tmp_path, source), AUTHORIZATION_IDENTITY, context, deadline=Deadline.after(30)
        )
    (line,) = [record.getMessage() for record in caplog.records if "stderr" in record.getMessage()]
    assert line.endswith(f"\n    key {MASK}\n    \ufffdWARNING forged")
    assert "gone" not in line
    assert len(line) < MAX_NOTE_BYTES + 200
