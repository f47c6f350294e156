"""What a value becomes in a file: nothing that a spreadsheet runs, that reorders what is read, or that ends a line.

CSV: a text whose first visible character begins a formula somewhere (= + - @, their full-width forms, which Excel takes
for the same, tab, CR, LF) gets an apostrophe before it (OWASP, CSV injection). JSON needs no guard: what is invisible
and dangerous is escaped, so that a file reads back to exactly the values there were.
"""

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from types import NoneType
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

import orjson

type Cell = Callable[[Any], Any]

_INVISIBLE: Final = (
    "\\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
)
_BEGINS_A_FORMULA: Final = re.compile(f"[{_INVISIBLE}]*[=+\\-@＝＋－＠]|[\t\r\n]")
# No file and no spreadsheet has a use for them: controls and halves of surrogate pairs.
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_REORDERS: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_ESCAPED_IN_JSON: Final = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_HALVES: Final = re.compile("[\ud800-\udfff]")
_HARMLESS: Final = re.compile("(?:[0-9A-Za-z][ -~]*)?")  # most cells
_ALL_HARMLESS: Final = re.compile("(?:(?:[0-9A-Za-z][ -~]*+)?(?:\0|$))*+")
_OPTIONS: Final = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS


def guard_text(text: str) -> str:
    """Return a text as a CSV cell may hold it."""
    if _HARMLESS.fullmatch(text):
        return text
    text = _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    guarded = f"'{text}" if _BEGINS_A_FORMULA.match(text) else text
    return _REORDERS.sub(_show_escaped, guarded)


def _are_harmless(texts: Sequence[str]) -> bool:
    """Whether no text needs guarding, looked at in one go."""
    together = "\0".join(texts)
    return _ALL_HARMLESS.fullmatch(together) is not None and together.count("\0") == len(texts) - 1


class CsvCells(dict[type, Cell]):
    """Type of a value → what makes a CSV cell of it.

    Numbers stay as they are, moments are ISO 8601 with the zone's offset, nothing is empty, the rest is guarded text.
    """

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__({str: guard_text, int: _same, float: _same, UUID: str, NoneType: _empty, bool: _truth})
        self[datetime] = lambda moment: write_moment(moment, zone)
        self._zone = zone

    def __missing__(self, kind: type) -> Cell:
        if issubclass(kind, str):
            self[kind] = lambda text: guard_text(str(text))
        else:
            self[kind] = lambda value: guard_text(write_json(value, self._zone))
        return self[kind]

    def column(self, values: Sequence[Any]) -> Sequence[Any]:
        """Return the cells of some rows' one column: most hold one type and no danger, which is seen at one look."""
        kinds = set(map(type, values))
        if kinds == {str}:
            return values if _are_harmless(values) else [guard_text(text) for text in values]
        if kinds == {int}:
            return values
        if kinds == {UUID}:
            texts: list[str] = orjson.loads(orjson.dumps(values))  # several times as fast as str
            return texts
        return [self[type(value)](value) for value in values]


def write_json(value: Any, zone: ZoneInfo) -> str:
    """Return a value as one line of JSON that reads back to it, with every dangerous character escaped."""
    try:
        data = orjson.dumps(value, default=partial(_plain, zone=zone), option=_OPTIONS)
    except orjson.JSONEncodeError:  # half a surrogate pair, or a number beyond 64 bits
        plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=partial(_plain, zone=zone))
        data = _HALVES.sub("\N{REPLACEMENT CHARACTER}", plain).encode()
    if data.isascii() and b"\x7f" not in data:
        return data.decode()
    return _ESCAPED_IN_JSON.sub(_show_escaped, data.decode())


def write_moment(moment: datetime, zone: ZoneInfo) -> str:
    """Return ISO 8601 with microseconds and the offset the zone has at that moment."""
    return moment.astimezone(zone).isoformat(timespec="microseconds")


def _plain(value: Any, zone: ZoneInfo) -> str:
    return write_moment(value, zone) if isinstance(value, datetime) else str(value)


def _same(value: Any) -> Any:
    return value


def _empty(_value: None) -> str:
    return ""


def _truth(value: bool) -> str:  # noqa: FBT001 - a cell's value
    return "true" if value else "false"


def _show_escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
