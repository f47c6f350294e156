"""Extra fields of ZIP records: ZIP64 sizes (APPNOTE 4.5.3), Unicode path 0x7075 (4.6.9), Unix links."""

import stat
import struct
import zlib
from collections.abc import Iterator

_ZIP64 = 0x0001
_UNICODE_PATH = 0x7075
_PKWARE_UNIX = 0x000D
_ASI_UNIX = 0x756E
_PKWARE_UNIX_FIXED = 12  # times, user and group; what follows is a link's target or a device number
WIDE = 0xFFFFFFFF  # a 32-bit field that says: look into the ZIP64 extra
WIDE_16 = 0xFFFF


class ExtraDamaged(Exception):
    """The extra fields do not tile their bytes."""


def split_extra(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield (id, data) of every extra field; raise ExtraDamaged when lengths do not add up."""
    position, end = 0, len(extra)
    while position < end:
        if end - position < 4:  # noqa: PLR2004 - id and length, two bytes each
            raise ExtraDamaged
        kind, length = struct.unpack_from("<HH", extra, position)
        position += 4 + length
        if position > end:
            raise ExtraDamaged
        yield kind, extra[position - length : position]


def zip64_values(extra: bytes) -> bytes | None:
    """Return the data of the ZIP64 field, None when there is none; two of them raise ExtraDamaged."""
    found = [data for kind, data in split_extra(extra) if kind == _ZIP64]
    if len(found) > 1:
        raise ExtraDamaged
    return found[0] if found else None


def unicode_path_disagrees(name: bytes, extra: bytes) -> bool:
    """Say whether a 0x7075 field names another path than the record does, or is stale or broken itself."""
    for kind, data in split_extra(extra):
        if kind != _UNICODE_PATH:
            continue
        if len(data) < 5 or data[0] != 1:  # noqa: PLR2004 - version and CRC
            return True
        if struct.unpack_from("<L", data, 1)[0] != zlib.crc32(name) or data[5:] != name:
            return True
    return False


def extra_names_special_file(extra: bytes) -> bool:
    """Say whether a Unix extra makes this entry a link or a device, whatever its attributes claim."""
    for kind, data in split_extra(extra):
        if kind == _PKWARE_UNIX and len(data) > _PKWARE_UNIX_FIXED:
            return True
        if kind == _ASI_UNIX:
            mode = int.from_bytes(data[4:6], "little")
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
                return True
    return False
