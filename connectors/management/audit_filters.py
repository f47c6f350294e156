"""The filters of the logs' pages, read from a command line."""

import re
from collections.abc import Sequence
from dataclasses import fields
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from typing import Any, Final, get_args
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils import timezone
from django.utils.translation import gettext as _

from connectors.audit.filters import CallFilters, DecisionFilters, EventFilters
from connectors.audit.models import CallRecord
from connectors.gateway.models import Run
from connectors.manifest.tools import Effect

KINDS: Final = ("calls", "decisions", "events")
_FILTERS: Final[dict[str, type[CallFilters | DecisionFilters | EventFilters]]] = {
    "calls": CallFilters,
    "decisions": DecisionFilters,
    "events": EventFilters,
}
_AGO: Final = re.compile(r"(\d{1,6})([dh])")
_UNWRITABLE: Final = re.compile("[\0\ud800-\udfff]")  # no database takes them, so no row has them
# Of these a word that is none would find nothing, which reads as if there were nothing.
_WORDS: Final[dict[str, Sequence[str]]] = {
    "outcome": CallRecord.Outcome.values,
    "origin": Run.Origin.values,
    "effect": get_args(Effect),
}


class FilterUnreadable(Exception):
    """Its text says what could not be read."""


def read_filters(
    kind: str, texts: Sequence[str], *, since: datetime | None, until: datetime | None
) -> CallFilters | DecisionFilters | EventFilters:
    """Return the filters that `FIELD=VALUE` texts name; several of one field of people are any of them."""
    if since is not None and until is not None and since >= until:
        raise FilterUnreadable(_("%(until)s is not after %(since)s.") % {"until": until, "since": since})
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
            raise FilterUnreadable(_("%(text)s cannot be read.") % {"text": _writable(text)}) from error
        if name in _WORDS and value not in _WORDS[name]:
            known = ", ".join(_WORDS[name])
            raise FilterUnreadable(_("%(text)s: a filter is one of %(known)s.") % {"text": text, "known": known})
    return shape(**values)


def read_zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise FilterUnreadable(_("There is no time zone %(name)s.") % {"name": _writable(name)}) from error


def read_moment(text: str | None, zone: ZoneInfo, *, latest: bool = False) -> datetime | None:
    """Return the moment a text names: a date or a time in the zone, one with an offset of its own, or `7d`, `12h` ago.

    A time that a clock change makes twice or never is read as the page reads it: the first of the two as a beginning,
    the `latest` as an end.
    """
    if text is None:
        return None
    try:
        moment = _ago(text) or datetime.fromisoformat(text)
        if moment.tzinfo is None:
            shown = [moment.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)]
            moment = max(shown) if latest else min(shown)
        if MINYEAR < moment.astimezone(UTC).year < MAXYEAR:  # beyond, neither zones nor margins can be reckoned
            return moment
    except (ValueError, OverflowError) as error:
        raise FilterUnreadable(_("%(text)s is no time.") % {"text": _writable(text)}) from error
    raise FilterUnreadable(_("%(text)s is no time.") % {"text": text})


def _ago(text: str) -> datetime | None:
    found = _AGO.fullmatch(text)
    if found is None:
        return None
    return timezone.now() - (timedelta(days=int(found[1])) if found[2] == "d" else timedelta(hours=int(found[1])))


def _writable(text: str) -> str:
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def _read(kind: str, value: str, before: Any) -> Any:
    if _UNWRITABLE.search(value):
        raise ValueError(value)
    if "UUID" in kind:
        return UUID(value)
    if "bool" in kind:
        if value not in ("true", "false"):
            raise ValueError(value)
        return value == "true"
    if "tuple" in kind:
        return (*(before or ()), _number(value))
    return _number(value) if "int" in kind else value


def _number(value: str) -> int:
    number = int(value)
    if not 0 <= number < 2**63:  # what a database's column holds
        raise ValueError(value)
    return number
