"""What a field's type allows beside it (handbook §3)."""

from collections.abc import Iterator

from connectors.errors import Fault
from connectors.manifest.fields import Field
from connectors.manifest.identity_checks import repeated
from connectors.manifest.values import default_fault

_LENGTHS = ("min_length", "max_length")
_RANGE = ("minimum", "maximum")
# A field of any other type may not carry these.
_ONLY_ON = {
    "min_length": ("text", "secret", "url"),
    "max_length": ("text", "secret", "url"),
    "minimum": ("integer",),
    "maximum": ("integer",),
}


def check_fields(fields: tuple[Field, ...], place: str) -> Iterator[Fault]:
    for index, key in repeated(one.key for one in fields):
        yield Fault("field_duplicate", f"{place}/{index}/key", {"key": key})
    for index, one in enumerate(fields):
        yield from _check_field(one, f"{place}/{index}")


def _check_field(one: Field, place: str) -> Iterator[Fault]:
    for name, types in _ONLY_ON.items():
        if getattr(one, name) is not None and one.type not in types:
            yield Fault("constraint_not_for_type", f"{place}/{name}", {"key": name, "type": one.type, "allowed": types})
    for low, high in (_LENGTHS, _RANGE):
        least, most = getattr(one, low), getattr(one, high)
        if least is not None and most is not None and least > most:
            yield Fault("range_inverted", f"{place}/{low}", {"low": low, "high": high})
    yield from _check_options(one, place)
    yield from _check_default(one, place)


def _check_options(one: Field, place: str) -> Iterator[Fault]:
    if one.type == "select" and not one.options:
        yield Fault("options_missing", f"{place}/options")
    if one.type != "select" and one.options:
        yield Fault("options_not_for_type", f"{place}/options", {"type": one.type})
    for index, value in repeated(option.value for option in one.options):
        yield Fault("option_duplicate", f"{place}/options/{index}/value", {"value": value})


def _check_default(one: Field, place: str) -> Iterator[Fault]:
    if one.is_secret and one.default is not None:
        yield Fault("secret_default", f"{place}/default")
    elif fault := default_fault(one):
        yield Fault(fault.code, f"{place}/default", fault.parameters)
