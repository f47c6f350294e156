"""One archive of the corpus and what must come of it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """`codes` is the exact set of fault codes; an archive to accept has none."""

    name: str
    make: Callable[[], bytes]
    codes: frozenset[str] = frozenset()


def cases(codes: str, **archives: Callable[[], bytes]) -> list[Case]:
    """Archives that share their expected codes (separated by spaces)."""
    return [Case(name, make, frozenset(codes.split())) for name, make in archives.items()]
