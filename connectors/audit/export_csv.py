"""CSV as RFC 4180 has it, with a byte order mark, so that spreadsheets take it for UTF-8."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import batched
from typing import Any, Final
from zoneinfo import ZoneInfo

from connectors.audit.export_cells import CsvCells

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
ROWS_A_PIECE: Final = 500


def write_csv_rows(head: Sequence[str], rows: Iterable[Sequence[Any]], *, zone: ZoneInfo) -> Iterator[bytes]:
    """Yield the file in pieces: a row of names, then the rows, every text guarded (`export_cells`) and in quotes."""
    cells = CsvCells(zone)
    yield BYTE_ORDER_MARK + _write([head], cells)
    for some in batched(rows, ROWS_A_PIECE):
        yield _write(some, cells)


def _write(rows: Sequence[Sequence[Any]], cells: CsvCells) -> bytes:
    """Column by column, for a file has many cells and few columns: three times as fast as `csv.writer`."""
    columns = [_quote(cells.column(values)) for values in zip(*rows, strict=True)]
    line = ",".join([mark for mark, _ in columns]) + "\r\n"
    lines = [line % row for row in zip(*[values for _, values in columns], strict=True)]
    return "".join(lines).encode()


def _quote(values: Sequence[Any]) -> tuple[str, Sequence[Any]]:
    """Return how a column stands in a line, and its cells: numbers bare, texts quoted, with their quotes doubled."""
    texts = [isinstance(value, str) for value in values]
    if not any(texts):
        return "%s", values
    if all(texts):
        return '"%s"', [text.replace('"', '""') for text in values] if '"' in "".join(values) else values
    return "%s", [
        f'"{value.replace('"', '""')}"' if is_text else value for is_text, value in zip(texts, values, strict=True)
    ]
