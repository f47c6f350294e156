"""The typed readers of the environment."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from poco import env


def test_a_variable_is_read_and_stripped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAME", " value ")
    assert env.text("NAME") == "value"


def test_a_file_gives_the_value(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("from the file\n")
    monkeypatch.setenv("NAME_FILE", str(file))
    assert env.text("NAME") == "from the file"


def test_variable_and_file_together_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NAME", "value")
    monkeypatch.setenv("NAME_FILE", str(tmp_path))
    with pytest.raises(ImproperlyConfigured, match="not both"):
        env.text("NAME")


def test_an_unreadable_file_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NAME_FILE", str(tmp_path / "absent"))
    with pytest.raises(ImproperlyConfigured, match="NAME_FILE points at"):
        env.text("NAME")


@pytest.mark.parametrize(("given", "expected"), [("1", True), ("Yes", True), ("off", False), ("", False)])
def test_words_for_yes_and_no_are_understood(monkeypatch: pytest.MonkeyPatch, given: str, expected: bool) -> None:
    monkeypatch.setenv("NAME", given)
    assert env.boolean("NAME", default=not expected) is expected


def test_a_word_that_is_neither_yes_nor_no_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAME", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="Use 1 or 0"):
        env.boolean("NAME")


def test_a_number_outside_its_range_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAME", "101")
    with pytest.raises(ImproperlyConfigured, match="at least 1 and at most 100"):
        env.integer("NAME", 5, minimum=1, maximum=100)


def test_a_number_without_an_upper_end_names_the_lower_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAME", "0")
    with pytest.raises(ImproperlyConfigured, match="at least 1\\."):
        env.integer("NAME", 5, minimum=1)


def test_text_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAME", "many")
    with pytest.raises(ImproperlyConfigured, match="not a whole number"):
        env.integer("NAME", 5)


def test_a_list_drops_empty_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAME", "a, ,b,")
    assert env.words("NAME") == ["a", "b"]


def test_a_choice_outside_the_allowed_words_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAME", "green")
    with pytest.raises(ImproperlyConfigured, match="red, blue"):
        env.choice("NAME", "red", ("red", "blue"))


def test_a_folder_becomes_absolute(tmp_path: Path) -> None:
    assert env.folder("ABSENT", tmp_path / "a" / ".." / "b") == tmp_path / "b"
