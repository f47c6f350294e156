"""Archives whose containers lie: ends, directories, headers, descriptors, ZIP64, overlaps."""

import struct

from tests.corpus.case import cases
from tests.corpus.raw_zip import (
    WIDE,
    Raw,
    base_entries,
    build_zip,
    central_record,
    deflate,
    descriptor,
    end_record,
    extra_field,
    local_record,
    streamed,
    with_entry,
    with_first,
    zip64,
)

GOOD = build_zip(base_entries())
NOTE = Raw(b"note.txt", b"twelve bytes")


def streamed_first(**changes: object) -> bytes:
    first, *rest = base_entries()
    return build_zip([streamed(first).but(**changes), *rest])


def wide_end(**lies: object) -> bytes:
    return build_zip(base_entries(), wide_end=lies, end={"start": WIDE})


def quoted_overlap_bomb(count: int = 2000, size: int = 100_000) -> bytes:
    """Every file's deflate stream quotes the next file's local header and then runs into its data."""
    kernel = Raw(b"0", data=deflate(b"\0" * size), crc=1, size=size)
    body, raws, offsets = local_record(kernel), [kernel], [0]
    for index in range(1, count):
        head = body[:200]
        quote = b"\x00" + struct.pack("<HH", len(head), 0xFFFF ^ len(head)) + head
        raw = Raw(b"%d" % index, data=quote + kernel.packed, crc=1, size=size)
        start = local_record(raw)[: 30 + len(raw.name)] + quote[:5]
        body = start + body
        offsets = [0] + [offset + len(start) for offset in offsets]
        raws.insert(0, raw)
    directory = b"".join(central_record(raw, offset) for raw, offset in zip(raws, offsets, strict=True))
    return body + directory + end_record(count=count, length=len(directory), start=len(body))


def shared_local_bomb(count: int = 2000) -> bytes:
    """Thousands of directory entries that all point at one compressed file."""
    kernel = Raw(b"zeroes", data=deflate(b"\0" * 1_000_000), crc=1, size=1_000_000)
    body = local_record(kernel)
    directory = b"".join(central_record(kernel.but(name=b"%06d" % n), 0) for n in range(count))
    return body + directory + end_record(count=count, length=len(directory), start=len(body))


def self_referring_comment() -> bytes:
    inner = end_record(count=4, length=10, start=0)
    return build_zip(base_entries(), end={"comment": inner})


ENDS = [
    *cases(
        "zip_end_missing",
        empty_file=lambda: b"",
        text_file=lambda: b"this is not a zip\n" * 50,
        two_letters=lambda: b"PK",
        cut_in_half=lambda: GOOD[: len(GOOD) // 2],
        cut_in_the_end_record=lambda: GOOD[:-5],
        gzip_file=lambda: b"\x1f\x8b\x08" + b"\0" * 60,
        tar_file=lambda: b"manifest.json".ljust(257, b"\0") + b"ustar\x0000" + b"\0" * 1024,
        seven_zip_file=lambda: b"7z\xbc\xaf\x27\x1c" + b"\0" * 60,
        only_a_local_header=lambda: local_record(NOTE),
        comment_with_a_short_end_signature=lambda: build_zip(base_entries(), end={"comment": b"PK\x05\x06 hello"}),
    ),
    *cases(
        "zip_data_after_end",
        one_newline_after_the_end=lambda: GOOD + b"\n",
        a_kilobyte_after_the_end=lambda: GOOD + b"\0" * 1024,
        comment_longer_than_said=lambda: build_zip(base_entries(), end={"comment": b"abc", "comment_length": 1}),
        comment_with_an_end_signature=lambda: build_zip(base_entries(), end={"comment": b"PK\x05\x06" + b"x" * 40}),
    ),
    *cases("zip_end_repeated", end_record_inside_the_comment=self_referring_comment),
    *cases(
        "zip_data_before_first",
        prefix_with_offsets_as_they_were=lambda: build_zip(base_entries(), prefix=b"#!/bin/sh\n", adjusted=False),
        prefix_with_offsets_adjusted=lambda: build_zip(base_entries(), prefix=b"#!/bin/sh\n"),
        two_archives_one_after_the_other=lambda: GOOD + GOOD,
        two_archives_with_offsets_adjusted=lambda: build_zip(base_entries(), prefix=GOOD),
        bytes_before_an_empty_directory=lambda: build_zip([], prefix=b"hidden"),
    ),
    *cases(
        "zip_data_between",
        gap_between_two_entries=lambda: with_first(gap=b"hidden"),
        gap_before_the_directory=lambda: build_zip(base_entries(), before_directory=b"hidden"),
        gap_after_the_directory=lambda: build_zip(base_entries(), after_directory=b"hidden"),
        entry_left_out_of_the_directory=lambda: build_zip(base_entries(), before_directory=local_record(NOTE)),
        signature_record_after_the_directory=lambda: build_zip(base_entries(), after_directory=b"PK\x05\x05\x02\x00ab"),
    ),
]

DIRECTORIES = [
    *cases(
        "zip_directory_damaged",
        directory_beyond_the_file=lambda: build_zip(base_entries(), end={"start": 0xFFFFFF}),
        directory_longer_than_the_file=lambda: build_zip(base_entries(), end={"length": 0xFFFFFF}),
        one_entry_too_many_counted=lambda: build_zip(base_entries(), end={"count": len(base_entries()) + 1}),
        one_entry_too_few_counted=lambda: build_zip(base_entries(), end={"count": len(base_entries()) - 1}),
        no_entry_counted=lambda: build_zip(base_entries(), end={"count": 0}),
        directory_record_without_signature=lambda: with_first(central={"signature": b"PK\x01\x03"}),
        directory_record_cut_short=lambda: build_zip(
            base_entries(),
            after_directory=b"PK\x01\x02\0\0",
            end={"length": GOOD.rfind(b"PK\x05\x06") - GOOD.find(b"PK\x01\x02") + 6},
        ),
        entry_comment_runs_out_of_the_directory=lambda: build_zip(
            [*base_entries(), NOTE.but(central={"comment_length": 9})]
        ),
    ),
    *cases("zip_directory_too_large", directory_of_seventeen_mib=lambda: build_zip([], end={"length": 17 << 20})),
    *cases(
        "zip_multi_disk",
        second_disk=lambda: build_zip(base_entries(), end={"disk": 1}),
        directory_on_second_disk=lambda: build_zip(base_entries(), end={"start_disk": 1}),
        entries_on_other_disks=lambda: build_zip(base_entries(), end={"here": 1}),
        entry_on_second_disk=lambda: with_first(central={"disk": 1}),
        zip64_of_two_disks=lambda: wide_end(disks=2),
        zip64_end_on_second_disk=lambda: build_zip(
            base_entries(), wide_end={"disk": 1}, end={"disk": 0xFFFF, "start": WIDE}
        ),
    ),
]

OVERLAPS = [
    *cases(
        "zip_overlap",
        quoted_overlap_bomb=quoted_overlap_bomb,
        one_file_named_two_thousand_times=shared_local_bomb,
        two_names_for_one_file=lambda: build_zip(
            [*base_entries(), NOTE.but(central={"offset": 0})], before_directory=b""
        ),
        first_entry_reaches_into_the_second=lambda: build_zip(
            [base_entries()[0].but(central={"packed": 9999}), *base_entries()[1:]]
        ),
        last_entry_reaches_into_the_directory=lambda: with_entry(NOTE.but(central={"packed": 9999})),
        local_name_reaches_into_the_data=lambda: with_first(local={"name_length": 30}),
        local_extra_reaches_into_the_next_entry=lambda: with_first(local={"extra_length": 40_000}),
        entry_offset_beyond_the_file=lambda: with_entry(NOTE.but(central={"offset": WIDE, "extra": zip64(2**63)})),
    ),
]

HEADERS = [
    *cases("zip_header_missing", no_local_header=lambda: with_first(local={"signature": b"PK\x03\x05"})),
    *cases(
        "zip_header_mismatch",
        local_name_differs=lambda: with_first(local={"name": b"elsewhere1.json"}),
        local_name_differs_in_case=lambda: with_first(local={"name": b"locales/EN.json"}),
        local_name_length_differs=lambda: with_first(local={"name_length": 3}),
        local_method_differs=lambda: with_first(local={"method": 0}),
        local_flags_differ=lambda: with_first(local={"flags": 0x0800}),
        local_crc_differs=lambda: with_first(local={"crc": 7}),
        local_packed_size_differs=lambda: with_first(local={"packed": 7}),
        local_size_differs=lambda: with_first(local={"size": 7}),
        local_size_zero_without_descriptor=lambda: with_first(local={"size": 0}),
        streamed_with_a_crc_of_its_own=lambda: streamed_first(local={"crc": 5, "packed": 0, "size": 0}),
        local_zip64_sizes_differ=lambda: with_first(local_extra=zip64(1, 2), local={"packed": WIDE, "size": WIDE}),
        encrypted_locally_only=lambda: with_first(local={"flags": 1}),
    ),
    *cases(
        "zip_descriptor_wrong",
        descriptor_missing=lambda: streamed_first(descriptor=b""),
        descriptor_with_another_crc=lambda: streamed_first(descriptor=b"PK\x07\x08" + struct.pack("<3L", 1, 2, 3)),
        descriptor_without_signature_wrong=lambda: streamed_first(descriptor=struct.pack("<3L", 1, 2, 3)),
        descriptor_with_another_signature=lambda: streamed_first(
            descriptor=b"PK\x07\x09" + descriptor(base_entries()[0], signed=False)
        ),
        descriptor_of_64_bits_without_zip64=lambda: streamed_first(descriptor=descriptor(base_entries()[0], wide=True)),
        descriptor_and_a_gap=lambda: streamed_first(descriptor=descriptor(base_entries()[0]) + b"\0"),
        descriptor_half=lambda: streamed_first(descriptor=b"PK\x07\x08\0\0"),
    ),
    *cases(
        "zip_data_between", descriptor_without_the_flag=lambda: with_first(descriptor=descriptor(base_entries()[1]))
    ),
]

ZIP64 = [
    *cases(
        "zip64_contradiction",
        zip64_end_missing=lambda: build_zip(base_entries(), end={"start": WIDE}),
        zip64_count_missing=lambda: build_zip(base_entries(), end={"count": 0xFFFF}),
        zip64_end_counts_differently=lambda: wide_end(count=99),
        zip64_end_starts_elsewhere=lambda: build_zip(base_entries(), wide_end={"start": 5}),
        zip64_locator_points_elsewhere=lambda: wide_end(locator=0),
        zip64_locator_points_beyond=lambda: wide_end(locator=2**64 - 1),
        zip64_end_longer_than_usual=lambda: wide_end(record_length=60),
        zip64_end_without_signature=lambda: wide_end(signature=b"PK\x06\x05"),
        zip64_field_nobody_asked_for=lambda: with_first(extra=zip64(5, 5)),
        zip64_field_empty=lambda: with_first(extra=extra_field(1, b"")),
        zip64_field_missing=lambda: with_first(central={"size": WIDE}),
        zip64_field_too_short=lambda: with_first(central={"size": WIDE, "packed": WIDE, "extra": zip64(5)}),
        zip64_field_too_long=lambda: with_first(central={"size": WIDE, "extra": zip64(5, 5)}),
        local_zip64_field_missing=lambda: with_first(local={"size": WIDE}),
        local_zip64_field_with_one_size=lambda: with_first(local_extra=zip64(5), local={"size": WIDE, "packed": WIDE}),
        local_zip64_field_nobody_asked_for=lambda: with_first(local_extra=zip64(5, 5)),
    ),
    *cases("inflated_too_large", zip64_size_of_exabytes=lambda: with_entry(
        NOTE.but(central={"size": WIDE, "extra": zip64(2**60)}, local={"size": WIDE, "packed": WIDE, "extra": zip64(2**60, len(deflate(NOTE.content)))})
    )),
    *cases("zip_directory_damaged", zip64_directory_at_exabytes=lambda: build_zip(
        base_entries(), wide_end={"start": 2**62}, end={"start": WIDE}
    )),
    *cases(
        "zip_extra_damaged",
        extra_longer_than_its_bytes=lambda: with_first(extra=struct.pack("<HH", 0x5455, 99) + b"ab", local_extra=b""),
        extra_of_three_bytes=lambda: with_first(extra=b"abc", local_extra=b""),
        local_extra_longer_than_its_bytes=lambda: with_first(local_extra=struct.pack("<HH", 0x5455, 99) + b"ab"),
        zip64_field_twice=lambda: with_first(central={"size": WIDE, "extra": zip64(5) * 2}),
        local_zip64_field_twice=lambda: with_first(local_extra=zip64(5, 5) * 2),
    ),
]  # fmt: skip

STRUCTURES = [*ENDS, *DIRECTORIES, *OVERLAPS, *HEADERS, *ZIP64]
