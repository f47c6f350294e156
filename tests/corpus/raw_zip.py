"""Writes ZIPs byte by byte, so that any field can be made to lie."""

import struct
import zlib
from dataclasses import dataclass, field, replace
from typing import Any

from tests.builders.packages import build_files, build_manifest

WIDE = 0xFFFFFFFF
FILE = 0o100644 << 16


@dataclass(frozen=True)
class Raw:
    """One entry. `local` and `central` replace single fields on one side only; `data` replaces the packed bytes."""

    name: bytes
    content: bytes = b""
    method: int = 8
    flags: int = 0
    attributes: int = FILE
    extra: bytes = b""
    local_extra: bytes | None = None
    data: bytes | None = None
    crc: int | None = None
    size: int | None = None
    descriptor: bytes | None = None
    gap: bytes = b""
    local: dict[str, Any] = field(default_factory=dict)
    central: dict[str, Any] = field(default_factory=dict)

    def but(self, **changes: Any) -> "Raw":
        return replace(self, **changes)

    @property
    def packed(self) -> bytes:
        if self.data is not None:
            return self.data
        return deflate(self.content) if self.method == 8 else self.content

    @property
    def fields(self) -> dict[str, Any]:
        crc = zlib.crc32(self.content) if self.crc is None else self.crc
        size = len(self.content) if self.size is None else self.size
        return {
            "name": self.name, "flags": self.flags, "method": self.method, "crc": crc,
            "packed": len(self.packed), "size": size, "disk": 0, "attributes": self.attributes, "extra": self.extra,
        }  # fmt: skip


def deflate(content: bytes, level: int = 9) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


def extra_field(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def zip64(*values: int) -> bytes:
    return extra_field(0x0001, struct.pack(f"<{len(values)}Q", *values))


def descriptor(raw: Raw, *, signed: bool = True, wide: bool = False) -> bytes:
    f = raw.fields
    return (b"PK\x07\x08" if signed else b"") + struct.pack("<L2Q" if wide else "<3L", f["crc"], f["packed"], f["size"])


def streamed(raw: Raw, *, signed: bool = True) -> Raw:
    """The entry as a writer leaves it that cannot seek back: values behind the data."""
    raw = raw.but(flags=raw.flags | 8, local={"crc": 0, "packed": 0, "size": 0})
    return raw.but(descriptor=descriptor(raw, signed=signed))


def local_record(raw: Raw) -> bytes:
    f = {**raw.fields, "extra": raw.extra if raw.local_extra is None else raw.local_extra, **raw.local}
    head = struct.pack(
        "<4s5H3L2H", f.get("signature", b"PK\x03\x04"), 20, f["flags"], f["method"], 0x6000, 0x5821,
        f["crc"] & WIDE, f["packed"], f["size"], f.get("name_length", len(f["name"])), f.get("extra_length", len(f["extra"])),
    )  # fmt: skip
    return head + f["name"] + f["extra"] + raw.packed + (raw.descriptor or b"")


def central_record(raw: Raw, offset: int) -> bytes:
    f = {**raw.fields, "offset": offset, **raw.central}
    head = struct.pack(
        "<4s6H3L5H2L", f.get("signature", b"PK\x01\x02"), 0x031E, 20, f["flags"], f["method"], 0x6000, 0x5821,
        f["crc"] & WIDE, f["packed"], f["size"], len(f["name"]), len(f["extra"]), f.get("comment_length", 0),
        f["disk"], 0, f["attributes"], f["offset"],
    )  # fmt: skip
    return head + f["name"] + f["extra"]


def end_record(**f: Any) -> bytes:
    return struct.pack(
        "<4s4H2LH", b"PK\x05\x06", f.get("disk", 0), f.get("start_disk", 0), f.get("here", f["count"]), f["count"],
        f["length"], f["start"], f.get("comment_length", len(f.get("comment", b""))),
    ) + f.get("comment", b"")  # fmt: skip


def end64_records(entries: int, size: int, offset: int, **f: Any) -> bytes:
    at = offset + size
    record = struct.pack(
        "<4sQ2H2L4Q", f.get("signature", b"PK\x06\x06"), f.get("record_length", 44), 45, 45, f.get("disk", 0), 0,
        f.get("count", entries), f.get("count", entries), f.get("length", size), f.get("start", offset),
    )  # fmt: skip
    return record + struct.pack("<4sLQL", b"PK\x06\x07", 0, f.get("locator", at), f.get("disks", 1))


def build_zip(
    entries: list[Raw], *, prefix: bytes = b"", adjusted: bool = True, before_directory: bytes = b"",
    after_directory: bytes = b"", suffix: bytes = b"", order: list[int] | None = None, end: dict[str, Any] | None = None,
    wide_end: dict[str, Any] | None = None,
) -> bytes:  # fmt: skip
    """Write the archive; `order` is the directory's order, `end` replaces fields of the end record."""
    body, offsets = bytearray(prefix), []
    for raw in entries:
        body += raw.gap
        offsets.append(len(body) - (0 if adjusted else len(prefix)))
        body += local_record(raw)
    body += before_directory
    start = len(body)
    for index in order if order is not None else range(len(entries)):
        body += central_record(entries[index], offsets[index])
    length = len(body) - start
    start -= 0 if adjusted else len(prefix)
    body += after_directory
    if wide_end is not None:
        body += end64_records(len(entries), length, start, **wide_end)
    fields = {"count": len(entries), "length": length, "start": start, **(end or {})}
    return bytes(body) + end_record(**fields) + suffix


def base_entries(prefix: str = "", **changes: Any) -> list[Raw]:
    """The entries of a valid package; `changes` go to each of them."""
    files = build_files(build_manifest())
    return [Raw(f"{prefix}{name}".encode(), content).but(**changes) for name, content in files.items()]


def with_entry(*extra: Raw) -> bytes:
    """A valid package and these entries besides."""
    return build_zip([*base_entries(), *extra])


def with_first(**changes: Any) -> bytes:
    """A valid package whose second entry differs; the manifest stays first and readable."""
    first, second, *rest = base_entries()
    return build_zip([first, second.but(**changes), *rest])
