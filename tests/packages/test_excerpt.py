"""Some files of an archive, read again."""

import zipfile

import pytest

from connectors.errors import Invalid
from connectors.packages.excerpt import read_excerpt
from tests.builders.packages import build_package


@pytest.fixture
def archive(tmp_path):
    return build_package(tmp_path / "package.zip", files={"notes.txt": b"some words that are stored"})


def test_only_what_is_wanted_and_there_comes_back(archive):
    assert read_excerpt(archive, {"notes.txt", "absent.txt"}) == {"notes.txt": b"some words that are stored"}


def test_an_archive_that_became_ambiguous_is_refused(archive):
    archive.write_bytes(archive.read_bytes() + b"and more")
    with pytest.raises(Invalid):
        read_excerpt(archive, {"notes.txt"})


def test_an_archive_with_a_name_out_of_the_folder_is_refused(archive):
    with zipfile.ZipFile(archive, "a") as opened:
        opened.writestr("../outside.txt", b"no")
    with pytest.raises(Invalid):
        read_excerpt(archive, {"notes.txt"})


def test_a_file_that_was_altered_is_refused(tmp_path):
    archive = tmp_path / "stored.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as opened:
        opened.writestr("manifest.json", b"{}")
        opened.writestr("notes.txt", b"some words that are stored")
    archive.write_bytes(archive.read_bytes().replace(b"some words", b"same words"))
    with pytest.raises(Invalid) as refused:
        read_excerpt(archive, {"notes.txt"})
    assert [fault.where for fault in refused.value.faults] == ["notes.txt"]
