"""Pydantic's errors, told as our faults: a code of ours, a JSON pointer (RFC 6901), and no word of pydantic's."""

from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from connectors.errors import Fault
from connectors.manifest.part import TAG_MARK

SHOWN_LENGTH = 80
MOST_FAULTS = 1000
_EXPECTED = {
    "string_type": "string",
    "int_type": "integer",
    "bool_type": "boolean",
    "tuple_type": "array",
    "model_type": "object",
    "model_attributes_type": "object",
}


def shape_faults(error: ValidationError) -> list[Fault]:
    """At most a thousand, and how many more there are: telling a hundred thousand would take many seconds."""
    found = error.errors(include_url=False)
    faults = [_translate(details) for details in found[:MOST_FAULTS]]
    untold = len(found) - len(faults)
    return [*faults, Fault("more_faults", "", {"count": untold})] if untold else faults


def pointer(path: Iterable[str | int]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def shown(value: Any) -> str:
    """A value short enough for a message."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= SHOWN_LENGTH else text[: SHOWN_LENGTH - 1] + "…"


def _translate(details: ErrorDetails) -> Fault:
    kind, path = details["type"], details["loc"]
    # Tags never stand last, except as a key the author wrote.
    place = [step for step in path[:-1] if not str(step).startswith(TAG_MARK)] + list(path[-1:])
    context = details.get("ctx", {})
    if kind == "missing":
        return Fault("key_missing", pointer(place), {"key": str(path[-1])})
    if kind == "extra_forbidden":
        return Fault("key_unknown", pointer(place), {"key": shown(path[-1])})
    if kind.startswith("union_tag"):
        return _choice_fault(kind, place, context, details["input"])
    if kind == "literal_error":
        return _literal_fault(place, context, details["input"])
    if kind in _EXPECTED:
        return Fault("wrong_type", pointer(place), {"expected": _EXPECTED[kind]})
    return _limit_fault(kind, place, context)


def _choice_fault(kind: str, place: list[str | int], context: dict[str, Any], value: Any) -> Fault:
    key = str(context["discriminator"]).removesuffix("()")
    if not isinstance(value, dict):
        return Fault("wrong_type", pointer(place), {"expected": "object"})
    if key.startswith("_"):
        return Fault("endpoint_source", pointer(place))
    if kind == "union_tag_not_found":
        return Fault("key_missing", pointer([*place, key]), {"key": key})
    allowed = str(context["expected_tags"]).replace(TAG_MARK, "").replace("'", "").split(", ")
    return Fault("value_not_allowed", pointer([*place, key]), {"value": shown(value[key]), "allowed": allowed})


def _literal_fault(place: list[str | int], context: dict[str, Any], value: Any) -> Fault:
    allowed = str(context["expected"]).replace("'", "").replace(" or ", ", ").split(", ")
    code = "interaction_mismatch" if place[-1] == "interaction" and len(allowed) == 1 else "value_not_allowed"
    return Fault(code, pointer(place), {"value": shown(value), "allowed": allowed})


def _limit_fault(kind: str, place: list[str | int], context: dict[str, Any]) -> Fault:
    """Sizes, and our own codes from `formats`, which come with safe parameters."""
    if kind == "too_short":
        return Fault("too_few_items", pointer(place), {"limit": context["min_length"]})
    if kind == "too_long" and "max_length" in context:
        return Fault("too_many_items", pointer(place), {"limit": context["max_length"]})
    if kind == "greater_than_equal":
        return Fault("number_too_small", pointer(place), {"limit": context["ge"]})
    if kind == "less_than_equal":
        return Fault("number_too_large", pointer(place), {"limit": context["le"]})
    return Fault(
        kind, pointer(place), {name: shown(value) if name == "value" else value for name, value in context.items()}
    )
