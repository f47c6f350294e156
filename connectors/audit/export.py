"""A log as a file: exactly the rows that are filtered, newest first, streamed in memory that does not grow.

Rows are read in chunks by key, each a query of its own: no cursor is held open, no row is skipped or told twice, and
rows that are written meanwhile stay out. Taking a log out is an administrative event, written before the first byte.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from django.db import models, transaction
from django.utils.translation import gettext as _

from connectors.audit.export_cells import write_json
from connectors.audit.export_csv import ROWS_A_PIECE, write_csv_rows
from connectors.audit.filters import (
    CallFilters,
    DecisionFilters,
    EventFilters,
    filtered_calls,
    filtered_decisions,
    filtered_events,
    set_fields,
)
from connectors.audit.models import AdminEvent, CallRecord, DecisionRecord
from connectors.audit.recording import Actor, record_admin_event
from connectors.errors import Refused

type Kind = Literal["calls", "decisions", "events"]
type Format = Literal["csv", "jsonl"]
type Filters = CallFilters | DecisionFilters | EventFilters
type Row = tuple[Any, ...]

CHUNK: Final = 2000
_MODELS: Final[dict[str, type[models.Model]]] = {
    "calls": CallRecord,
    "decisions": DecisionRecord,
    "events": AdminEvent,
}
_FILTERED: Final[dict[str, Callable[[Any], models.QuerySet[Any]]]] = {
    "calls": filtered_calls,
    "decisions": filtered_decisions,
    "events": filtered_events,
}
_FIRST: Final = ("started_at", "ended_at", "at", "elapsed_us", "queue_us", "refresh_us", "connect_us", "upstream_us")


def export_columns(kind: Kind) -> tuple[str, ...]:
    """Return every column of a log in the order of the file: its times first."""
    names = [field.attname for field in _MODELS[kind]._meta.concrete_fields]  # noqa: SLF001 - Django's documented meta API
    return tuple(sorted(names, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST)))


def export_rows(
    *,
    kind: Kind,
    filters: Filters,
    format: Format,  # noqa: A002 - what people call it
    zone: ZoneInfo,
    actor: Actor | None,
    columns: Sequence[str] | None = None,
    limit: int | None = None,
) -> Iterator[bytes]:
    """Record the export and return the file's pieces.

    `columns` are some of `export_columns`, in the order of the file. Beyond `limit` rows the file ends with a line that
    says so. Without an actor it is the command line. Raises Refused for a column that is none.
    """
    known = export_columns(kind)
    names = tuple(columns) if columns else known
    if unknown := [name for name in names if name not in known]:
        raise Refused("column_unknown", names=unknown)
    narrowed = {name: str(value) for name, value in set_fields(filters).items()}
    details = {"format": format, "zone": zone.key, "columns": list(columns or ()), "limit": limit}
    record_export(actor=actor, kind=kind, filters=narrowed, **details)
    rows, is_cut = _read(_FILTERED[kind](filters), names, limit)
    if format == "csv":
        return write_csv_rows(names, chain(rows, _cut_row(is_cut, names, limit)), zone=zone)
    return _write_lines(names, rows, is_cut, limit, zone)


@transaction.atomic
def record_export(*, actor: Actor | None, kind: str, **details: Any) -> None:
    """Leave the event that says who took a file of what; rows of any log or list."""
    after = {name: value for name, value in details.items() if value}
    record_admin_event(
        actor=actor, act="log_exported", target_kind="log", target_id=kind, target_name=kind, after=after
    )


def _read(
    rows: models.QuerySet[Any], names: Sequence[str], limit: int | None
) -> tuple[Iterator[Row], Callable[[], bool]]:
    """Return the rows, and a question to ask once they are through: whether there were more."""
    found = _by_key(rows.order_by("-pk").values_list("pk", *names))
    if limit is None:
        return found, lambda: False
    return islice(found, limit), lambda: next(found, None) is not None


def _by_key(rows: models.QuerySet[Any, tuple[Any, ...]]) -> Iterator[Row]:
    chunk = list(rows[:CHUNK])
    while chunk:
        for key, *values in chunk:  # noqa: B007 - the last one's is where the next chunk begins
            yield tuple(values)
        chunk = list(rows.filter(pk__lt=key)[:CHUNK]) if len(chunk) == CHUNK else []


def _cut_row(is_cut: Callable[[], bool], names: Sequence[str], limit: int | None) -> Iterator[Row]:
    told = _("Cut after %(rows)d rows: there are more.") % {"rows": limit or 0}

    def row() -> Iterator[Row]:
        if is_cut():
            yield (told, *[""] * (len(names) - 1))

    return row()


def _write_lines(
    names: Sequence[str], rows: Iterator[Row], is_cut: Callable[[], bool], limit: int | None, zone: ZoneInfo
) -> Iterator[bytes]:
    while some := list(islice(rows, ROWS_A_PIECE)):
        yield "".join([f"{write_json(dict(zip(names, row, strict=True)), zone)}\n" for row in some]).encode()
    if is_cut():
        yield f"{write_json({'cut_after_rows': limit}, zone)}\n".encode()
