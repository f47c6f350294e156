"""Every archive of the corpus is accepted or refused, with exactly the codes it names, and nothing leaks out."""

from pathlib import Path

import pytest

from connectors.errors import Invalid
from connectors.manifest.fault_messages import describe_fault
from connectors.packages.fault_messages import PACKAGE_FAULTS
from connectors.packages.inspection import inspect_package
from tests.corpus.case import Case
from tests.corpus.make_archives import ACCEPT, REJECT, make_archives


def by_name(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", ACCEPT, ids=by_name)
def test_an_archive_that_breaks_no_rule_is_accepted(case, tmp_path):
    archive = tmp_path / "package.zip"
    archive.write_bytes(case.make())
    assert inspect_package(archive).manifest.key == "records"


@pytest.mark.parametrize("case", REJECT, ids=by_name)
def test_an_odd_archive_is_refused_for_the_reason_it_names(case, tmp_path, monkeypatch):
    archive, scratch = tmp_path / "package.zip", tmp_path / "scratch"
    archive.write_bytes(case.make())
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    with pytest.raises(Invalid) as refused:
        inspect_package(archive)
    assert {fault.code for fault in refused.value.faults} == case.codes
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["package.zip", "scratch"]
    for fault in refused.value.faults:
        for language in ("en", "zh-hans"):
            text = describe_fault(fault, language)
            assert text.message
            assert text.hint
            assert "?" not in text.message.replace(fault.where, "")
            assert not any(ord(letter) < 32 for letter in text.message + text.where)


def test_the_corpus_is_large_and_its_names_are_unique():
    names = [case.name for case in (*ACCEPT, *REJECT)]
    assert len(REJECT) >= 300  # as the author's guide says
    assert len(set(names)) == len(names)
    assert all(case.codes for case in REJECT)


def test_the_corpus_shows_nearly_every_code_this_room_can_give():
    shown = set().union(*(case.codes for case in REJECT))
    assert PACKAGE_FAULTS.keys() - shown == {"zip_too_large"}


def test_the_corpus_can_be_written_to_a_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.corpus.make_archives.ACCEPT", ACCEPT[:2])
    monkeypatch.setattr("tests.corpus.make_archives.REJECT", REJECT[:3])
    assert make_archives(tmp_path) == 5
    assert len(list(Path(tmp_path, "reject").iterdir())) == 3
