"""CSV as RFC 4180 has it, with a byte order mark, so that spreadsheets take it for UTF-8."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import batched
from typing import Any, Final
from zoneinfo import ZoneInfo

from connectors.audit.export_cells import CsvCells

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
ROWS_A_PIECE: Final = 500


def write_csv_rows(head: Sequence[str], rows: Iterable[Sequence[Any]], *, zone: ZoneInfo) -> Iterator[bytes]:
    """Yield the file in pieces: a row of names, then the rows, every text guarded (`export_cells`)."""
    cells = CsvCells(zone)
    yield BYTE_ORDER_MARK + _write([cells.row(head)])
    for some in batched(rows, ROWS_A_PIECE):
        yield _write(map(cells.row, some))


def _write(rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()
