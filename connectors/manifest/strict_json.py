"""JSON with nothing left to interpretation (RFC 8259, and the stricter reading of contract "JSON files").

UTF-8 without BOM, no duplicate keys, no NaN or Infinity, no lone surrogates, no NUL, nesting and integers bounded.
The C parser reads the document; whatever it or our hooks dislike is read again by `json_fault_location`, slowly, which
says where and why.
"""

import json
from typing import Any

from connectors.manifest.json_fault_location import LONGEST_INTEGER, UNENCODABLE, JsonFault, fault_at, locate_fault

__all__ = ["JsonFault", "parse_strict"]

MAX_DEPTH = 64
MAX_INTEGER = 2**63 - 1


class _SuspectError(ValueError):
    """Something to look at again, with positions."""


def parse_strict(data: bytes, *, max_bytes: int, max_depth: int = MAX_DEPTH) -> Any:
    """The value in `data`; raises `JsonFault` with line and column."""
    text = _decode(data, max_bytes)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object_without_duplicates,
            parse_constant=_refuse,
            parse_int=_bounded_integer,
            parse_float=_finite_float,
        )
        _refuse_deep_or_unencodable(value, text, max_depth)
    except (ValueError, RecursionError) as error:
        raise locate_fault(text, max_depth=max_depth, max_integer=MAX_INTEGER) from error
    return value


def _decode(data: bytes, max_bytes: int) -> str:
    if len(data) > max_bytes:
        raise JsonFault("json_too_large", size=len(data), limit=max_bytes)
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise JsonFault("json_byte_order_mark", line=1, column=1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise fault_at("json_not_utf8", before, len(before)) from error


def _object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _SuspectError
    return found


def _refuse(_constant: str) -> None:
    raise _SuspectError


def _bounded_integer(digits: str) -> int:
    if len(digits) > LONGEST_INTEGER or abs(number := int(digits)) > MAX_INTEGER:
        raise _SuspectError
    return number


def _finite_float(digits: str) -> float:
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        raise _SuspectError
    return number


def _refuse_deep_or_unencodable(value: Any, text: str, max_depth: int) -> None:
    """Strings can only hold a surrogate or NUL through an escape, so most documents need no look at their strings."""
    escapes = "\\u" in text
    if not escapes and text.count("[") + text.count("{") <= max_depth:
        return
    depth, level = 0, [value]
    while level:
        if escapes and any(isinstance(item, str) and UNENCODABLE.search(item) for item in level):
            raise _SuspectError
        containers = [item for item in level if isinstance(item, dict | list)]
        if containers and depth == max_depth:
            raise _SuspectError
        depth, level = depth + 1, [child for item in containers for child in _children(item)]


def _children(item: dict[str, Any] | list[Any]) -> list[Any]:
    return [*item.keys(), *item.values()] if isinstance(item, dict) else item
