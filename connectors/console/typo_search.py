"""Finding what was meant: every word asked for must be there, whole, in part, or but for a slip of the fingers."""

import re
from collections.abc import Iterable
from functools import lru_cache

_WORDS = re.compile(r"[a-z0-9]+|[^\W_a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SHORT, _LONG = 4, 8  # below the first no slip is forgiven, from the second on two are
_ENOUGH = 0.6  # of the characters of a word in a script without spaces


@lru_cache(maxsize=4_096)
def split_words(text: str) -> frozenset[str]:
    """Lower-case words: of Latin text at blanks, marks and capitals inside; a run of Chinese stays one."""
    return frozenset(_WORDS.findall(_CAMEL.sub(" ", text).casefold()))


def score(wanted: str, *, name: str, words: Iterable[str]) -> float:
    """0 for no match, higher is better; `words` are all the words of the thing, those of its name among them."""
    asked = _WORDS.findall(wanted.casefold())
    if not asked:
        return 0
    in_name, known = split_words(name), list(words)
    total = 0.0
    for word in asked:
        best = max(2 * _closeness(word, in_name), _closeness(word, known))
        if not best:
            return 0
        total += best
    return total / len(asked)


def _closeness(word: str, known: Iterable[str]) -> float:
    return max((_alike(word, other) for other in known), default=0)


@lru_cache(maxsize=65_536)  # connectors share most of their words
def _alike(word: str, other: str) -> float:
    if word in other:
        return 1 if other.startswith(word) else 0.9
    if not word.isascii():
        shared = sum(character in other for character in word) / len(word)
        return shared / 2 if len(word) > 1 and shared >= _ENOUGH else 0
    slips = 0 if len(word) < _SHORT else 1 if len(word) < _LONG else 2
    return 0.5 if slips and _within(word, other, slips) else 0


def _within(word: str, other: str, slips: int) -> bool:
    """Whether that many insertions, losses, changes or swaps lead from one to the other, or to its start."""
    if len(set(word) - set(other)) > slips:
        return False
    candidates = {other, *(other[:length] for length in range(len(word) - slips, len(word) + slips + 1) if length > 0)}
    return any(abs(len(word) - len(text)) <= slips and _distance(word, text) <= slips for text in candidates)


def _distance(word: str, other: str) -> int:
    """Optimal string alignment distance."""
    before: list[int] = []
    above = list(range(len(other) + 1))
    for i, character in enumerate(word, 1):
        row = [i]
        for j, opposite in enumerate(other, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (character != opposite))
            if i > 1 and j > 1 and character == other[j - 2] and word[i - 2] == opposite:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, above = above, row
    return above[-1]
