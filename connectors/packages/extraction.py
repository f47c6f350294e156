"""One streaming pass over an archive whose structure is sound: count, check, hash and store, a block at a time."""

import hashlib
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NoReturn

from connectors.errors import Fault
from connectors.packages.entries import STORED, KeptFile
from connectors.packages.inspected import PackageFile
from connectors.packages.limits import size_text
from connectors.packages.names import show_name
from connectors.packages.zip_directory import CentralEntry
from connectors.packages.zip_source import ZipSource

_BLOCK = 256 * 1024
_SMALL = 32 * 1024  # what one window of the source holds


class InflatedTooLarge(Exception):
    """The files together are larger than the limit."""


class _EntryFault(Exception):
    """One entry's bytes are not what its record says."""


class Extraction:
    """Inflates kept files into `folder` (only those `wanted`), counting every byte against `limit`."""

    def __init__(self, source: ZipSource, *, folder: Path, wanted: Callable[[str], bool], limit: int) -> None:
        self._source = source
        self._folder = folder
        self._wanted = wanted
        self._left = self._limit = limit
        self._made: set[str] = {""}

    def extract(self, files: list[KeptFile]) -> tuple[list[PackageFile], list[Fault]]:
        """Return every file that inflated to what its record says, and a fault for each that did not."""
        done: list[PackageFile] = []
        faults: list[Fault] = []
        for file in files:
            try:
                digest = self._extract_one(file)
            except _EntryFault as fault:
                faults.append(Fault(str(fault), show_name(file.path)))
            except InflatedTooLarge:
                faults.append(Fault("inflated_too_large", show_name(file.path), {"limit": size_text(self._limit)}))
                break
            else:
                done.append(PackageFile(file.path, file.placed.entry.size, digest))
        return done, faults

    def _extract_one(self, file: KeptFile) -> str:
        path, (entry, data) = file
        if entry.packed <= _SMALL and entry.size <= _BLOCK:
            return self._take_whole(path, entry, data)
        if not self._wanted(path):
            return self._drain(entry, data, None)
        with self._create(path) as target:
            return self._drain(entry, data, target)

    def _take_whole(self, path: str, entry: CentralEntry, data: int) -> str:
        """A small file in one step: packages have thousands of them."""
        packed = self._source.read(data, entry.packed)
        content = packed if entry.method == STORED else _inflate_whole(packed, entry.size)
        self._left -= len(content)
        if len(content) != entry.size:
            _fail("entry_size_wrong")
        if self._left < 0:
            raise InflatedTooLarge
        if zlib.crc32(content) != entry.crc:
            _fail("entry_crc_wrong")
        if self._wanted(path):
            with self._create(path) as target:
                target.write(content)
        return hashlib.sha256(content).hexdigest()

    def _create(self, path: str) -> BinaryIO:
        parent = path.rpartition("/")[0]
        if parent not in self._made:
            (self._folder / parent).mkdir(parents=True, exist_ok=True)
            self._made.add(parent)
        return (self._folder / path).open("xb")

    def _drain(self, entry: CentralEntry, data: int, target: BinaryIO | None) -> str:
        digest, crc, left = hashlib.sha256(), 0, entry.size
        packed = self._packed_blocks(entry, data)
        for block in packed if entry.method == STORED else _inflate(packed):
            left -= len(block)
            self._left -= len(block)
            if left < 0:
                _fail("entry_size_wrong")
            if self._left < 0:
                raise InflatedTooLarge
            crc = zlib.crc32(block, crc)
            digest.update(block)
            if target is not None:
                target.write(block)
        if left:
            _fail("entry_size_wrong")
        if crc != entry.crc:
            _fail("entry_crc_wrong")
        return digest.hexdigest()

    def _packed_blocks(self, entry: CentralEntry, data: int) -> Iterator[bytes]:
        end = data + entry.packed
        while data < end:
            block = self._source.read(data, min(_BLOCK, end - data))
            if not block:
                raise OSError("the archive became shorter while it was read")
            data += len(block)
            yield block


def _inflate_whole(packed: bytes, size: int) -> bytes:
    """Inflate in one step what fits one block; a byte more than was said is enough to see that it was a lie."""
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = inflater.decompress(packed, size + 1)
    except zlib.error:
        _fail("entry_damaged")
    if len(content) <= size and not inflater.eof:
        _fail("entry_damaged")
    if inflater.unused_data:
        _fail("entry_data_after_end")
    return content


def _inflate(packed: Iterator[bytes]) -> Iterator[bytes]:
    """Yield what the raw deflate stream holds, at most a block at a time; it must end with its last byte."""
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for block in packed:
            waiting = block
            while waiting:
                if inflater.eof:
                    _fail("entry_data_after_end")
                yield inflater.decompress(waiting, _BLOCK)
                waiting = inflater.unconsumed_tail or inflater.unused_data
        if not inflater.eof:
            yield inflater.flush(_BLOCK)
    except zlib.error:
        _fail("entry_damaged")
    if not inflater.eof:
        _fail("entry_damaged")


def _fail(code: str) -> NoReturn:
    raise _EntryFault(code)


def digest_file(source: ZipSource) -> str:
    """Return the SHA-256 (hex) of the archive itself."""
    digest = hashlib.sha256()
    for position in range(0, source.size, _BLOCK):
        digest.update(source.read(position, _BLOCK))
    return digest.hexdigest()
