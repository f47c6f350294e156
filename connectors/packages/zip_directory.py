"""The end record and the central directory of a ZIP, read strictly: one end, nothing before, between or after.

Faults here leave nothing to go on with, so each is raised as `Invalid` at once.
"""

import struct
from typing import Any, NamedTuple, NoReturn

from connectors.errors import Fault, Invalid
from connectors.packages.limits import MAX_DIRECTORY_BYTES, MAX_ENTRIES, MAX_RECORDS, size_text
from connectors.packages.names import show_name
from connectors.packages.zip_extra import WIDE, WIDE_16, ExtraDamaged, zip64_values
from connectors.packages.zip_source import ZipSource

_END = struct.Struct("<4s4H2LH")
_END_SIGNATURE = b"PK\x05\x06"
_MAX_COMMENT = 0xFFFF
_END64 = struct.Struct("<4sQ2H2L4Q")
_END64_SIGNATURE = b"PK\x06\x06"
_LOCATOR = struct.Struct("<4sLQL")
_LOCATOR_SIGNATURE = b"PK\x06\x07"
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_CENTRAL_SIGNATURE = b"PK\x01\x02"


class CentralEntry(NamedTuple):
    """One record of the central directory, its sizes and offset already widened."""

    name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    offset: int
    attributes: int
    extra: bytes


class Directory(NamedTuple):
    entries: list[CentralEntry]
    start: int


class _End(NamedTuple):
    """Where the directory lies; `stop` is where the first end record begins."""

    total: int
    length: int
    start: int
    stop: int


def read_directory(source: ZipSource) -> Directory:
    """Return every central record of the archive; raise Invalid when there is not exactly one sound directory."""
    end = _find_end(source)
    if end.total > MAX_RECORDS:
        _refuse("too_many_entries", count=end.total, limit=MAX_ENTRIES)
    if end.length > MAX_DIRECTORY_BYTES:
        _refuse("zip_directory_too_large", limit=size_text(MAX_DIRECTORY_BYTES))
    _check_place(source, end)
    entries = _read_entries(source.read(end.start, end.length))
    if len(entries) != end.total:
        _refuse("zip_directory_damaged", reason="count", declared=end.total, found=len(entries))
    return Directory(entries, end.start)


def _refuse(code: str, where: str = "", **parameters: int | str) -> NoReturn:
    raise Invalid([Fault(code, where, parameters)])


def _find_end(source: ZipSource) -> _End:
    tail_start = max(0, source.size - _END.size - _MAX_COMMENT)
    tail = source.read(tail_start, source.size - tail_start)
    position = tail.rfind(_END_SIGNATURE)
    if position < 0:
        _refuse("zip_end_missing")
    if not _ends_the_file(tail, position):
        whole = len(tail) - position >= _END.size
        _refuse("zip_data_after_end" if whole else "zip_end_missing")
    # A nested archive may hold a signature too; only one whose comment reaches the end could be taken for ours.
    other = tail.rfind(_END_SIGNATURE, 0, position)
    while other >= 0:
        if _ends_the_file(tail, other):
            _refuse("zip_end_repeated")
        other = tail.rfind(_END_SIGNATURE, 0, other)
    record = _END.unpack_from(tail, position)
    return _widen_end(source, record, tail_start + position)


def _ends_the_file(tail: bytes, position: int) -> bool:
    if len(tail) - position < _END.size:
        return False
    comment = _END.unpack_from(tail, position)[7]
    return position + _END.size + int(comment) == len(tail)


def _widen_end(source: ZipSource, record: tuple[int, ...], position: int) -> _End:
    """Take ZIP64 values where the end record points at them, and insist that both tell the same story."""
    disk, start_disk, here, count, length, start = record[1:7]
    wide = WIDE_16 in (disk, start_disk, here, count) or WIDE in (length, start)
    locator_at = position - _LOCATOR.size
    raw = source.read(locator_at, _LOCATOR.size) if locator_at >= 0 else b""
    if not raw.startswith(_LOCATOR_SIGNATURE):
        if wide:
            _refuse("zip64_contradiction", reason="end")
        if disk or start_disk or here != count:
            _refuse("zip_multi_disk")
        return _End(count, length, start, position)
    end64 = _read_end64(source, _LOCATOR.unpack(raw), locator_at)
    narrow = (disk, start_disk, here, count, length, start)
    for value, full, sentinel in zip(narrow, end64[4:10], (WIDE_16,) * 4 + (WIDE,) * 2, strict=True):
        if value not in (sentinel, full):
            _refuse("zip64_contradiction", reason="end")
    if end64[4] or end64[5] or end64[6] != end64[7]:
        _refuse("zip_multi_disk")
    return _End(end64[7], end64[8], end64[9], locator_at - _END64.size)


def _read_end64(source: ZipSource, locator: tuple[int, ...], locator_at: int) -> tuple[int, ...]:
    _, disk, offset, disks = locator
    if disk or disks != 1:
        _refuse("zip_multi_disk")
    if offset + _END64.size != locator_at:
        _refuse("zip64_contradiction", reason="locator")
    record: tuple[Any, ...] = _END64.unpack(source.read(offset, _END64.size))
    if record[0] != _END64_SIGNATURE:
        _refuse("zip64_contradiction", reason="locator")
    if record[1] != _END64.size - 12:  # its length, not counting signature and length themselves
        _refuse("zip64_contradiction", reason="length")
    return record


def _check_place(source: ZipSource, end: _End) -> None:
    """Insist that the directory ends exactly where the end records begin."""
    slack = end.stop - (end.start + end.length)
    if slack < 0:
        _refuse("zip_directory_damaged", reason="place")
    if slack:
        shifted = source.read(end.start + slack, 4) == _CENTRAL_SIGNATURE
        _refuse("zip_data_before_first" if shifted else "zip_data_between", size=slack)


def _read_entries(raw: bytes) -> list[CentralEntry]:
    entries: list[CentralEntry] = []
    position = 0
    while position < len(raw):
        if len(raw) - position < _CENTRAL.size or not raw.startswith(_CENTRAL_SIGNATURE, position):
            _refuse("zip_directory_damaged", reason="record", declared=len(entries), found=position)
        head = _CENTRAL.unpack_from(raw, position)
        _, _, _, flags, method, _, _, crc, packed, size, *lengths, disk, _, attributes, offset = head
        name_length, extra_length, comment_length = lengths
        start = position + _CENTRAL.size
        name, extra = raw[start : start + name_length], raw[start + name_length : start + name_length + extra_length]
        position = start + name_length + extra_length + comment_length
        if position > len(raw):
            _refuse("zip_directory_damaged", reason="record", declared=len(entries), found=position)
        if disk:
            _refuse("zip_multi_disk")
        if extra or WIDE in (packed, size, offset):
            size, packed, offset = _widen_values(name, (size, packed, offset), extra)
        entries.append(CentralEntry(name, flags, method, crc, packed, size, offset, attributes, extra))
    return entries


def _widen_values(name: bytes, narrow: tuple[int, int, int], extra: bytes) -> tuple[int, ...]:
    """APPNOTE 4.5.3: the ZIP64 field holds exactly the values whose narrow form is all ones, in this order."""
    try:
        wide = zip64_values(extra)
    except ExtraDamaged:
        _refuse("zip_extra_damaged", show_name(name))
    needed = narrow.count(WIDE)
    if len(wide or b"") != 8 * needed or (wide is not None and not needed):
        _refuse("zip64_contradiction", show_name(name), reason="entry")
    values = iter(struct.unpack(f"<{needed}Q", wide or b""))
    return tuple(next(values) if value == WIDE else value for value in narrow)
