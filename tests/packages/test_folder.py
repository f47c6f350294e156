"""An author's folder is held to the archive's rules."""

import os

import pytest

from connectors.errors import Invalid
from connectors.packages import folder as folder_module
from connectors.packages.folder import list_folder
from connectors.packages.inspection import inspect_folder
from tests.builders.packages import build_folder


@pytest.fixture
def folder(tmp_path):
    return build_folder(tmp_path / "records")


def codes_of(folder) -> set[str]:
    with pytest.raises(Invalid) as refused:
        inspect_folder(folder)
    return {fault.code for fault in refused.value.faults}


def test_macos_s_own_files_are_left_out(folder):
    (folder / ".DS_Store").write_bytes(b"Bud1")
    (folder / "__MACOSX").mkdir()
    (folder / "__MACOSX" / "._a").write_bytes(b"x")
    assert [path for path, _ in list_folder(folder)] == [file.path for file in inspect_folder(folder).files]


def test_a_link_is_refused_and_not_followed(folder, tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "a").write_text("x")
    (folder / "link").symlink_to(tmp_path / "secret")
    assert codes_of(folder) == {"entry_link"}


def test_a_pipe_is_refused_and_not_opened(folder):
    os.mkfifo(folder / "pipe")
    assert codes_of(folder) == {"entry_not_regular"}


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (b"con.txt", "path_windows_reserved"),
        (b"a\\b", "path_backslash"),
        (b"a\nb", "path_control_character"),
        (b"caf\xe9", "name_not_utf8"),
        (b"Manifest.json", "path_collision"),
    ],
)
def test_names_are_held_to_the_archive_s_rules(name, code, folder):
    (folder / os.fsdecode(name)).touch()
    assert codes_of(folder) == {code}


def test_a_folder_without_a_manifest_says_so(tmp_path):
    (tmp_path / "empty").mkdir()
    assert codes_of(tmp_path / "empty") == {"manifest_missing"}


def test_a_folder_that_is_too_large_says_so(folder, monkeypatch):
    monkeypatch.setattr(folder_module, "MAX_INFLATED_BYTES", 500)
    assert "inflated_too_large" in codes_of(folder)


def test_what_tools_leave_behind_is_no_part_of_the_package(tmp_path):
    folder = build_folder(tmp_path / "package")
    before = inspect_folder(folder).manifest_revision
    for path in ("provider/__pycache__/main.cpython-312.pyc", ".git/HEAD", ".DS_Store"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(b"left over")
    assert inspect_folder(folder).manifest_revision == before
