"""What a log page lists: the rows that the filters leave, in the chosen columns."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import QueryDict
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from connectors.access.models import User
from connectors.audit.queries import Keys
from connectors.console.forms.log_filters import LogFilterForm
from connectors.console.logs.addresses import AFTER, BEFORE, clean_query, usual_columns, without
from connectors.console.logs.chips import Chip, tell_filters
from connectors.console.logs.kinds import Filters, Log
from connectors.console.logs.lines import Field, Line
from connectors.console.typed_ids import read_id


@dataclass(frozen=True, slots=True)
class Row:
    key: uuid.UUID
    cells: SafeString  # its <td>s: a page has hundreds, so they are put together here and not by a template


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPage:
    log: Log
    form: LogFilterForm
    filters: Filters
    query: str  # the filters and columns, for links
    columns: list[Field[Any]]
    rows: list[Row]
    newer: uuid.UUID | None
    older: uuid.UUID | None
    searched_to: datetime | None  # where a long search stopped, to be gone on with

    @property
    def chips(self) -> list[Chip]:
        return tell_filters(self.form, self.query)

    @property
    def whole(self) -> bool:
        """Whether these are all the rows there are."""
        return self.newer is None and self.older is None and self.searched_to is None

    @property
    def usual_query(self) -> str:
        """The same filters with the usual columns."""
        return without(self.query, "columns")

    @property
    def chosen(self) -> set[str]:
        return {column.key for column in self.columns}


def list_log(log: Log, query: QueryDict, reader: User) -> LogPage:
    form = log.make_form(query)
    filters = log.read_filters(form, reader)
    keys = Keys(after=read_id(query.get(AFTER, "")), before=read_id(query.get(BEFORE, "")))
    found = log.source.page(filters, **keys)
    columns = choose_columns(log, form)
    return LogPage(
        log=log,
        form=form,
        filters=filters,
        query=clean_query(log, form),
        columns=columns,
        rows=fill_rows(log.source.word(found.rows, reader), columns),
        newer=found.newer,
        older=found.older,
        searched_to=found.searched_to,
    )


def choose_columns(log: Log, form: LogFilterForm) -> list[Field[Any]]:
    """Return the columns that the form names, or the usual ones."""
    chosen = form.cleaned_data.get("columns") or usual_columns(log)
    return [field for field in log.columns if field.key in chosen]


def fill_rows(lines: Sequence[Line], columns: Sequence[Field[Any]]) -> list[Row]:
    """Put the rows together. The first cell names the row; the others carry their column's title for narrow screens."""
    opened = [
        format_html(
            "<td{}{}>",
            format_html(' data-label="{}"', column.title) if number else "",
            mark_safe(' class="number"') if column.number else "",
        )
        for number, column in enumerate(columns)
    ]
    cells = list(zip(opened, (column.show for column in columns), strict=True))
    return [
        Row(
            line.record.pk,
            mark_safe("".join(f"{start}{conditional_escape(str(show(line)))}</td>" for start, show in cells)),  # noqa: S308 - each part is escaped
        )
        for line in lines
    ]
