"""What an inspection hands on, and that it tells everything at once."""

import hashlib

import pytest

from connectors.errors import Invalid
from connectors.packages.inspection import inspect_folder, inspect_package
from connectors.packages.revision import compute_revision
from tests.builders.packages import ICON, build_files, build_folder, build_manifest, build_package
from tests.corpus.odd_contents import SKILL
from tests.corpus.raw_zip import Raw, base_entries, build_zip

MANIFEST = build_manifest(skills=[SKILL])


@pytest.fixture
def package(tmp_path):
    return inspect_package(build_package(tmp_path / "package.zip", manifest=MANIFEST))


def test_the_manifest_comes_parsed_and_as_it_was_written(package):
    assert package.manifest.key == "records"
    assert package.document == MANIFEST


def test_the_texts_come_in_every_language(package):
    assert package.texts["en"]["name"] == "name (en)"
    assert package.texts["zh-CN"]["name"] == "name (zh-CN)"


def test_the_icon_comes_with_its_type_and_digest(package):
    assert package.icon.media_type == "image/svg+xml"
    assert package.icon.digest == hashlib.sha256(ICON.encode()).hexdigest()
    assert package.icon.content == ICON.encode()


def test_the_files_come_sorted_with_size_and_digest(package):
    content = build_files(MANIFEST)
    assert [file.path for file in package.files] == sorted(content)
    for file in package.files:
        assert file.size == len(content[file.path])
        assert file.digest == hashlib.sha256(content[file.path]).hexdigest()


def test_the_archive_comes_with_its_own_digest_and_size(package, tmp_path):
    data = (tmp_path / "package.zip").read_bytes()
    assert package.archive_sha256 == hashlib.sha256(data).hexdigest()
    assert package.archive_size == len(data)


def test_a_skill_s_digest_covers_the_files_of_its_folder_only(package, tmp_path):
    [skill] = package.skills
    assert skill.digest == compute_revision(
        [type(file)("SKILL.md", file.size, file.digest) for file in package.files if file.path.startswith("skills/")]
    )
    other = build_package(tmp_path / "other.zip", manifest=MANIFEST, files={"README.md": "x"})
    assert inspect_package(other).skills[0].digest == skill.digest
    changed = build_package(tmp_path / "changed.zip", manifest=MANIFEST, files={"skills/search/a.md": "x"})
    assert inspect_package(changed).skills[0].digest != skill.digest


def test_what_is_allowed_but_probably_not_meant_is_a_warning(tmp_path):
    archive = build_package(tmp_path / "package.zip", files={"locales/fr.json": "{}"})
    assert [(w.code, w.where) for w in inspect_package(archive).warnings] == [("locale_not_listed", "locales/fr.json")]


def test_faults_of_archive_manifest_texts_icon_and_skills_come_together(tmp_path):
    files = build_files(build_manifest(skills=[SKILL], permission_key="other"))
    files["locales/en.json"] = b"[]"
    files["assets/icon.svg"] = b"no icon"
    files["skills/search/SKILL.md"] = b"---\n"
    entries = [Raw(name.encode(), content) for name, content in files.items()]
    archive = tmp_path / "package.zip"
    archive.write_bytes(build_zip([*entries, Raw(b"a\\b"), Raw(b"con", flags=1), Raw(b"c", b"c", crc=1)]))
    with pytest.raises(Invalid) as refused:
        inspect_package(archive)
    assert {fault.code for fault in refused.value.faults} == {
        "path_backslash", "path_windows_reserved", "entry_encrypted", "entry_crc_wrong", "permission_key_mismatch",
        "locale_not_map", "icon_not_image", "skill_front_matter_open",
    }  # fmt: skip


def test_a_file_whose_bytes_are_refused_is_not_called_missing_too(tmp_path):
    entries = [raw.but(crc=1) if b"locales/en" in raw.name else raw for raw in base_entries()]
    archive = tmp_path / "package.zip"
    archive.write_bytes(build_zip(entries))
    with pytest.raises(Invalid) as refused:
        inspect_package(archive)
    assert [(fault.code, fault.where) for fault in refused.value.faults] == [("entry_crc_wrong", "locales/en.json")]


def test_names_and_structure_are_told_together(tmp_path):
    archive = tmp_path / "package.zip"
    archive.write_bytes(build_zip([*base_entries(), Raw(b"a\\b"), Raw(b"c", gap=b"gap")]))
    with pytest.raises(Invalid) as refused:
        inspect_package(archive)
    assert {fault.code for fault in refused.value.faults} == {"zip_data_between", "path_backslash"}


def test_a_file_that_is_not_there_is_the_caller_s_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        inspect_package(tmp_path / "none.zip")


def test_a_folder_is_inspected_without_an_archive(tmp_path):
    package = inspect_folder(build_folder(tmp_path / "records", manifest=MANIFEST))
    assert package.manifest.key == "records"
    assert (package.archive_sha256, package.archive_size) == ("", 0)
    assert package.skills[0].name == "search"
