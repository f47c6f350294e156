"""The filters of the logs' pages, read from a command line."""

import re
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.translation import gettext as _

from connectors.audit.filters import CallFilters, DecisionFilters, EventFilters

KINDS: Final = ("calls", "decisions", "events")
_FILTERS: Final[dict[str, type[CallFilters | DecisionFilters | EventFilters]]] = {
    "calls": CallFilters,
    "decisions": DecisionFilters,
    "events": EventFilters,
}
_AGO: Final = re.compile(r"(\d{1,6})([dh])")


class FilterUnreadable(ValueError):
    """Its text says what could not be read."""


def read_filters(
    kind: str, texts: Sequence[str], *, since: datetime | None, until: datetime | None
) -> CallFilters | DecisionFilters | EventFilters:
    """Return the filters that `FIELD=VALUE` texts name; several of one field of people are any of them."""
    shape = _FILTERS[kind]
    types = {field.name: str(field.type) for field in fields(shape)}
    values: dict[str, Any] = {"since": since, "until": until}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or name not in types or name in ("since", "until"):
            known = ", ".join(sorted(set(types) - {"since", "until"}))
            raise FilterUnreadable(_("%(text)s: a filter is one of %(known)s.") % {"text": text, "known": known})
        try:
            values[name] = _read(types[name], value, values.get(name))
        except ValueError as error:
            raise FilterUnreadable(_("%(text)s cannot be read.") % {"text": text}) from error
    return shape(**values)


def read_moment(text: str | None, zone: ZoneInfo) -> datetime | None:
    """Return the moment a text names: a date or a time in the zone, one with an offset of its own, or `7d`, `12h` ago.

    A time that a clock change makes twice is the first of the two.
    """
    if text is None:
        return None
    if ago := _AGO.fullmatch(text):
        return timezone.now() - (timedelta(days=int(ago[1])) if ago[2] == "d" else timedelta(hours=int(ago[1])))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise FilterUnreadable(_("%(text)s is no time.") % {"text": text}) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _read(kind: str, value: str, before: Any) -> Any:
    if "UUID" in kind:
        return UUID(value)
    if "bool" in kind:
        if value not in ("true", "false"):
            raise ValueError(value)
        return value == "true"
    if "tuple" in kind:
        return (*(before or ()), int(value))
    return int(value) if "int" in kind else value
