"""Where a JSON document breaks a rule, and which one: a slow, recursive reading used only after a refusal."""

import json
import re
from typing import NoReturn

from connectors.errors import Fault, Refused

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"true|false|null")
_CONSTANT = re.compile(r"NaN|-?Infinity")
UNENCODABLE = re.compile("[\x00\ud800-\udfff]")
_HIGH = range(0xD800, 0xDC00)  # the halves of a surrogate pair
_LOW = range(0xDC00, 0xE000)
LONGEST_INTEGER = 20  # characters that hold every 64-bit integer; more are refused before the costly conversion


class JsonFault(Refused):
    """A JSON document that is not strict; `parameters` hold line and column where there is one place to name."""

    code = "json_syntax"

    def fault(self, where: str) -> Fault:
        return Fault(self.code, where, self.parameters)


def fault_at(code: str, text: str, index: int, **parameters: object) -> JsonFault:
    line = text.count("\n", 0, index) + 1
    return JsonFault(code, line=line, column=index - text.rfind("\n", 0, index), **parameters)


def locate_fault(text: str, *, max_depth: int, max_integer: int) -> JsonFault:
    """The first fault in reading order. A document this reading finds nothing wrong with is refused as a whole."""
    try:
        _Reading(text, max_depth, max_integer).document()
    except JsonFault as fault:
        return fault
    return JsonFault("json_syntax", line=1, column=1)


class _Reading:
    def __init__(self, text: str, max_depth: int, max_integer: int) -> None:
        self.text = text
        self.max_depth = max_depth
        self.max_integer = max_integer
        self.at = 0

    def document(self) -> None:
        self.value(1)
        self.space()
        if self.at < len(self.text):
            self.refuse("json_syntax")

    def refuse(self, code: str, at: int | None = None, **parameters: object) -> NoReturn:
        raise fault_at(code, self.text, self.at if at is None else at, **parameters)

    def space(self) -> None:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def take(self, mark: str) -> bool:
        self.space()
        if not self.text.startswith(mark, self.at):
            return False
        self.at += len(mark)
        return True

    def value(self, depth: int) -> None:
        self.space()
        start = self.text[self.at : self.at + 1]
        if start in {"{", "["} and depth > self.max_depth:
            self.refuse("json_too_deep", limit=self.max_depth)
        if start == "{":
            self.members(depth)
        elif start == "[":
            self.items(depth)
        elif start == '"':
            self.string()
        else:
            self.scalar()

    def members(self, depth: int) -> None:
        self.take("{")
        seen: set[str] = set()
        if self.take("}"):
            return
        while True:
            self.space()
            start = self.at
            key = self.string()
            if key in seen:
                self.refuse("json_duplicate_key", start, key=key)
            seen.add(key)
            if not self.take(":"):
                self.refuse("json_syntax")
            self.value(depth + 1)
            if not self.take(","):
                break
        if not self.take("}"):
            self.refuse("json_syntax")

    def items(self, depth: int) -> None:
        self.take("[")
        if self.take("]"):
            return
        while True:
            self.value(depth + 1)
            if not self.take(","):
                break
        if not self.take("]"):
            self.refuse("json_syntax")

    def string(self) -> str:
        """The string with its escapes resolved, so that `"a"` and `"\\u0061"` are seen as the same key."""
        found = _STRING.match(self.text, self.at)
        if found is None:
            self.refuse("json_syntax")
        text = str(json.loads(found.group()))
        if UNENCODABLE.search(text):
            self.refuse_escapes(found.group())
        self.at = found.end()
        return text

    def refuse_escapes(self, quoted: str) -> NoReturn:
        """Name the first escape that is NUL or half a character."""
        high: tuple[int, str] | None = None  # a high surrogate waiting for its other half
        for escape in _ESCAPE.finditer(quoted):
            high = self.escape(escape, high)
        self.refuse("json_lone_surrogate", self.at + (high[0] if high else 0))

    def escape(self, escape: re.Match[str], high: tuple[int, str] | None) -> tuple[int, str] | None:
        unit = int(escape.group(1), 16) if escape.group(1) else -1
        completes = high is not None and unit in _LOW and escape.start() == high[0] + len(r"\u0000")
        if high is not None and not completes:
            self.refuse("json_lone_surrogate", self.at + high[0])
        if unit == 0:
            self.refuse("json_nul", self.at + escape.start())
        if unit in _LOW and not completes:
            self.refuse("json_lone_surrogate", self.at + escape.start())
        return (escape.start(), escape.group()) if unit in _HIGH else None

    def scalar(self) -> None:
        if _CONSTANT.match(self.text, self.at):
            self.refuse("json_not_a_number")
        if number := _NUMBER.match(self.text, self.at):
            self.bounded(number)
            self.at = number.end()
        elif word := _WORD.match(self.text, self.at):
            self.at = word.end()
        else:
            self.refuse("json_syntax")

    def bounded(self, number: re.Match[str]) -> None:
        whole, fraction, exponent = number.groups()
        if fraction or exponent:
            too_large = float(number.group()) in {float("inf"), float("-inf")}
        else:
            too_large = len(whole) > LONGEST_INTEGER or abs(int(whole)) > self.max_integer
        if too_large:
            self.refuse("json_number_too_large", limit=self.max_integer)
