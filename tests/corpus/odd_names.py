"""Archives whose names cannot be kept apart or put anywhere: encodings, traversal, collisions, roots."""

import struct
import zlib

from tests.corpus.case import cases
from tests.corpus.raw_zip import Raw, base_entries, build_zip, extra_field, with_entry

UTF8 = 0x0800


def file(name: str | bytes, **changes: object) -> Raw:
    return Raw(name if isinstance(name, bytes) else name.encode("utf-8", "surrogatepass"), b"x").but(**changes)


def named(*names: str | bytes) -> bytes:
    return with_entry(*map(file, names))


def folder(name: str) -> Raw:
    return Raw(name.encode(), method=0, attributes=0o040755 << 16)


def unicode_path(name: bytes, other: bytes, *, version: int = 1, crc: int | None = None) -> bytes:
    return extra_field(0x7075, struct.pack("<BL", version, zlib.crc32(name) if crc is None else crc) + other)


ENCODINGS = [
    *cases(
        "name_not_utf8",
        name_in_code_page_437=lambda: named(b"caf\x82.txt"),
        name_in_gbk=lambda: named("说明.txt".encode("gbk")),
        name_in_shift_jis=lambda: named("説明.txt".encode("shift_jis")),
        flag_says_utf8_and_it_is_not=lambda: with_entry(file(b"caf\xe9.txt", flags=UTF8)),
        overlong_slash=lambda: named(b"a\xc0\xafb"),
        lone_surrogate=lambda: named("a\ud800b"),
        beyond_unicode=lambda: with_entry(file(b"a\xf4\x90\x80\x80", flags=UTF8)),
        cut_character=lambda: named(b"a\xe4\xb8"),
    ),
    *cases(
        "name_unicode_extra",
        unicode_path_differs=lambda: with_entry(file("a.txt", extra=unicode_path(b"a.txt", b"../b.txt"))),
        unicode_path_is_stale=lambda: with_entry(file("a.txt", extra=unicode_path(b"a.txt", b"a.txt", crc=1))),
        unicode_path_of_another_version=lambda: with_entry(
            file("a.txt", extra=unicode_path(b"a.txt", b"a.txt", version=2))
        ),
        unicode_path_cut_short=lambda: with_entry(file("a.txt", extra=extra_field(0x7075, b"\x01\0"))),
        unicode_path_differs_in_the_directory=lambda: with_entry(
            file("a.txt", extra=unicode_path(b"a.txt", b"b.txt"), local_extra=b"")
        ),
        unicode_path_differs_locally=lambda: with_entry(file("a.txt", local_extra=unicode_path(b"a.txt", b"b.txt"))),
        escaped_name_with_a_unicode_path=lambda: with_entry(
            file("#U4e2d.txt", extra=unicode_path(b"#U4e2d.txt", "中.txt".encode()))
        ),
    ),
]

SHAPES = [
    *cases("path_empty", no_name=lambda: named("")),
    *cases(
        "path_control_character",
        nul_in_the_name=lambda: named("a.txt\0.png"),
        newline_in_the_name=lambda: named("a\nb.txt"),
        tab_in_the_name=lambda: named("a\tb.txt"),
        escape_in_the_name=lambda: named("a\x1b[2Jb.txt"),
        delete_in_the_name=lambda: named("a\x7f.txt"),
        next_line_in_the_name=lambda: named("a\x85.txt"),
    ),
    *cases(
        "path_backslash",
        backslash=lambda: named("provider\\main.py"),
        backslash_traversal=lambda: named("..\\..\\windows"),
        network_share=lambda: named("\\\\server\\share"),
        trailing_backslash=lambda: named("notes\\"),
    ),
    *cases(
        "path_absolute",
        absolute=lambda: named("/etc/passwd"),
        absolute_twice=lambda: named("//etc/passwd"),
        only_a_slash=lambda: named("/"),
        only_two_slashes=lambda: named("//"),
    ),
    *cases(
        "path_drive",
        drive=lambda: named("C:/windows/a.txt"),
        drive_relative=lambda: named("c:a.txt"),
        bare_drive=lambda: named("d:"),
    ),
    *cases(
        "path_parent",
        parent=lambda: named("../a.txt"),
        parent_in_the_middle=lambda: named("a/../../b.txt"),
        parent_at_the_end=lambda: named("a/.."),
        parent_folder=lambda: with_entry(folder("../")),
        parent_inside_macosx=lambda: named("__MACOSX/../../a.txt"),
    ),
    *cases(
        "path_dot_or_empty_part",
        dot_first=lambda: named("./a.txt"),
        dot_in_the_middle=lambda: named("a/./b.txt"),
        only_a_dot=lambda: named("."),
        empty_part=lambda: named("a//b.txt"),
        two_trailing_slashes=lambda: with_entry(folder("a//")),
        whole_package_below_a_dot=lambda: build_zip([*base_entries(), folder("./")]),
    ),
]

PORTABLE = [
    *cases(
        "path_too_long",
        path_of_513_bytes=lambda: named("a/" * 255 + "abc"),
        path_of_30000_parts=lambda: named("a/" * 30_000 + "b"),
    ),
    *cases(
        "path_part_too_long", part_of_256_bytes=lambda: named("a" * 256), part_of_86_characters=lambda: named("中" * 86)
    ),
    *cases(
        "path_trailing_dot_or_space",
        trailing_dot=lambda: named("a.txt."),
        trailing_space=lambda: named("a.txt "),
        folder_with_a_trailing_dot=lambda: named("docs./a.txt"),
        folder_with_a_trailing_space=lambda: with_entry(folder("docs /")),
        three_dots=lambda: named("..."),
    ),
    *cases(
        "path_windows_reserved",
        reserved_con=lambda: named("con"),
        reserved_with_a_suffix=lambda: named("provider/aux.py"),
        reserved_with_two_suffixes=lambda: named("nul.tar.gz"),
        reserved_in_capitals=lambda: named("COM1.txt"),
        reserved_folder=lambda: named("LPT9/a.txt"),
        reserved_superscript=lambda: named("com¹.txt"),
        reserved_console_input=lambda: named("conin$"),
        reserved_with_a_space_before_the_suffix=lambda: named("prn .txt"),
    ),
]

COLLISIONS = [
    *cases(
        "path_duplicate",
        same_file_twice=lambda: named("a.txt", "a.txt"),
        same_folder_twice=lambda: with_entry(folder("a/"), folder("a/")),
        manifest_twice=lambda: build_zip([*base_entries(), base_entries()[0]]),
        same_name_with_and_without_the_utf8_flag=lambda: with_entry(file("é.txt"), file("é.txt", flags=UTF8)),
    ),
    *cases(
        "path_file_and_folder",
        file_and_stated_folder=lambda: with_entry(file("a"), folder("a/")),
        file_and_implied_folder=lambda: named("a", "a/b.txt"),
        folder_first_then_file=lambda: named("a/b/c.txt", "a/b"),
        manifest_as_a_folder_too=lambda: named("manifest.json/a.txt"),
    ),
    *cases(
        "path_collision",
        differ_in_case=lambda: named("a.txt", "A.TXT"),
        folders_differ_in_case=lambda: named("docs/a.txt", "Docs/b.txt"),
        file_and_folder_differ_in_case=lambda: named("docs", "DOCS/a.txt"),
        composed_and_decomposed=lambda: named("\u00e9.txt", "e\u0301.txt"),
        ligature=lambda: named("\ufb01le.txt", "file.txt"),
        full_width=lambda: named("\uff41.txt", "a.txt"),
        full_width_capital=lambda: named("\uff21.txt", "a.txt"),
        sharp_s=lambda: named("stra\u00dfe.txt", "strasse.txt"),
        kelvin_sign=lambda: named("\u212a.txt", "k.txt"),
        angstrom_sign=lambda: named("\u212b.txt", "\u00c5.txt"),
        final_sigma=lambda: named("\u03c3.txt", "\u03c2.txt"),
        superscript_two=lambda: named("x\u00b2.txt", "x2.txt"),
        hangul=lambda: named("\ud55c.txt", "\u1112\u1161\u11ab.txt"),
        manifest_in_other_case=lambda: named("Manifest.JSON"),
    ),
]

ROOTS = [
    *cases(
        "manifest_missing",
        no_entries=lambda: build_zip([]),
        no_manifest=lambda: build_zip(base_entries()[1:]),
        manifest_in_capitals=lambda: build_zip([base_entries()[0].but(name=b"MANIFEST.json"), *base_entries()[1:]]),
        manifest_two_folders_down=lambda: build_zip(base_entries("outer/inner/")),
        manifest_only_in_macosx=lambda: build_zip(base_entries("__MACOSX/")),
        manifest_only_among_the_provider_s_files=lambda: build_zip(
            [base_entries()[0].but(name=b"provider/manifest.json"), *base_entries()[1:]]
        ),
        archive_in_an_archive=lambda: build_zip([Raw(b"package.zip", build_zip(base_entries()), method=0)]),
    ),
    *cases(
        "package_folder_second",
        two_packages=lambda: build_zip([*base_entries("one/"), *base_entries("two/")]),
        second_package_beside_the_first_one_s_files=lambda: build_zip([*base_entries(), *base_entries("two/")]),
    ),
    *cases(
        "outside_package_folder",
        file_beside_the_folder=lambda: build_zip([*base_entries("records/"), file("README.md")]),
        folder_beside_the_folder=lambda: build_zip([*base_entries("records/"), folder("empty/")]),
        folder_in_other_case_beside_the_folder=lambda: build_zip([*base_entries("records/"), file("Records/a.txt")]),
    ),
]

NAMES = [*ENCODINGS, *SHAPES, *PORTABLE, *COLLISIONS, *ROOTS]
