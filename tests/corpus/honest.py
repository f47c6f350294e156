"""Archives as honest tools write them, and odd ones that break no rule."""

import io
import struct
import subprocess
import tempfile
import zipfile
import zlib
from pathlib import Path

from tests.builders.packages import ICON, build_files, build_folder, build_manifest
from tests.corpus.case import cases
from tests.corpus.odd_contents import icon, package, skill
from tests.corpus.odd_names import UTF8, file, folder, named
from tests.corpus.raw_zip import (
    WIDE,
    Raw,
    base_entries,
    build_zip,
    deflate,
    descriptor,
    extra_field,
    streamed,
    with_entry,
    zip64,
)

TIMES = extra_field(0x5455, b"\x03" + struct.pack("<2L", 1, 2))
OWNER = extra_field(0x7875, b"\x01\x04\xe8\x03\0\0\x04\xe8\x03\0\0")


def info_zip(*options: str, piped: bool = False) -> bytes:
    """What Info-ZIP's `zip` makes of the package's folder; the handbook's own command (§1)."""
    with tempfile.TemporaryDirectory() as scratch:
        source = build_folder(Path(scratch, "records"))
        command = ["zip", "-q", "-r", *options, "-" if piped else "../made.zip", "."]
        done = subprocess.run(command, cwd=source, check=True, capture_output=True)
        return done.stdout if piped else Path(scratch, "made.zip").read_bytes()


class Pipe:
    """All that a writer has of a pipe: no way to seek back."""

    def __init__(self) -> None:
        self.written = bytearray()
        self.flush = lambda: None
        self.getvalue = lambda: bytes(self.written)

    def write(self, data: bytes) -> int:
        self.written += data
        return len(data)


def zipfile_module(*, stream: bool = False, zip64: bool = False) -> bytes:
    """What Python's own module writes."""
    target = Pipe() if stream else io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in build_files(build_manifest()).items():
            with archive.open(zipfile.ZipInfo(name), "w", force_zip64=zip64) as entry:
                entry.write(data)
    return target.getvalue()


def mac_os() -> bytes:
    """As Finder compresses a folder: wrapped, streamed, resource forks and .DS_Store besides."""
    fork = Raw(b"__MACOSX/records/._manifest.json", b"\0\x05\x16\x07" + b"\0" * 78)
    files = [*base_entries("records/"), Raw(b"records/.DS_Store", b"\0\0\0\1Bud1"), fork]
    return build_zip([folder("records/"), *map(streamed, files)])


def streamed_wide(raw: Raw) -> Raw:
    """Sizes behind the data in 64 bits, which the local header announces with an empty ZIP64 field."""
    raw = raw.but(flags=8, local_extra=zip64(0, 0), local={"crc": 0, "packed": WIDE, "size": WIDE})
    return raw.but(descriptor=descriptor(raw, wide=True))


def wide(raw: Raw) -> Raw:
    size, packed = raw.fields["size"], raw.fields["packed"]
    local = {"size": WIDE, "packed": WIDE, "extra": zip64(size, packed)}
    return raw.but(local=local, central={"size": WIDE, "packed": WIDE, "extra": zip64(size, packed)})


def mapped(change: object) -> bytes:
    return build_zip([change(raw) for raw in base_entries()])  # type: ignore[operator]  # a function of one entry


def unicode_path(raw: Raw) -> Raw:
    return raw.but(extra=extra_field(0x7075, struct.pack("<BL", 1, zlib.crc32(raw.name)) + raw.name))


# All of these hold the same files, so all have the same revision.
SAME = cases(
    "",
    plain=lambda: build_zip(base_entries()),
    stored=lambda: build_zip(base_entries(method=0)),
    in_a_wrapping_folder=lambda: build_zip(base_entries("records/")),
    in_a_wrapping_folder_of_another_name=lambda: build_zip(base_entries("Récords v2/")),
    in_a_wrapping_folder_called_provider=lambda: build_zip(base_entries("provider/")),
    with_folder_entries=lambda: with_entry(folder("assets/"), folder("locales/")),
    with_deflated_folder_entries=lambda: with_entry(folder("assets/").but(method=8)),
    with_an_empty_folder=lambda: with_entry(folder("docs/"), folder("docs/empty/")),
    files_in_reverse=lambda: build_zip(base_entries()[::-1]),
    directory_in_reverse=lambda: build_zip(base_entries(), order=list(range(len(base_entries())))[::-1]),
    compressed_lightly=lambda: mapped(lambda raw: raw.but(data=deflate(raw.content, 1))),
    compressed_not_at_all_by_deflate=lambda: mapped(lambda raw: raw.but(data=deflate(raw.content, 0))),
    with_a_comment=lambda: build_zip(base_entries(), end={"comment": "包 1.0".encode()}),
    with_the_longest_comment=lambda: build_zip(base_entries(), end={"comment": b"c" * 0xFFFF}),
    with_times_and_owners=lambda: build_zip(base_entries(extra=TIMES + OWNER)),
    with_old_unix_extras=lambda: build_zip(base_entries(extra=extra_field(0x756E, struct.pack("<LHL2H", 0, 0o100644, 0, 0, 0)))),
    with_plain_pkware_extras=lambda: build_zip(base_entries(extra=extra_field(0x000D, bytes(12)))),
    with_local_times_only=lambda: build_zip(base_entries(local_extra=TIMES)),
    with_the_utf8_flag=lambda: build_zip(base_entries(flags=UTF8)),
    with_deflate_hints=lambda: build_zip(base_entries(flags=0x0006)),
    with_unicode_paths_that_agree=lambda: mapped(unicode_path),
    with_dos_attributes=lambda: build_zip(base_entries(attributes=0x20)),
    with_executable_files=lambda: build_zip(base_entries(attributes=0o100755 << 16)),
    streamed_entries=lambda: mapped(streamed),
    streamed_without_signatures=lambda: mapped(lambda raw: streamed(raw, signed=False)),
    streamed_and_stored=lambda: mapped(lambda raw: streamed(raw.but(method=0))),
    streamed_with_wide_descriptors=lambda: mapped(streamed_wide),
    wide_sizes=lambda: mapped(wide),
    wide_end=lambda: build_zip(base_entries(), wide_end={}, end={"start": WIDE, "length": WIDE, "count": 0xFFFF, "here": 0xFFFF}),
    wide_end_nobody_needed=lambda: build_zip(base_entries(), wide_end={}),
    from_mac_os=mac_os,
    with_ds_store=lambda: with_entry(Raw(b".DS_Store", b"Bud1"), Raw(b"assets/.DS_Store", b"Bud1")),
    with_an_encrypted_macosx_entry=lambda: with_entry(Raw(b"__MACOSX/._a", b"x", flags=1)),
    from_info_zip=info_zip,
    from_info_zip_as_the_handbook_says=lambda: info_zip("-X"),
    from_info_zip_stored=lambda: info_zip("-0"),
    from_info_zip_piped=lambda: info_zip(piped=True),
    from_info_zip_piped_and_stored=lambda: info_zip("-0", piped=True),
    from_info_zip_with_zip64=lambda: info_zip("-fz"),
    from_zipfile=zipfile_module,
    from_zipfile_with_zip64=lambda: zipfile_module(zip64=True),
    from_zipfile_piped=lambda: zipfile_module(stream=True),
)  # fmt: skip

OTHER = cases(
    "",
    nested_archive_is_an_opaque_file=lambda: with_entry(Raw(b"inner.zip", build_zip(base_entries("../")), method=0)),
    nested_broken_archive=lambda: with_entry(Raw(b"inner.zip", b"PK\x05\x06 PK\x01\x02", method=0)),
    file_that_looks_like_records=lambda: with_entry(Raw(b"a.bin", b"PK\x03\x04PK\x07\x08" * 9, method=0)),
    empty_file_deflated=lambda: with_entry(Raw(b"empty")),
    empty_file_stored=lambda: with_entry(Raw(b"empty", method=0)),
    chinese_names=lambda: named("文档/说明.txt"),
    chinese_names_with_the_flag=lambda: with_entry(file("文档/说明.txt", flags=UTF8)),
    decomposed_name_as_macos_writes_it=lambda: named("re\u0301sume\u0301.txt"),
    emoji_name=lambda: named("👩‍💻.txt"),
    name_with_spaces_and_punctuation=lambda: named("What is this? (1) [a]; b, 'c'.md"),
    name_with_leading_dots=lambda: named(".env", "..a", "...b/c"),
    names_close_to_reserved_ones=lambda: named("console.txt", "com0", "com10", "nulls", "my.con"),
    path_of_512_bytes=lambda: named("a/" * 255 + "ab"),
    part_of_255_bytes=lambda: named("a" * 255),
    highly_compressible=lambda: with_entry(Raw(b"zeroes", b"\0" * 5_000_000)),
    provider_with_a_manifest_of_its_own=lambda: named("provider/manifest.json"),
    unlisted_files_at_the_top=lambda: named("README.md", "LICENSE", "tests/test_a.py"),
    no_icon=lambda: package(presentation={key: value for key, value in build_manifest()["presentation"].items() if key != "icon"}),
    icon_png=lambda: icon("assets/icon.png", b"\x89PNG\r\n\x1a\n rest"),
    icon_jpeg=lambda: icon("assets/icon.JPEG", b"\xff\xd8\xff\xe0 rest"),
    icon_gif=lambda: icon("assets/icon.gif", b"GIF89a rest"),
    icon_webp=lambda: icon("assets/icon.webp", b"RIFF\n\0\0\0WEBPVP8 "),
    icon_ico=lambda: icon("assets/icon.ico", b"\0\0\x01\0\x01\0rest"),
    icon_svg_with_a_prologue=lambda: icon(
        "assets/icon.svg", f'\ufeff<?xml version="1.0"?>\n<!-- made by hand -->\n<!DOCTYPE svg PUBLIC "a" "b">\n{ICON}'
    ),
    icon_svg_with_entities=lambda: icon("assets/icon.svg", f'<!DOCTYPE svg [ <!ENTITY ns "http://x/"> ]>\n{ICON}'),
    icon_svg_that_refers_to_itself=lambda: icon("assets/icon.svg", '<svg id="a"><use href="#a"/><use href="#none"/></svg>'),
    icon_svg_whose_shapes_share_gradients=lambda: icon(
        "assets/icon.svg",
        '<svg><linearGradient id="g">' + "<stop/>" * 50 + "</linearGradient><style>.a{fill:url(#g)}</style>" + '<path fill="url(#g)"/>' * 5000 + "</svg>",
    ),
    icon_svg_with_a_sprite=lambda: icon("assets/icon.svg", '<svg><g id="a">' + "<path/>" * 50 + "</g>" + '<use href="#a"/>' * 100 + "</svg>"),
    icon_svg_nested_deeply=lambda: icon("assets/icon.svg", "<svg>" + "<g>" * 5000 + "</g>" * 5000 + "</svg>"),
    icon_svg_with_a_prefix=lambda: icon("assets/icon.svg", '<s:svg xmlns:s="http://www.w3.org/2000/svg"/>'),
    icon_of_512_kib=lambda: icon("assets/icon.svg", ICON + " " * ((512 << 10) - len(ICON))),
    locale_with_texts_nobody_names=lambda: package({"locales/en.json": _more_texts()}),
    locale_that_is_not_listed=lambda: package({"locales/xx.json": "{}"}),
    skill_without_front_matter=lambda: skill("# Title\n\nBody.\n"),
    skill_with_empty_front_matter=lambda: skill("---\n---\nBody.\n"),
    skill_with_other_keys=lambda: skill("---\nname: a\nallowed-tools: [b, c]\nmetadata: {d: e}\n---\nBody.\n"),
    skill_with_a_byte_order_mark=lambda: skill(b"\xef\xbb\xbf---\nname: a\n---\nBody.\n"),
    skill_with_windows_lines=lambda: skill("---\r\nname: a\r\n---\r\nBody.\r\n"),
    skill_that_is_empty=lambda: skill(""),
    skill_with_files_beside_it=lambda: package({"skills/search/references/usage.md": "x"}),
)  # fmt: skip


def _more_texts() -> bytes:
    texts = build_files(build_manifest())["locales/en.json"]
    return texts.replace(b"{", b'{"extra.text": "", ', 1)


HONEST = [*SAME, *OTHER]
