"""The query string of a log page: its filters and columns without the place one has paged to."""

from datetime import UTC, datetime, tzinfo
from typing import Any
from urllib.parse import unquote_plus

from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone

from connectors.console.forms.log_filters import PLACE, PRESETS, LogFilterForm
from connectors.console.logs.kinds import Log

AFTER, BEFORE = "after", "before"
MOST_CHARACTERS = 2_000


def clean_query(log: Log, form: LogFilterForm) -> str:
    """Return the filters and columns as the form read them, in its order: what is shared, saved and exported.

    A value the form refused is left out, and so are columns that are the usual ones.
    """
    query = QueryDict(mutable=True)
    for name, field in form.fields.items():
        if name == "columns" or (name in PLACE and form.cleaned_data.get("range") in PRESETS):
            continue
        value = form.data.get(name)
        if value and form.cleaned_data.get(name) not in field.empty_values:
            query[name] = value
    if not (query.get("since") or query.get("until")):
        query.pop("zone", None)
    elif "zone" not in query:
        query["zone"] = str(form.clock_zone)
    chosen = form.cleaned_data.get("columns") or []
    if chosen and chosen != usual_columns(log):
        query["columns"] = ",".join(chosen)
    return query.urlencode(safe=",:")


def is_keepable(query: str) -> bool:
    """Whether a view may be kept: characters are counted as people see them, not as an address spells them."""
    return len(unquote_plus(query)) <= MOST_CHARACTERS


def without(query: str, *names: str, **changed: Any) -> str:
    """Return the query string without some of its names, and with others set."""
    kept = QueryDict(query, mutable=True)
    for name in names:
        kept.pop(name, None)
    for name, value in changed.items():
        kept[name] = str(value)
    return kept.urlencode(safe=",:")


def between(address: str, since: datetime, until: datetime) -> str:
    """Return the address of the same filters between two moments: in the reader's zone, or in UTC where that zone's
    clocks show one of the two twice."""
    path, _mark, query = address.partition("?")
    zone: tzinfo = timezone.get_current_timezone()
    if any(_is_shown_twice(at, zone) for at in (since, until)):
        zone = UTC
    clocks = {name: f"{at.astimezone(zone):%Y-%m-%dT%H:%M}" for name, at in (("since", since), ("until", until))}
    return f"{path}?{without(query, 'range', *PLACE, range='custom', **clocks, zone=zone)}"


def _is_shown_twice(at: datetime, zone: tzinfo) -> bool:
    local = at.astimezone(zone)
    return local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()


def address_of(log: Log, query: str) -> str:
    """Return the address of a log's list with this query string."""
    path = reverse(f"console:{log.route}")
    return f"{path}?{query}" if query else path


def usual_columns(log: Log) -> list[str]:
    """Return the columns shown while none are chosen."""
    return [field.key for field in log.columns if (field.first if log.everyone else field.first_own)]
