"""A log as a file: exactly the rows that are filtered, streamed, in CSV or JSON Lines. Taking one is recorded."""

from typing import Final, Literal, cast

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone

from connectors.audit.export import export_rows
from connectors.console.logs.kinds import Log
from connectors.console.logs.listing import choose_columns
from connectors.console.permissions import PersonRequest
from connectors.console.streaming import stream

type Format = Literal["csv", "jsonl"]
CONTENT_TYPES: Final = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}


def export_log(request: PersonRequest, log: Log) -> HttpResponseBase:
    """Answer with the file, or refuse when a filter cannot be read: a file of other rows would be a false record."""
    form = log.make_form(request.GET)
    chosen = request.GET.get("format", "csv")
    if not form.is_valid() or chosen not in CONTENT_TYPES:
        return _refuse(request)
    columns = None
    if form.cleaned_data.get("columns"):
        columns = list(dict.fromkeys(name for field in choose_columns(log, form) for name in field.names))
    rows = export_rows(
        kind=log.source.kind,
        filters=log.read_filters(form, request.user),
        format=cast("Format", chosen),
        zone=form.clock_zone,
        actor=request.user,
        columns=columns,
    )
    name = f"{log.source.kind}-{timezone.localtime(timezone=form.clock_zone):%Y-%m-%d-%H%M}.{chosen}"
    return stream(request, rows, content_type=CONTENT_TYPES[chosen], file_name=name)


def _refuse(request: PersonRequest) -> HttpResponse:
    return render(request, "400.html", status=400)
