"""Logs of 90 days for a measurement: one day is drawn and loaded, the other days are that day moved back by SQL.

Use is as uneven as it is in life: a few connectors, tools and people have most of it (Zipf). The day is rolled up by
the product itself; its rollups are moved back like its rows. Needs Django.
"""

import io
import random
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import accumulate, batched
from typing import Any

from django.db import connection, connections
from django.db.models import AutoField, Model
from django.utils import timezone

from connectors.access.models import Agent, User
from connectors.audit.models import CallRecord, DecisionRecord
from connectors.audit.rollups import roll_up
from connectors.audit.tally import floor_day
from connectors.audit.time_keys import lowest_id
from connectors.audit.usage_models import RollupMark, UsageCell, UsageDay, UsageHour
from connectors.authorization.models import Connection

DAYS = 90
TOOLS = 30
CODES = ("unavailable", "rate_limited", "program_timeout", "insufficient_scope", "budget_exceeded", "external_error")
LOGS: tuple[type[Model], ...] = (DecisionRecord, CallRecord)


@dataclass(frozen=True)
class Whose:
    """Who calls what: people, each with an agent and connections."""

    people: Sequence[User]
    agents: Sequence[Agent]
    accounts: Sequence[Sequence[Connection]]


def uneven(count: int, exponent: float = 1.0) -> list[float]:
    """Return cumulative weights of `count` things, the first the most used."""
    return list(accumulate(1 / (rank + 1) ** exponent for rank in range(count)))


def draw_day(start: datetime, calls: int, whose: Whose) -> Iterator[tuple[DecisionRecord, CallRecord]]:
    """Draw one day's calls with their decisions; one in twenty was refused and has a decision only."""
    weights, tools = uneven(len(whose.people), 0.7), uneven(TOOLS)
    popular = [uneven(len(accounts)) for accounts in whose.accounts]
    runs = [uuid.uuid4() for _ in whose.people]
    for number in range(calls):
        place = random.choices(range(len(whose.people)), cum_weights=weights)[0]
        if random.random() < 0.05:
            runs[place] = uuid.uuid4()
        used = random.choices(whose.accounts[place], cum_weights=popular[place])[0]
        tool = random.choices(range(TOOLS), cum_weights=tools)[0]
        at = start + timedelta(days=0.999) * (number / calls)  # no call ends on the next day
        yield _pair(at, whose.people[place], whose.agents[place], runs[place], used, tool)


def _pair(  # noqa: PLR0917 - a private row of a drawing
    at: datetime, person: User, agent: Agent, run: uuid.UUID, used: Connection, tool: int
) -> tuple[DecisionRecord, CallRecord]:
    key, effect = used.connector.key, ("read", "read", "read", "read", "write", "destructive")[tool % 6]
    subject = {
        "person_id": person.pk,
        "person_name": person.name,
        "agent_id": agent.pk,
        "agent_name": agent.name,
        "run_id": run,
        "origin": "chat",
        "remote_address": "192.0.2.7",
        "connector_key": key,
        "package_version": "1.0.0",
        "connection_id": used.pk,
        "tool": f"{key}__search_{tool}",
        "upstream_tool": f"search_{tool}",
        "effect": effect,
        "trace_id": uuid.uuid4().hex if random.random() < 0.2 else "",
    }
    elapsed, failed = int(random.lognormvariate(11, 1)), random.random() < 0.07
    decision = DecisionRecord(
        id=make_key(at), at=at, allowed=True, rule="granted", manifest_revision="c" * 64, **subject
    )
    call = CallRecord(
        id=make_key(at + timedelta(microseconds=elapsed)),
        decision_id=decision.pk,
        started_at=at,
        ended_at=at + timedelta(microseconds=elapsed),
        elapsed_us=elapsed,
        upstream_us=elapsed // 2,
        server_address="tools.example.com:443",
        arguments_bytes=200,
        arguments_digest=f"{random.getrandbits(256):064x}",
        result_bytes=2_000,
        result_digest=f"{random.getrandbits(256):064x}",
        outcome="failed" if failed else "succeeded",
        error_code=random.choices(CODES, weights=(50, 30, 10, 5, 4, 1))[0] if failed else "",
        credential_fingerprint="a1b2c3",
        **subject,
    )
    return decision, call


def make_key(at: datetime) -> uuid.UUID:
    return uuid.UUID(int=lowest_id(at).int | 0x7 << 76 | 0b10 << 62 | random.getrandbits(62))


def load(calls: int, whose: Whose, say: Callable[[str], None]) -> datetime:
    """Fill both logs and the rollups with `calls` calls of the 90 days before today; return where they begin."""
    day = floor_day(timezone.now()) - timedelta(days=1)
    started = time.perf_counter()
    pairs = list(draw_day(day, max(1, calls // DAYS), whose))
    for refused, _ in random.sample(pairs, len(pairs) // 20):
        pairs.append((_refused(refused), None))  # type: ignore[arg-type] # a decision without a call
    say(f"drew a day in {time.perf_counter() - started:.0f} s")
    fills = [
        partial(_fill, DecisionRecord, [decision for decision, _ in pairs], day, ids={"id"}, times={"at"}),
        partial(
            _fill,
            CallRecord,
            [call for _, call in pairs if call is not None],
            day,
            ids={"id", "decision_id"},
            times={"started_at", "ended_at"},
        ),
    ]
    started = time.perf_counter()
    if connection.vendor == "sqlite":
        for fill in fills:
            fill()
    else:  # one connection a table: the server works on both at once
        with ThreadPoolExecutor(len(fills)) as pool:
            for done in [pool.submit(_and_close, fill) for fill in fills]:
                done.result()
    say(f"loaded it, moved it back {DAYS - 1} times and built the indexes in {time.perf_counter() - started:.0f} s")
    _roll_up(day, say)
    return day - timedelta(days=DAYS - 1)


def _fill(table: type[Model], rows: Sequence[Model], day: datetime, *, ids: set[str], times: set[str]) -> None:
    with _without_indexes(table):
        copy_rows(rows)
        for number in range(1, DAYS):
            _move_back(table, day, number, ids=ids, times=times)


def _and_close(fill: Callable[[], None]) -> None:
    try:
        fill()
    finally:
        connections.close_all()


def _refused(decision: DecisionRecord) -> DecisionRecord:
    values = {field.attname: getattr(decision, field.attname) for field in DecisionRecord._meta.fields}  # noqa: SLF001 - Django's documented meta API
    return DecisionRecord(**values | {"id": make_key(decision.at), "allowed": False, "rule": "grant_missing"})


def _roll_up(day: datetime, say: Callable[[str], None]) -> None:
    """Roll the drawn day up, then move its rollups back; everything is counted then."""
    RollupMark.objects.update_or_create(pk=1, defaults={"counted_to": lowest_id(day), "sealed_to": uuid.UUID(int=0)})
    started = time.perf_counter()
    rolled = roll_up(seconds=3600)
    took = time.perf_counter() - started
    say(f"rolled a day up: {rolled:,} calls at {rolled / took:,.0f} a second")
    started = time.perf_counter()
    for table in (UsageHour, UsageDay):
        with _without_key(table):
            for number in range(1, DAYS):
                _move_back(table, day, number, ids=set(), times={"start"}, by="start")
    say(f"moved its rollups back in {time.perf_counter() - started:.0f} s")


def copy_rows(rows: Sequence[Model]) -> None:
    """Load rows by the quickest way the database has."""
    meta = rows[0]._meta  # noqa: SLF001 - Django's documented meta API
    names = [field.column for field in meta.local_concrete_fields]
    if connection.vendor == "sqlite":
        type(rows[0])._default_manager.bulk_create(rows, batch_size=500)  # noqa: SLF001 - Django's documented way from a model class
        return
    with connection.cursor() as cursor, cursor.copy(f"COPY {meta.db_table} ({', '.join(names)}) FROM STDIN") as copy:
        for some in batched(rows, 1000):
            text = io.StringIO()
            for row in some:
                text.write("\t".join(_text(getattr(row, field.attname)) for field in meta.local_concrete_fields) + "\n")
            copy.write(text.getvalue())


def _text(value: Any) -> str:
    if value is None:
        return r"\N"
    return str(value).replace("\\", r"\\").replace("\t", r"\t")


def _move_back(
    table: type[Model], day: datetime, number: int, *, ids: set[str], times: set[str], by: str = "id"
) -> None:
    """Copy the drawn day to an earlier one inside the database."""
    meta = table._meta  # noqa: SLF001 - Django's documented meta API
    columns = [field.column for field in meta.local_concrete_fields if not isinstance(field, AutoField)]
    moved = [_moved(column, number, ids, times) for column in columns]
    field = meta.get_field(by)
    start = field.get_db_prep_value(lowest_id(day) if by == "id" else day, connection)
    copied = f"SELECT {', '.join(moved)} FROM {meta.db_table} WHERE {by} >= %s"
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {meta.db_table} ({', '.join(columns)}) {copied}", [start])


def _moved(column: str, days: int, ids: set[str], times: set[str]) -> str:
    """Return the expression that moves a column back; a UUIDv7 begins with its milliseconds."""
    if column in ids:
        return _moved_id(column, days * 86_400_000)
    return _moved_time(column, days) if column in times else column


def _moved_id(column: str, milliseconds: int) -> str:
    if connection.vendor == "sqlite":
        return f"shifted({column}, {milliseconds})"
    text = f"replace({column}::text, '-', '')"
    shifted = f"lpad(to_hex(('x' || left({text}, 12))::bit(48)::bigint - {milliseconds}), 12, '0')"
    return f"({shifted} || substr({text}, 13))::uuid"


def _moved_time(column: str, days: int) -> str:
    if connection.vendor == "sqlite":
        if column == "start":
            return f"strftime('%%Y-%%m-%%d %%H:%%M:%%S', start, '-{days} days')"
        moved = f"strftime('%%Y-%%m-%%d %%H:%%M:%%f', {column}, '-{days} days')"
        return f"{moved} || CASE WHEN length({column}) > 20 THEN '000' ELSE '' END"
    return f"{column} - interval '{days} days'"


@contextmanager
def _without_indexes(table: type[Model]) -> Iterator[None]:
    """Leave a table's other indexes out while rows are loaded, and build them at the end."""
    named = [table._meta.db_table]  # noqa: SLF001 - Django's documented meta API
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            connection.connection.create_function(
                "shifted", 2, lambda key, by: f"{int(key[:12], 16) - by:012x}{key[12:]}", deterministic=True
            )
            cursor.execute("PRAGMA cache_size = -500000")
            cursor.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = %s", named
            )
        else:
            cursor.execute("SET maintenance_work_mem = '1GB'")
            cursor.execute(
                "SELECT indexname, indexdef FROM pg_indexes "
                "WHERE tablename = %s AND indexdef NOT LIKE 'CREATE UNIQUE%%'",
                named,
            )
        others = cursor.fetchall()
        for name, _ in others:
            cursor.execute(f'DROP INDEX "{name}"')
        yield
        for _, definition in others:
            cursor.execute(definition)


@contextmanager
def _without_key(cells: type[UsageCell]) -> Iterator[None]:
    """The same for the one key of hours or days, where it can be taken away."""
    if connection.vendor == "sqlite":
        yield
        return
    table = cells._meta.db_table  # noqa: SLF001 - Django's documented meta API
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey")
        yield
        cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {table}_pkey PRIMARY KEY (subject_id, start)")
