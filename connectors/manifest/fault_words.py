"""The form of a fault's words."""

from typing import NamedTuple


class FaultWords(NamedTuple):
    """Templates in `str.format` syntax over the fault's parameters, each language as (message, hint).

    A message says what is wrong, a hint says how to mend it.
    """

    en: tuple[str, str]
    zh: tuple[str, str]
