"""Times and lengths as people read them, in the reader's language and zone."""

from datetime import datetime, timedelta
from functools import lru_cache

from babel import Locale
from babel.dates import format_timedelta
from django.utils import timezone, translation
from django.utils.translation import gettext

_JUST_NOW = timedelta(seconds=5)


def babel_locale() -> Locale:
    """Return the reader's locale."""
    return _locale_of(translation.get_language() or "en")


@lru_cache(maxsize=64)
def _locale_of(language: str) -> Locale:
    return Locale.parse(translation.to_locale(language))


def tell_relative(moment: datetime, *, now: datetime | None = None) -> str:
    """Return "3 minutes ago", "in 2 hours" or "just now"."""
    distance = moment - (now or timezone.now())
    if abs(distance) < _JUST_NOW:
        return gettext("just now")
    return format_timedelta(distance, add_direction=True, threshold=1.2, locale=babel_locale())


def tell_absolute(moment: datetime, *, exact: bool = False) -> str:
    """Return "2026-03-29 03:15:00 CEST (UTC+02:00)": clear over a change of the clocks; `exact` to microseconds.

    A zone without a name of its own ("+08", "UTC") is told by its offset alone.
    """
    local = timezone.localtime(moment)
    shown = local.strftime("%Y-%m-%d %H:%M:%S.%f" if exact else "%Y-%m-%d %H:%M:%S")
    zone, offset = local.tzname() or "", local.strftime("UTC%:z")
    if zone == "UTC":
        return f"{shown} UTC"
    return f"{shown} {zone} ({offset})" if zone.isalpha() else f"{shown} {offset}"
