"""Archives whose container is sound and one entry is not: kinds, methods, encryption, bytes."""

import struct

from tests.corpus.case import cases
from tests.corpus.raw_zip import FILE, Raw, deflate, extra_field, with_entry

NOTE = Raw(b"note.txt", b"twelve bytes")
STORED = NOTE.but(method=0)
FOLDER = Raw(b"notes/", method=0, attributes=0o040755 << 16 | 0x10)
ASI_LINK = extra_field(0x756E, struct.pack("<LHL2H", 0, 0o120777, 8, 0, 0) + b"/etc/pwd")
PKWARE_LINK = extra_field(0x000D, struct.pack("<2L2H", 0, 0, 0, 0) + b"/etc/passwd")


def mode(kind: int) -> int:
    return (kind | 0o644) << 16


KINDS = [
    *cases(
        "entry_link",
        symlink=lambda: with_entry(STORED.but(content=b"manifest.json", attributes=mode(0o120000))),
        symlink_out_of_the_package=lambda: with_entry(STORED.but(content=b"../../etc", attributes=mode(0o120000))),
        symlink_with_a_trailing_slash=lambda: with_entry(FOLDER.but(attributes=mode(0o120000))),
        symlink_in_an_old_unix_extra=lambda: with_entry(NOTE.but(extra=ASI_LINK)),
        symlink_in_a_pkware_extra=lambda: with_entry(NOTE.but(extra=PKWARE_LINK)),
    ),
    *cases(
        "entry_not_regular",
        fifo=lambda: with_entry(STORED.but(content=b"", attributes=mode(0o010000))),
        character_device=lambda: with_entry(STORED.but(content=b"", attributes=mode(0o020000))),
        block_device=lambda: with_entry(STORED.but(content=b"", attributes=mode(0o060000))),
        socket=lambda: with_entry(STORED.but(content=b"", attributes=mode(0o140000))),
        unknown_file_type=lambda: with_entry(STORED.but(content=b"", attributes=mode(0o150000))),
        folder_by_mode_without_a_slash=lambda: with_entry(STORED.but(content=b"", attributes=mode(0o040000))),
        folder_by_dos_attribute_without_a_slash=lambda: with_entry(STORED.but(content=b"", attributes=0x10)),
        file_by_mode_with_a_slash=lambda: with_entry(FOLDER.but(attributes=FILE)),
    ),
    *cases(
        "folder_with_content",
        folder_with_stored_content=lambda: with_entry(FOLDER.but(content=b"payload")),
        folder_with_deflated_content=lambda: with_entry(FOLDER.but(content=b"payload", method=8)),
        folder_with_hidden_bytes=lambda: with_entry(FOLDER.but(data=b"hidden", size=0, method=8)),
    ),
]

METHODS = [
    *cases(
        "entry_encrypted",
        encrypted=lambda: with_entry(NOTE.but(flags=0x0001)),
        strongly_encrypted=lambda: with_entry(NOTE.but(flags=0x0041)),
        masked_headers=lambda: with_entry(NOTE.but(flags=0x2000)),
        encrypted_with_aes=lambda: with_entry(NOTE.but(flags=0x0001, method=99)),
    ),
    *cases(
        "entry_flags",
        patched_data=lambda: with_entry(NOTE.but(flags=0x0020)),
        enhanced_deflate_flag=lambda: with_entry(NOTE.but(flags=0x0010)),
        unused_flag=lambda: with_entry(NOTE.but(flags=0x0080)),
        reserved_flag=lambda: with_entry(NOTE.but(flags=0x8000)),
    ),
    *cases(
        "entry_method",
        shrunk=lambda: with_entry(NOTE.but(method=1)),
        imploded=lambda: with_entry(NOTE.but(method=6)),
        deflate64=lambda: with_entry(NOTE.but(method=9)),
        bzip2=lambda: with_entry(NOTE.but(method=12)),
        lzma=lambda: with_entry(NOTE.but(method=14)),
        zstandard=lambda: with_entry(NOTE.but(method=93)),
        xz=lambda: with_entry(NOTE.but(method=95)),
        unknown_method=lambda: with_entry(NOTE.but(method=0xFFFF)),
    ),
]

BYTES = [
    *cases(
        "entry_size_wrong",
        stored_shorter_than_said=lambda: with_entry(STORED.but(size=99)),
        stored_longer_than_said=lambda: with_entry(STORED.but(size=2)),
        inflates_to_more_than_said=lambda: with_entry(NOTE.but(content=b"\0" * 1_000_000, size=10)),
        inflates_to_less_than_said=lambda: with_entry(NOTE.but(size=10_000)),
        inflates_to_something_said_to_be_empty=lambda: with_entry(NOTE.but(size=0)),
    ),
    *cases(
        "entry_crc_wrong",
        another_crc=lambda: with_entry(NOTE.but(crc=1)),
        another_crc_stored=lambda: with_entry(STORED.but(crc=0)),
        one_stored_byte_flipped=lambda: with_entry(STORED.but(data=b"twelve Bytes")),
        empty_file_with_a_crc=lambda: with_entry(STORED.but(content=b"", crc=9)),
    ),
    *cases(
        "entry_damaged",
        not_deflate_at_all=lambda: with_entry(NOTE.but(data=b"\xff\xff\xff\xff")),
        deflate_cut_short=lambda: with_entry(NOTE.but(data=deflate(NOTE.content)[:-3])),
        deflate_of_nothing=lambda: with_entry(NOTE.but(content=b"", data=b"")),
        deflate_pointing_before_its_start=lambda: with_entry(NOTE.but(data=b"\x03\x02\x00\x00")),
        zlib_header_before_deflate=lambda: with_entry(NOTE.but(data=b"\x78\x9c" + deflate(NOTE.content))),
    ),
    *cases(
        "entry_data_after_end",
        bytes_behind_the_deflate_stream=lambda: with_entry(NOTE.but(data=deflate(NOTE.content) + b"hidden")),
        second_deflate_stream_behind_the_first=lambda: with_entry(NOTE.but(data=deflate(NOTE.content) * 2)),
    ),
    *cases("entry_crc_wrong path_parent", several_faults_at_once=lambda: with_entry(
        NOTE.but(crc=1), NOTE.but(name=b"../note.txt")
    )),
]  # fmt: skip

ENTRIES = [*KINDS, *METHODS, *BYTES]
