"""One less, exactly, one more: what each limit accepts and refuses."""

import json

import pytest

from connectors.errors import Invalid
from connectors.packages import limits
from connectors.packages.inspection import inspect_package
from tests.builders.packages import ICON, build_files, build_manifest
from tests.corpus.odd_contents import icon, locale, many_files, package, skill
from tests.corpus.odd_names import named
from tests.corpus.raw_zip import Raw, base_entries, build_zip, deflate, with_entry

BASE_BYTES = sum(map(len, build_files(build_manifest()).values()))


def codes_of(tmp_path, data: bytes, **options) -> set[str]:
    archive = tmp_path / "package.zip"
    archive.write_bytes(data)
    try:
        inspect_package(archive, **options)
    except Invalid as refused:
        return {fault.code for fault in refused.faults}
    return set()


def around(limit: int, code: str) -> list[tuple[int, set[str]]]:
    return [(limit - 1, set()), (limit, set()), (limit + 1, {code})]


@pytest.mark.parametrize(("size", "codes"), around(0, "zip_too_large"))
def test_the_size_of_the_archive(size, codes, tmp_path):
    data = build_zip(base_entries())
    assert codes_of(tmp_path, data, max_zip_bytes=len(data) - size) == codes


@pytest.mark.parametrize(("size", "codes"), around(0, "inflated_too_large"))
@pytest.mark.parametrize("method", [0, 8])
def test_the_size_of_the_files_together(size, codes, method, tmp_path):
    padding = 4 * 200_000 - BASE_BYTES + size
    blocks = [Raw(b"%d" % n, b"\0" * part) for n, part in enumerate((300_000, padding - 300_000))]
    assert codes_of(tmp_path, with_entry(*blocks), max_zip_bytes=200_000) == codes


def test_bytes_are_counted_while_inflating_whatever_the_records_say(tmp_path):
    lie = Raw(b"lie", data=deflate(b"\0" * 50_000_000), size=1_000_000, crc=0)
    assert codes_of(tmp_path, with_entry(lie)) == {"entry_size_wrong"}


@pytest.mark.parametrize(("count", "codes"), around(limits.MAX_ENTRIES, "too_many_entries"))
def test_the_number_of_entries(count, codes, tmp_path):
    assert codes_of(tmp_path, many_files(count)) == codes


def test_macos_s_own_entries_do_not_count(tmp_path):
    own = [Raw(b"__MACOSX/._%d" % n, method=0) for n in range(limits.MAX_ENTRIES)]
    assert codes_of(tmp_path, with_entry(*own)) == set()


@pytest.mark.parametrize(("size", "codes"), around(limits.MAX_PATH_BYTES, "path_too_long"))
@pytest.mark.parametrize("letter", ["a", "é"])
def test_the_bytes_of_a_path(size, codes, letter, tmp_path):
    end = letter * 3
    path = "b/" * ((size - len(end.encode())) // 2)
    path += "c" * (size - len((path + end).encode())) + end
    assert codes_of(tmp_path, named(path)) == codes


@pytest.mark.parametrize(("size", "codes"), around(limits.MAX_PART_BYTES, "path_part_too_long"))
@pytest.mark.parametrize("place", ["{}", "{}/a", "a/{}/b"])
def test_the_bytes_of_a_part(size, codes, place, tmp_path):
    assert codes_of(tmp_path, named(place.format("é" + "a" * (size - 2)))) == codes


@pytest.mark.parametrize(("size", "codes"), around(limits.MAX_MANIFEST_BYTES, "json_too_large"))
def test_the_size_of_the_manifest(size, codes, tmp_path):
    text = json.dumps(build_manifest(skills=[{"key": "search", "path": "skills/search"}]))
    assert codes_of(tmp_path, package({"manifest.json": text + " " * (size - len(text))})) == codes


@pytest.mark.parametrize(("size", "codes"), around(limits.MAX_LOCALE_BYTES, "json_too_large"))
def test_the_size_of_a_locale_file(size, codes, tmp_path):
    text = build_files(build_manifest())["locales/en.json"].decode()
    assert codes_of(tmp_path, locale(text + " " * (size - len(text.encode())))) == codes


@pytest.mark.parametrize(("size", "codes"), around(limits.MAX_ICON_BYTES, "icon_too_large"))
def test_the_size_of_the_icon(size, codes, tmp_path):
    assert codes_of(tmp_path, icon("assets/icon.svg", ICON + " " * (size - len(ICON)))) == codes


@pytest.mark.parametrize(("size", "codes"), around(limits.MAX_SKILL_BYTES, "skill_too_large"))
def test_the_size_of_a_skill_s_text(size, codes, tmp_path):
    assert codes_of(tmp_path, skill("a" * size)) == codes


@pytest.mark.parametrize(("size", "codes"), around(limits.MAX_FRONT_MATTER_BYTES, "skill_front_matter_too_large"))
def test_the_size_of_front_matter(size, codes, tmp_path):
    block = "other: " + "a" * (size - 8) + "\n"
    assert codes_of(tmp_path, skill(f"---\n{block}---\n")) == codes


@pytest.mark.parametrize(("length", "codes"), around(100, "skill_front_matter_too_long"))
def test_the_length_of_a_skill_s_name(length, codes, tmp_path):
    assert codes_of(tmp_path, skill(f"---\nname: {'a' * length}\n---\n")) == codes


def test_the_inflated_limit_is_four_times_the_archive_s_and_never_above_400_mib():
    assert limits.inflated_limit(10) == 40
    assert limits.inflated_limit(200 * limits.MIB) == 400 * limits.MIB


def test_limits_are_told_as_people_write_them():
    assert [limits.size_text(n) for n in (100 * limits.MIB, 512 * 1024, 1500)] == ["100 MiB", "512 KiB", "1500 bytes"]
