"""What a fault says to a person, in English and in Chinese, and how to mend it. Knows no framework.

The words of each room's faults lie beside that room; a room above this one registers its own on import.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any

from connectors.errors import Fault
from connectors.manifest.fault_texts_content import CONTENT_FAULTS
from connectors.manifest.fault_texts_fit import FIT_FAULTS
from connectors.manifest.fault_texts_json import JSON_FAULTS
from connectors.manifest.fault_texts_shape import SHAPE_FAULTS
from connectors.manifest.fault_texts_values import VALUE_FAULTS
from connectors.manifest.fault_words import FaultWords
from connectors.manifest.hidden_characters import show_hidden

__all__ = ["FaultText", "FaultWords", "describe_fault", "fault_catalogue", "register_fault_texts"]


@dataclass(frozen=True, slots=True)
class FaultText:
    code: str
    where: str
    message: str
    hint: str


_CATALOGUE: dict[str, FaultWords] = {}
_LONGEST_VALUE = 2000  # a program's own message (§8) fits
_LONGEST_PLACE = 300
_MOST_SHOWN = 500
_UNKNOWN = FaultWords(en=("Something is wrong here ({code}).", ""), zh=("此处有误（{code}）。", ""))


def register_fault_texts(words: Mapping[str, FaultWords]) -> None:
    """Add a room's faults. A code that is already there is refused: it would change meaning by import order."""
    taken = _CATALOGUE.keys() & words.keys()
    if taken:
        raise ValueError(f"fault codes registered twice: {sorted(taken)}")
    _CATALOGUE.update(words)


def fault_catalogue() -> dict[str, FaultWords]:
    """All words registered so far, by code."""
    return dict(_CATALOGUE)


def describe_fault(fault: Fault, language: str) -> FaultText:
    """The fault in Chinese for any `zh` language, in English for every other."""
    words = _CATALOGUE.get(fault.code, _UNKNOWN)
    message, hint = words.zh if language.lower().startswith("zh") else words.en
    where = _plain(fault.where, _LONGEST_PLACE)
    parameters = {"code": fault.code, "where": where, **{name: _plain(one) for name, one in fault.parameters.items()}}
    reason = parameters.pop("reason", None)
    if reason in _CATALOGUE:  # one fault explained by another's words, which may not refer on in turn
        parameters["reason"] = describe_fault(Fault(reason, fault.where, parameters), language).message
    elif reason is not None:
        parameters["reason"] = reason
    return FaultText(fault.code, where, _fill(message, parameters), _fill(hint, parameters))


def _plain(value: Any, longest: int = 0) -> Any:
    """What a package or its program says, without a way to clear a terminal, forge a line or bury the rest."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value[:_MOST_SHOWN]]
    if not isinstance(value, str):
        return value
    limit = longest or _LONGEST_VALUE
    return show_hidden(value if len(value) <= limit else f"{value[: limit - 1]}…")


def _fill(template: str, parameters: Mapping[str, Any]) -> str:
    return _Filling().vformat(template, (), parameters)


class _Filling(Formatter):
    """Lists read as lists, and a parameter that is missing shows as a question mark instead of an exception."""

    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:  # noqa: ARG002 - the base class's signature
        value = kwargs.get(str(key), "?")
        return ", ".join(str(item) for item in value) if isinstance(value, list | tuple) else value


for _words in (JSON_FAULTS, SHAPE_FAULTS, FIT_FAULTS, CONTENT_FAULTS, VALUE_FAULTS):
    register_fault_texts(_words)
