"""Values that a field would take, for trying a program when its author gives none."""

from collections.abc import Iterable

from connectors.manifest.fields import Field
from connectors.manifest.values import ParsedValues, Value
from connectors.vault.secret import Secret

_ORIGIN = "https://service.example.com"
_TEXT = "sample"


def make_values(fields: Iterable[Field]) -> ParsedValues:
    """Return each field's default, and something made up for those that are required and have none."""
    made = ParsedValues()
    for one in fields:
        if one.is_secret:
            made.secrets[one.key] = Secret(_fit(one, "sample-secret"))
        elif one.default is not None:
            made.public[one.key] = one.default
        elif one.required:
            made.public[one.key] = _make_up(one)
    return made


def _make_up(one: Field) -> Value:
    if one.type == "boolean":
        return True
    if one.type == "integer":
        return one.minimum if one.minimum is not None else min(1, one.maximum if one.maximum is not None else 1)
    if one.type == "select":
        return one.options[0].value
    return _fit(one, f"{_ORIGIN}/" if one.type == "url" and (one.min_length or 0) > len(_ORIGIN) else _usual(one))


def _usual(one: Field) -> str:
    return _ORIGIN if one.type == "url" else _TEXT


def _fit(one: Field, text: str) -> str:
    """Return the text, as long as the field wants it."""
    return text.ljust(one.min_length or 0, "x")[: one.max_length]
