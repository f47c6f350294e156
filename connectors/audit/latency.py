"""How long calls take, as a histogram of fixed buckets that rise by the fourth root of two.

A quantile is told by the middle of its bucket, so it is within 9.1 % of the true value from 1 µs to 71 minutes;
beyond, it is the nearest end. Counts are 32-bit lanes of one long integer, so that histograms add as integers do.
"""

from array import array
from math import log2
from sys import byteorder

_STEPS = 4  # buckets in each doubling
_BUCKETS = 128
_LANE = 32
_BYTES = _LANE // 8


def histogram_of(microseconds: int) -> int:
    """Return the histogram of one call."""
    return 1 << _LANE * _bucket_of(microseconds)


def pack(histogram: int) -> bytes:
    """Return the first bucket that counts anything, then the lanes up to the last one."""
    if not histogram:
        return b""
    first = ((histogram & -histogram).bit_length() - 1) // _LANE
    body = histogram >> first * _LANE
    lanes = -(-body.bit_length() // _LANE)
    return bytes((first,)) + body.to_bytes(lanes * _BYTES, "little")


def unpack(packed: bytes) -> int:
    return int.from_bytes(packed[1:], "little") << packed[0] * _LANE if packed else 0


def quantile(histogram: int, share: float) -> int | None:
    """Return the microseconds that `share` of the calls did not exceed (nearest rank), None without calls."""
    counts = _counts(histogram)
    total = sum(counts)
    if not total:
        return None
    wanted, seen = max(1, -int(-share * total // 1)), 0
    for bucket, count in enumerate(counts):
        seen += count
        if seen >= wanted:
            return round(2 ** ((bucket + 0.5) / _STEPS))
    raise AssertionError("the ranks end before the calls do")


def _bucket_of(microseconds: int) -> int:
    return min(int(log2(microseconds) * _STEPS), _BUCKETS - 1) if microseconds > 0 else 0


def _counts(histogram: int) -> "array[int]":
    counts = array("I", histogram.to_bytes(_BUCKETS * _BYTES, "little"))
    if byteorder == "big":
        counts.byteswap()
    return counts
