"""Thousands of rows in one step, for what the rollups read and write: the ORM would look at every value of every row.

PostgreSQL takes each column as one array; SQLite's driver takes rows to one prepared statement, and keys as JSON.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final
from uuid import UUID

import orjson
from django.db import connection, models

type Values = tuple[Any, ...]
type _Tell = Callable[[Any], str]


def find_rows(
    table: type[models.Model], names: Sequence[str], *, by: Sequence[str], keys: Sequence[Values]
) -> list[tuple[int, Values]]:
    """Return (place of its key, values of `names`) for each row whose columns `by` are one of `keys`."""
    if not keys:
        return []
    wanted = ", ".join(f"t.{_quoted(name)}" for name in names)
    if connection.vendor == "postgresql":
        same = " AND ".join(f"t.{_quoted(name)} = n.{_quoted(name)}" for name in by)
        given = f"{_unnest(table, by)} WITH ORDINALITY AS n({_list(by)}, place)"
        values, first = _arrays(table, by, keys), 1
    else:
        same = " AND ".join(f"t.{_quoted(name)} = n.value->>{place}" for place, name in enumerate(by))
        given, values, first = "json_each(?) AS n", [_json(table, by, keys)], 0
    place = "n.place" if first else "n.key"
    statement = f"SELECT {place}, {wanted} FROM {given} JOIN {_table(table)} t ON {same}"  # noqa: S608 - names of ours
    rows = _run(statement, values)
    return [(int(place) - first, tuple(found)) for place, *found in rows]


def upsert_rows(table: type[models.Model], names: Sequence[str], *, by: Sequence[str], rows: Sequence[Values]) -> None:
    """Insert rows, or set their other columns where there is a row with the same columns `by`."""
    changes = ", ".join(f"{_quoted(name)} = excluded.{_quoted(name)}" for name in names if name not in by)
    _write(
        table,
        names,
        rows,
        f"{_insert(table, names)} ON CONFLICT ({_list(by)}) DO UPDATE SET {changes}",
    )


def insert_new(table: type[models.Model], names: Sequence[str], *, rows: Sequence[Values]) -> None:
    _write(table, names, rows, _insert(table, names))


def update_rows(table: type[models.Model], names: Sequence[str], *, rows: Sequence[Values], newer: str = "") -> None:
    """Set the columns of rows by their key, the first of `names`; with `newer`, where that column rises by it."""
    key, *others = names
    if connection.vendor == "postgresql":
        changes = ", ".join(f"{_quoted(name)} = n.{_quoted(name)}" for name in others)
        given = f"{_unnest(table, names)} AS n({_list(names)})"
        same = f"t.{_quoted(key)} = n.{_quoted(key)}"
        same += f" AND t.{_quoted(newer)} < n.{_quoted(newer)}" if newer else ""
        statement = f"UPDATE {_table(table)} t SET {changes} FROM {given} WHERE {same}"  # noqa: S608 - the same
        _write(table, names, rows, statement)
        return
    changes = ", ".join(f"{_quoted(name)} = ?" for name in others)
    same = f"{_quoted(key)} = ?" + (f" AND {_quoted(newer)} < ?" if newer else "")
    statement = f"UPDATE {_table(table)} SET {changes} WHERE {same}"  # noqa: S608 - the same
    asked = [*others, key, *([newer] if newer else [])]
    places = [names.index(name) for name in asked]
    _write(table, asked, [tuple([row[place] for place in places]) for row in rows], statement)


def _write(table: type[models.Model], names: Sequence[str], rows: Sequence[Values], statement: str) -> None:
    if not rows:
        return
    if connection.vendor == "postgresql":
        _run(statement, _arrays(table, names, rows))
        return
    connection.ensure_connection()
    with connection.wrap_database_errors:
        connection.connection.executemany(statement, _adapted(table, names, rows))


def _insert(table: type[models.Model], names: Sequence[str]) -> str:
    rows = f"VALUES ({', '.join('?' * len(names))})"
    if connection.vendor == "postgresql":
        rows = f"SELECT * FROM {_unnest(table, names)} AS n"  # noqa: S608 - the same
    return f"INSERT INTO {_table(table)} ({_list(names)}) {rows}"


def _run(statement: str, values: Sequence[Any]) -> list[Values]:
    """Straight to SQLite's driver, as `inserting` does."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []
    connection.ensure_connection()
    with connection.wrap_database_errors:
        found: list[Values] = connection.connection.execute(statement, values).fetchall()
        return found


def _unnest(table: type[models.Model], names: Sequence[str]) -> str:
    return f"unnest({', '.join(f'%s::{_kind(table, name)}[]' for name in names)})"


def _arrays(table: type[models.Model], names: Sequence[str], rows: Sequence[Values]) -> list[str]:
    """Return a column's values as one array literal each: the driver's own way tells the type of each value anew."""
    columns = zip(*rows, strict=True)
    return [_array(_kind(table, name), values) for name, values in zip(names, columns, strict=True)]


def _array(kind: str, values: Iterable[Any]) -> str:
    tell = _TELL.get(kind, _quote_text)
    if kind in _FEW:
        tell = cache(tell)
    return "{" + ",".join(["NULL" if value is None else tell(value) for value in values]) + "}"


def _quote_text(value: str) -> str:
    return '"' + value.replace("\\", r"\\").replace('"', r"\"") + '"'


def _quote_moment(value: datetime) -> str:
    return f'"{value.isoformat()}"'


def _quote_bytes(value: bytes) -> str:
    return rf'"\\x{value.hex()}"'


_TELL: Final[dict[str, _Tell]] = {
    "bigint": str,
    "integer": str,
    "smallint": str,
    "uuid": str,
    "timestamp with time zone": _quote_moment,
    "bytea": _quote_bytes,
}


_FEW: Final = frozenset({"timestamp with time zone"})  # kinds whose values are often the same: cells begin together


def _kind(table: type[models.Model], name: str) -> str:
    field = _field(table, name)
    if isinstance(field, models.ForeignKey):
        field = field.target_field
    kind = str(field.rel_db_type(connection) if isinstance(field, models.AutoField) else field.db_type(connection))
    return "text" if kind.startswith("varchar") else kind


def _json(table: type[models.Model], names: Sequence[str], rows: Sequence[Values]) -> str:
    return orjson.dumps(list(_adapted(table, names, rows))).decode()


def _adapted(table: type[models.Model], names: Sequence[str], rows: Sequence[Values]) -> Iterable[list[Any]]:
    adapters = [_adapter(_field(table, name)) for name in names]
    for row in rows:
        yield [
            value if adapt is None or value is None else adapt(value)
            for adapt, value in zip(adapters, row, strict=True)
        ]


def _adapter(field: "models.Field[Any, Any]") -> Callable[[Any], Any] | None:
    """What SQLite does not take as it is."""
    if isinstance(field, models.UUIDField):
        return _hexadecimal
    if isinstance(field, models.DateTimeField):
        return cache(connection.ops.adapt_datetimefield_value)  # for one step's rows, whose moments are often the same
    return None


def _hexadecimal(value: UUID) -> str:
    return value.hex


def _field(table: type[models.Model], name: str) -> "models.Field[Any, Any]":
    return next(one for one in table._meta.concrete_fields if one.attname == name)  # noqa: SLF001 - Django's documented meta API


def _table(table: type[models.Model]) -> str:
    return _quoted(table._meta.db_table)  # noqa: SLF001 - the same


def _list(names: Sequence[str]) -> str:
    return ", ".join(map(_quoted, names))


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
