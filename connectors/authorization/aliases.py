"""The alias that tells one person's accounts at a connector apart (gateway.md, "What an agent sees")."""

import unicodedata

from connectors.authorization import fault_words  # noqa: F401 - registers what this room's faults say
from connectors.errors import Fault, Invalid

LONGEST = 64


def parse_alias(text: str) -> str:
    """Return the alias, composed and without outer blanks: 1 to 64 printable characters, or raise `Invalid`."""
    alias = unicodedata.normalize("NFC", " ".join(text.split()))
    if not alias or len(alias) > LONGEST or not alias.isprintable():
        raise Invalid([Fault("alias_invalid", "alias", {"longest": LONGEST})])
    return alias


def same_alias(one: str, other: str) -> bool:
    """Return whether two aliases are one, regardless of case and of compatible spellings."""
    return _fold(one) == _fold(other)


def _fold(alias: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", alias).casefold())
