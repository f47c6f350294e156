"""Counts, sizes and durations as people read them."""

import math
from functools import lru_cache

from babel import Locale
from babel.numbers import format_decimal

from connectors.console.rendering.moments import babel_locale

_KIB = 1024
_MILLISECOND = 1_000
_SECOND = 1_000_000
_MINUTE = 60 * _SECOND


def tell_count(number: int) -> str:
    """Return 12,345 grouped as the reader's language does."""
    return _group(number, babel_locale())


def tell_bytes(size: int) -> str:
    """Return "512 B", "1.4 KiB", "20 MiB": one decimal below ten, none above."""
    amount, unit = float(size), "B"
    for larger in ("KiB", "MiB", "GiB"):
        if amount < _KIB:
            break
        amount, unit = amount / _KIB, larger
    return f"{_short(amount)} {unit}"


def tell_duration(microseconds: float) -> str:
    """Return "0.8 ms", "120 ms", "2.4 s" or "3.1 min"."""
    if microseconds < _SECOND:
        return f"{_short(microseconds / _MILLISECOND)} ms"
    if microseconds < _MINUTE:
        return f"{_short(microseconds / _SECOND)} s"
    return f"{_short(microseconds / _MINUTE)} min"


def tell_percent(share: float) -> str:
    """Return "3.4 %", "100 %": a decimal below ten and just below the whole, and never a whole that is none."""
    percent = share * 100
    if 99 < percent < 100 or 0 < percent < 10:  # noqa: PLR2004 - where a decimal tells something
        percent = min(max(math.floor(percent * 10) / 10, 0.1), 99.9)
        return f"{format_decimal(percent, format='0.0', locale=babel_locale())} %"
    return f"{format_decimal(round(percent), locale=babel_locale())} %"


def tell_rate(part: int, whole: int) -> str:
    """Return what share of the whole a part is; of nothing, an en dash."""
    return tell_percent(part / whole) if whole else "–"


@lru_cache(maxsize=4_096)  # a list shows many numbers, small ones again and again
def _group(number: int, locale: Locale) -> str:
    return str(format_decimal(number, locale=locale))


def _short(amount: float) -> str:
    return _written(amount, babel_locale())


@lru_cache(4096)
def _written(amount: float, locale: Locale) -> str:
    """A log's page has hundreds of them, many of them the same."""
    pattern = "#,##0.#" if amount < 10 else "#,##0"  # noqa: PLR2004 - below ten a decimal tells something
    return str(format_decimal(amount, format=pattern, locale=locale))
