"""Do local headers agree with the directory, and do the entries tile the file without overlap or gaps?

All of it is checked before a single byte is inflated. Every disagreement is reported, not only the first.
"""

import struct
from typing import NamedTuple

from connectors.errors import Fault
from connectors.packages.names import show_name
from connectors.packages.zip_directory import CentralEntry, Directory
from connectors.packages.zip_extra import WIDE, ExtraDamaged, unicode_path_disagrees, zip64_values
from connectors.packages.zip_source import ZipSource

_LOCAL = struct.Struct("<4s5H3L2H")
LOCAL_SIZE = _LOCAL.size
_LOCAL_SIGNATURE = b"PK\x03\x04"
_DESCRIPTOR_SIGNATURE = b"PK\x07\x08"
HAS_DESCRIPTOR = 0x0008
_SHARED = 6  # the fields that a central record and a local header have in common come first in both
_ENOUGH = 20  # a bomb overlaps thousands of times; naming twenty is enough


class LocalHeader(NamedTuple):
    """What precedes an entry's bytes; sizes already widened, `data` is where the bytes begin."""

    name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    data: int
    wide: bool


class Placed(NamedTuple):
    """A central record and where its bytes begin."""

    entry: CentralEntry
    data: int


def check_layout(source: ZipSource, directory: Directory) -> tuple[list[Placed], list[Fault]]:
    """Return the entries in file order with their places, and every structural fault."""
    ordered = sorted(directory.entries, key=lambda entry: entry.offset)
    faults = _check_overlap(ordered, directory.start)
    if faults:
        return [], faults
    placed: list[Placed] = []
    ends = [*(entry.offset for entry in ordered), directory.start][1:]
    for entry, end in zip(ordered, ends, strict=True):
        if (data := _plain_data(source, entry, end)) is not None:
            placed.append(Placed(entry, data))
            continue
        try:
            header = _read_local(source, entry, end)
            faults += _compare(entry, header) or _check_end(source, entry, header, end)
        except ExtraDamaged:
            faults.append(Fault("zip_extra_damaged", show_name(entry.name)))
        except _LocalFault as refused:
            faults.append(refused.fault)
        else:
            placed.append(Placed(entry, header.data))
    return placed, faults


class _LocalFault(Exception):
    def __init__(self, fault: Fault) -> None:
        self.fault = fault


def _check_overlap(ordered: list[CentralEntry], stop: int) -> list[Fault]:
    """Compare the least room each entry needs with the next one's start: cheap, and enough against overlap bombs."""
    faults: list[Fault] = []
    if (first := ordered[0].offset if ordered else stop) > 0:
        faults.append(Fault("zip_data_before_first", "", {"size": first}))
    starts = [*(entry.offset for entry in ordered), stop][1:]
    for index, (entry, start) in enumerate(zip(ordered, starts, strict=True), 1):
        if entry.offset + LOCAL_SIZE + len(entry.name) + entry.packed > start and len(faults) < _ENOUGH:
            following = show_name(ordered[index].name) if index < len(ordered) else "central directory"
            faults.append(Fault("zip_overlap", show_name(entry.name), {"other": following}))
    return faults


def _plain_data(source: ZipSource, entry: CentralEntry, end: int) -> int | None:
    """Return where the bytes begin if nothing about the entry is out of the ordinary; the usual case, told cheaply."""
    raw = source.read(entry.offset, LOCAL_SIZE + len(entry.name))
    signature, _, flags, method, _, _, crc, packed, size, name_length, extra_length = _LOCAL.unpack_from(raw)
    data = entry.offset + len(raw)
    alone = not extra_length and not flags & HAS_DESCRIPTOR and data + packed == end
    same = (raw[LOCAL_SIZE:], flags, method, crc, packed, size) == entry[:_SHARED] and name_length == len(entry.name)
    return data if alone and same and signature == _LOCAL_SIGNATURE else None


def _read_local(source: ZipSource, entry: CentralEntry, end: int) -> LocalHeader:
    fields = _LOCAL.unpack(source.read(entry.offset, LOCAL_SIZE))
    if fields[0] != _LOCAL_SIGNATURE:
        raise _LocalFault(Fault("zip_header_missing", show_name(entry.name)))
    name_length, extra_length = fields[9:11]
    data = entry.offset + LOCAL_SIZE + name_length + extra_length
    if data + entry.packed > end:
        raise _LocalFault(Fault("zip_overlap", show_name(entry.name), {"other": "following entry"}))
    rest = source.read(entry.offset + LOCAL_SIZE, name_length + extra_length)
    name, extra = rest[:name_length], rest[name_length:]
    crc, packed, size = fields[6:9]
    wide = zip64_values(extra) if extra else None
    if wide is not None or WIDE in (packed, size):
        # APPNOTE 4.5.3: in a local header both sizes are in the field, or neither.
        if wide is None or len(wide) != 16 or packed != WIDE or size != WIDE:  # noqa: PLR2004 - two 64-bit sizes
            raise _LocalFault(Fault("zip64_contradiction", show_name(entry.name), {"reason": "entry"}))
        size, packed = struct.unpack("<2Q", wide)
    if extra and unicode_path_disagrees(name, extra):
        raise _LocalFault(Fault("name_unicode_extra", show_name(entry.name)))
    return LocalHeader(name, fields[2], fields[3], crc, packed, size, data, wide is not None)


def _compare(entry: CentralEntry, header: LocalHeader) -> list[Fault]:
    """Compare name, flags, method, CRC and sizes; values left to an honest data descriptor may be zero."""
    differing = [name for name in ("name", "flags", "method") if getattr(entry, name) != getattr(header, name)]
    open_values = (0,) if header.flags & HAS_DESCRIPTOR else ()
    differing += [
        name for name in ("crc", "packed", "size") if getattr(header, name) not in (getattr(entry, name), *open_values)
    ]
    return [Fault("zip_header_mismatch", show_name(entry.name), {"fields": differing})] if differing else []


def _check_end(source: ZipSource, entry: CentralEntry, header: LocalHeader, end: int) -> list[Fault]:
    """Insist that the entry's bytes, and its descriptor if it has one, reach exactly to the next record."""
    start = header.data + entry.packed
    gap = end - start
    if not header.flags & HAS_DESCRIPTOR:
        return [Fault("zip_data_between", show_name(entry.name), {"size": gap})] if gap else []
    # APPNOTE 4.3.9.3: the signature is customary, not required; 64-bit sizes go with a local ZIP64 field.
    width = 8 if header.wide else 4
    body = entry.crc.to_bytes(4, "little") + b"".join(
        (value & WIDE).to_bytes(4, "little") + (value >> 32).to_bytes(4, "little")[: width - 4]
        for value in (entry.packed, entry.size)
    )
    if gap in (len(body), len(body) + 4) and source.read(start, gap) in (body, _DESCRIPTOR_SIGNATURE + body):
        return []
    return [Fault("zip_descriptor_wrong", show_name(entry.name))]
