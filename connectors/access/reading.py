"""How a person reads: their language and their zone, for what is written to them outside of a request."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.utils import timezone, translation

from connectors.access.models import User


def zone_of(person: User) -> ZoneInfo:
    """Return a person's zone, the console's for one who chose none, UTC where the chosen one is not known here."""
    try:
        return ZoneInfo(person.time_zone or settings.TIME_ZONE)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


@contextmanager
def as_read_by(person: User) -> Iterator[None]:
    """Within it, texts come in the person's language and times in their zone."""
    with translation.override(person.language or settings.LANGUAGE_CODE), timezone.override(zone_of(person)):
        yield


def tell_moment(moment: datetime) -> str:
    """Return "2026-03-29 03:15 (UTC+02:00)": for letters and messages, which no hover text explains."""
    local = timezone.localtime(moment)
    offset = local.strftime("%z")
    return f"{local:%Y-%m-%d %H:%M} (UTC{offset[:3]}:{offset[3:5]})"
