"""What a value becomes in a file: nothing that a spreadsheet runs, that reorders what is read, or that ends a line.

CSV: a text whose first visible character begins a formula somewhere (= + - @, their full-width forms, which Excel takes
for the same, tab, CR, LF) gets an apostrophe before it (OWASP, CSV injection). JSON needs no guard: what is invisible
and dangerous is escaped, so that a file reads back to exactly the values there were.
"""

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

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
_FORMULA_STARTS: Final = frozenset("=+-@")


def guard_text(text: str) -> str:
    """Return a text as a CSV cell may hold it."""
    if text.isascii() and text.isprintable():
        return f"'{text}" if text.lstrip(" ")[:1] in _FORMULA_STARTS else text
    text = _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    guarded = f"'{text}" if _BEGINS_A_FORMULA.match(text) else text
    return _REORDERS.sub(_show_escaped, guarded)


def csv_cell(zone: ZoneInfo) -> Cell:
    """Return what makes a CSV cell of any value: numbers as they are, moments as ISO 8601 with the zone's offset."""

    def cell(value: Any) -> Any:
        if isinstance(value, str):
            return guard_text(value)
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, datetime):
            return write_moment(value, zone)
        if isinstance(value, int | float):
            return value
        return str(value) if isinstance(value, UUID) else guard_text(write_json(value, zone))

    return cell


def write_json(value: Any, zone: ZoneInfo) -> str:
    """Return a value as one line of JSON that reads back to it, with every dangerous character escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=lambda other: _plain(other, zone))
    if text.isascii() and "\x7f" not in text:
        return text
    return _ESCAPED_IN_JSON.sub(_show_escaped, _HALVES.sub("\N{REPLACEMENT CHARACTER}", text))


def write_moment(moment: datetime, zone: ZoneInfo) -> str:
    """Return ISO 8601 with microseconds and the offset the zone has at that moment."""
    return moment.astimezone(zone).isoformat(timespec="microseconds")


def _plain(value: Any, zone: ZoneInfo) -> str:
    return write_moment(value, zone) if isinstance(value, datetime) else str(value)


def _show_escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
