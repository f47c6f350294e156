"""Random access to an archive's bytes without mapping it: memory stays flat however large the file is."""

import os
from typing import BinaryIO

_WINDOW = 32 * 1024


class ZipSource:
    """Reads by position; near-by small reads are answered from one window."""

    def __init__(self, file: BinaryIO) -> None:
        self._fd = file.fileno()
        self.size = os.fstat(self._fd).st_size
        self._start = 0
        self._window = b""

    def read(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes at `offset`; fewer only where the file ends."""
        start = offset - self._start
        if start < 0 or start + length > len(self._window):
            if length > _WINDOW:
                return os.pread(self._fd, length, offset)
            self._start, start = offset, 0
            self._window = os.pread(self._fd, _WINDOW, offset)
        return self._window[start : start + length]
