"""Inserting log rows: the statement is compiled once, values are adapted by the shortest way, and a group is one step.

`bulk_create` builds its statement and looks at every field of every row anew, which costs more than the insert itself
(measured: 400 against 110 microseconds a call with its decision). One statement for all rows also means that the thread
gives up the interpreter once, not once a row: under load each time costs a turn of the event loop.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, models

type _Adapt = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class _Statement:
    """One table's insert; its text for a number of rows is made once, so that the driver finds it prepared."""

    into: str  # table and columns
    row: str
    columns: tuple[tuple[str, _Adapt | None], ...]
    texts: dict[int, str] = field(default_factory=dict)

    def text_for(self, count: int) -> str:
        text = self.texts.get(count)
        if text is None:
            text = self.texts[count] = f"INSERT INTO {self.into} VALUES {', '.join([self.row] * count)}"  # noqa: S608 - names of ours
        return text

    def values_of(self, row: models.Model) -> list[Any]:
        return [
            value if adapt is None or value is None else adapt(value)
            for value, adapt in ((getattr(row, name), adapt) for name, adapt in self.columns)
        ]


_statements: dict[tuple[str, type[models.Model]], _Statement] = {}


def insert_rows[T: models.Model](rows: Sequence[T]) -> None:
    """Insert rows of one model, as they are: all values set, keys made by us. In the caller's transaction."""
    if not rows:
        return
    statement = _statement_for(type(rows[0]))
    if len(rows) > 1 and connection.vendor == "postgresql":
        _copy(statement, rows)
        return
    values = [value for row in rows for value in statement.values_of(row)]
    _execute(statement.text_for(len(rows)), values)


def _copy(statement: _Statement, rows: Sequence[models.Model]) -> None:
    """The driver would take a statement of hundreds of marks apart in Python, which costs twice what inserting does."""
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(f"COPY {statement.into} FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row(statement.values_of(row))


def _execute(text: str, values: list[Any]) -> None:
    """Straight to SQLite's driver: Django would rewrite hundreds of marks each time."""
    if connection.vendor != "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(text, values)
        return
    connection.ensure_connection()
    with connection.wrap_database_errors:
        connection.connection.execute(text, values)


def _statement_for(model: type[models.Model]) -> _Statement:
    known = _statements.get((connection.vendor, model))
    if known is None:
        known = _statements[connection.vendor, model] = _compile(model)
    return known


def _compile(model: type[models.Model]) -> _Statement:
    quote = connection.ops.quote_name
    fields = [one for one in model._meta.concrete_fields if not isinstance(one, models.AutoField)]  # noqa: SLF001 - Django's documented meta API
    names = ", ".join(quote(str(one.column)) for one in fields)
    mark = "?" if connection.vendor == "sqlite" else "%s"
    into = f"{quote(model._meta.db_table)} ({names})"  # noqa: SLF001 - the same
    row = f"({', '.join([mark] * len(fields))})"
    return _Statement(into, row, tuple((one.attname, _adapter_for(one)) for one in fields))


def _adapter_for(column: "models.Field[Any, Any]") -> _Adapt | None:
    """Only what a database's driver does not take as it is needs adapting."""
    if isinstance(column, models.UUIDField) and not connection.features.has_native_uuid_field:
        return _hexadecimal
    if isinstance(column, models.DateTimeField):
        return _adapt_moment
    return None


def _hexadecimal(value: UUID) -> str:
    return value.hex


def _adapt_moment(value: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(value)
