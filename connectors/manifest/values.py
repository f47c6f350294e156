"""What was typed into a form's fields, made into values (handbook §3, §5).

Used for the administrator's configuration and for a person's credentials. Surrounding white space is dropped, secrets
included: it is what pasting adds.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from connectors.errors import Fault, Invalid
from connectors.manifest.fields import Field
from connectors.manifest.formats import MAX_TEXT_LENGTH, MAX_URL_LENGTH, split_web_url
from connectors.vault.secret import Secret

Value = str | int | bool
MAX_SAFE_INTEGER = 2**53 - 1  # what every JSON reader keeps exactly
_JSON_TYPES = {str: "string", int: "integer", bool: "boolean"}
_YES = frozenset({"true", "on", "1", "yes"})
_NO = frozenset({"false", "off", "0", "no"})


@dataclass(frozen=True, slots=True)
class ParsedValues:
    public: dict[str, Value] = field(default_factory=dict)
    secrets: dict[str, Secret] = field(default_factory=dict)


class _ValueFault(Exception):
    def __init__(self, code: str, **parameters: object) -> None:
        super().__init__(code)
        self.code, self.parameters = code, parameters


def parse_values(fields: Iterable[Field], raw: Mapping[str, str], *, kept: Collection[str] = ()) -> ParsedValues:
    """Values by field key. Raises `Invalid` with one fault per field, `where` being the field's key.

    A field that `raw` does not mention takes its default; one that is there but blank has no value, which only an
    optional field may. A secret named in `kept` already has a value: left blank it stays, and is not in the result.
    An HTML form must therefore send `false` for an unchecked box, or the field's default would return.
    """
    declared = tuple(fields)
    parsed, faults = ParsedValues(), []
    for one in declared:
        try:
            _take_value(one, raw, parsed, kept)
        except _ValueFault as fault:
            faults.append(Fault(fault.code, one.key, fault.parameters))
    known = {one.key for one in declared}
    faults += [Fault("value_unknown_field", key) for key in raw if key not in known]
    if faults:
        raise Invalid(faults)
    return parsed


def as_typed(value: Value) -> str:
    """Return what a person would have typed into a form for a value."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def default_fault(one: Field) -> Fault | None:
    """Why a field's own default does not satisfy it, without repeating the default; `where` is left to the caller."""
    if one.default is None or one.is_secret:
        return None
    expected = one.type if one.type in {"integer", "boolean"} else "string"
    if _JSON_TYPES[type(one.default)] != expected:
        return Fault("default_wrong_type", parameters={"expected": expected})
    text = str(one.default).lower() if isinstance(one.default, bool) else str(one.default)
    try:
        _parse_text(one, text)
    except _ValueFault as fault:
        return Fault("default_refused", parameters={**fault.parameters, "reason": fault.code})
    return None


def _take_value(one: Field, raw: Mapping[str, str], parsed: ParsedValues, kept: Collection[str]) -> None:
    text = raw.get(one.key)
    if text is None and one.default is not None and not one.is_secret:
        parsed.public[one.key] = one.default
        return
    text = (text or "").strip()
    if not text:
        if one.required and not (one.is_secret and one.key in kept):
            raise _ValueFault("value_required")
        return
    value = _parse_text(one, text)
    if one.is_secret:
        parsed.secrets[one.key] = Secret(str(value))
    else:
        parsed.public[one.key] = value


def _parse_text(one: Field, text: str) -> Value:
    parse = _PARSERS.get(one.type, _parse_line)
    return parse(one, text)


def _parse_line(one: Field, text: str) -> str:
    """Text and secrets. Secrets may hold line breaks, as PEM keys do; what they are bound to checks its own form."""
    allowed = "\t\r\n" if one.is_secret else ""
    if any((c < " " and c not in allowed) or c == "\x7f" or "\ud800" <= c <= "\udfff" for c in text):
        raise _ValueFault("value_control_characters")
    _check_length(one, text, MAX_TEXT_LENGTH)
    return text


def _parse_url(one: Field, text: str) -> str:
    if split_web_url(text) is None:
        raise _ValueFault("value_not_url")
    _check_length(one, text, MAX_URL_LENGTH)
    return text


def _check_length(one: Field, text: str, most: int) -> None:
    limit = min(one.max_length if one.max_length is not None else most, most)
    if len(text) > limit:
        raise _ValueFault("value_too_long", limit=limit, length=len(text))
    if one.min_length is not None and len(text) < one.min_length:
        raise _ValueFault("value_too_short", limit=one.min_length, length=len(text))


def _parse_integer(one: Field, text: str) -> int:
    if re.fullmatch(r"[+-]?[0-9]{1,16}", text, re.ASCII) is None or abs(int(text)) > MAX_SAFE_INTEGER:
        raise _ValueFault("value_not_integer")
    number = int(text)
    if one.minimum is not None and number < one.minimum:
        raise _ValueFault("value_too_small", limit=one.minimum)
    if one.maximum is not None and number > one.maximum:
        raise _ValueFault("value_too_large", limit=one.maximum)
    return number


def _parse_boolean(_one: Field, text: str) -> bool:
    word = text.lower()
    if word not in _YES | _NO:
        raise _ValueFault("value_not_boolean")
    return word in _YES


def _parse_select(one: Field, text: str) -> str:
    values = [option.value for option in one.options]
    if text not in values:
        raise _ValueFault("value_not_option", allowed=values)
    return text


_PARSERS: dict[str, Callable[[Field, str], Value]] = {
    "url": _parse_url,
    "integer": _parse_integer,
    "boolean": _parse_boolean,
    "select": _parse_select,
}
