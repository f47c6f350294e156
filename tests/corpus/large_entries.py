"""Entries too large to be taken in one step, with the same faults as small ones."""

import zlib

from tests.corpus.case import cases
from tests.corpus.raw_zip import Raw, deflate, with_entry

# Noise that deflate cannot shrink, so that the packed bytes are many blocks long too.
NOISE = bytes(zlib.crc32(b"%d" % number) & 255 for number in range(600_000))
PACKED = deflate(NOISE)
LARGE = Raw(b"large.bin", data=PACKED, crc=zlib.crc32(NOISE), size=len(NOISE))
STORED = Raw(b"large.bin", NOISE, method=0)

HONEST_LARGE = cases(
    "",
    large_deflated=lambda: with_entry(LARGE),
    large_stored=lambda: with_entry(STORED),
    large_in_assets=lambda: with_entry(LARGE.but(name=b"assets/photo.bin")),
)

LARGE_ENTRIES = [
    *cases(
        "entry_size_wrong",
        large_inflates_to_more_than_said=lambda: with_entry(LARGE.but(size=500_000)),
        large_inflates_to_less_than_said=lambda: with_entry(LARGE.but(size=700_000)),
        large_stored_and_longer_than_said=lambda: with_entry(STORED.but(size=500_000)),
    ),
    *cases("entry_crc_wrong", large_with_another_crc=lambda: with_entry(LARGE.but(crc=1))),
    *cases(
        "entry_damaged",
        large_cut_short=lambda: with_entry(LARGE.but(data=PACKED[:-1000])),
        large_and_not_deflate=lambda: with_entry(LARGE.but(data=b"\xff" * 100_000)),
    ),
    *cases(
        "entry_data_after_end",
        large_with_bytes_behind_it=lambda: with_entry(LARGE.but(data=PACKED + b"hidden")),
        large_with_blocks_behind_it=lambda: with_entry(LARGE.but(data=PACKED + NOISE)),
    ),
]
