"""What `benchmarks/audit.py` measures; each part yields (name, ours, naive, ratio). Needs Django."""

import csv
import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median, quantiles
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Q
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.audit_addresses import addresses
from benchmarks.audit_rows import DAYS, LOGS, Whose, draw_day
from benchmarks.audit_seed import Seeded, write_some
from connectors.access.models import User
from connectors.audit.charts import usage_tops
from connectors.audit.export import export_rows
from connectors.audit.models import CallRecord
from connectors.audit.queries import CallFilters, count_calls
from connectors.audit.retention import remove_old_rows
from connectors.audit.rollups import roll_up
from connectors.audit.usage import usage_by_connector
from connectors.audit.usage_models import UsageDay, UsageHour, UsageSubject

AIM_MS = 150

type Line = tuple[str, str, str, str]


def sizes() -> Iterator[Line]:
    for table in (*LOGS, UsageHour, UsageDay, UsageSubject):
        name = table._meta.db_table  # noqa: SLF001 - Django's documented meta API
        rows = table._default_manager.count()  # noqa: SLF001 - the same
        for part, size in _parts(name):
            yield f"{part.removeprefix('connectors_')}", f"{size / rows:,.0f} B/row", "", ""
        yield f"{table.__name__}: {rows:,} rows", f"{sum(size for _, size in _parts(name)) / 2**20:,.0f} MiB", "", ""


def _parts(table: str) -> list[tuple[str, int]]:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                "SELECT m.name, (SELECT sum(pgsize) FROM dbstat WHERE name = m.name AND aggregate = TRUE) "
                "FROM sqlite_master m WHERE m.tbl_name = %s AND m.type IN ('table', 'index')",
                [table],
            )
        else:
            cursor.execute(
                "SELECT c.relname, pg_table_size(c.oid) FROM pg_class c WHERE c.oid = %s::regclass OR c.oid IN "
                "(SELECT indexrelid FROM pg_index WHERE indrelid = %s::regclass)",
                [table, table],
            )
        return [(str(name), int(size)) for name, size in cursor.fetchall()]


def inserts(seeded: Seeded, seconds: float) -> Iterator[Line]:
    """Calls with decisions as the gateway writes them: seal looked at, last uses kept, one transaction a group."""
    naive = _rate(seconds, lambda: _write_naively(seeded.whose))
    for group in (1, 32):
        ours = _rate(seconds, lambda group=group: write_some(seeded.whose, max(64, group), group))
        yield f"calls written a second, {group} a commit", f"{ours:,.0f}/s", f"{naive:,.0f}/s", f"{ours / naive:.1f}x"
    started, rolled = time.perf_counter(), 0
    time.sleep(11)  # until what was written is sealed
    started = time.perf_counter()
    rolled = roll_up(seconds=60)
    yield "calls rolled up a second", f"{rolled / (time.perf_counter() - started):,.0f}/s", "", ""


def _write_naively(whose: Whose) -> int:
    """One row object at a time, saved by the ORM, a commit a call."""
    for decision, call in draw_day(timezone.now(), 64, whose):
        with transaction.atomic():
            decision.save(force_insert=True)
            call.save(force_insert=True)
    return 64


def _rate(seconds: float, write: Callable[[], int]) -> float:
    written, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        written += write()
    return written / (time.perf_counter() - started)


def pages(seeded: Seeded, rounds: int) -> Iterator[Line]:
    for name, person, url, target in addresses(
        seeded.administrator, seeded.auditor, seeded.whose.people[3], seeded.middle
    ):
        yield _page(name, person, url, target, rounds)


def _page(name: str, person: User, url: str, target: str, rounds: int) -> Line:
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
    headers = {"HX-Request": "true", "HX-Target": target} if target else {}
    with CaptureQueriesContext(connection) as captured:
        answered = client.get(url, headers=headers)
    queries = len(captured)
    if answered.status_code != 200:
        return name, f"answered {answered.status_code}", "", ""
    busy = time.process_time()
    taken = _times(lambda: client.get(url, headers=headers), rounds)
    busy = (time.process_time() - busy) * 1000 / rounds
    p95 = quantiles(taken, n=20)[-1]
    mark = "" if p95 < AIM_MS else f"over {AIM_MS}"
    return name, f"p50 {median(taken):.0f} p95 {p95:.0f} ms", f"CPU {busy:.0f} ms, {queries} q", mark


def _times(act: Callable[[], object], rounds: int) -> list[float]:
    taken = []
    for _ in range(rounds):
        started = time.perf_counter()
        act()
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def reads(seeded: Seeded, rounds: int) -> Iterator[Line]:
    """The same question asked of our tables and of the raw rows."""
    newest = CallRecord.objects.order_by("-pk")
    searched = (
        Q(tool__icontains="nothing") | Q(connector_key__icontains="nothing") | Q(person_name__icontains="nothing")
    )
    raw = CallRecord.objects.filter(started_at__gte=seeded.since)
    counted = raw.values("connector_key").annotate(
        calls=Count("pk"), errors=Count("pk", filter=~Q(outcome="succeeded"))
    )
    middle, size = seeded.calls // 2, 50
    by_key = CallRecord.objects.filter(pk__lt=seeded.middle.pk).order_by("-pk")
    questions: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
        ("page in the middle (OFFSET)", lambda: list(by_key[:size]), lambda: list(newest[middle : middle + size])),
        ("how many (COUNT(*))", lambda: count_calls(CallFilters()), CallRecord.objects.count),
        (
            "text that is nowhere (LIKE)",
            lambda: count_calls(CallFilters(text="nothing")),
            lambda: list(newest.filter(searched)[:size]),
        ),
        (
            "use of 200 connectors, 90 days (GROUP BY)",
            lambda: usage_by_connector(seeded.keys, since=seeded.since),
            lambda: list(counted),
        ),
        (
            "top 10 tools, 90 days (GROUP BY)",
            lambda: usage_tops(("tool",), CallFilters(), since=seeded.since),
            lambda: list(
                raw.values("connector_key", "upstream_tool").annotate(calls=Count("pk")).order_by("-calls")[:10]
            ),
        ),
    ]
    for name, ours, naive in questions:
        mine, theirs = median(_times(ours, rounds)), median(_times(naive, 1))
        yield name, f"{mine:.1f} ms", f"{theirs:,.0f} ms", f"{theirs / mine:,.0f}x"


def exports(seeded: Seeded, rows: int) -> Iterator[Line]:
    """Rows a second, and how much memory grows meanwhile; the naive form holds what it writes."""
    zone = ZoneInfo("Europe/Berlin")
    for kind in ("csv", "jsonl"):
        pieces = export_rows(
            kind="calls", filters=CallFilters(), format=kind, zone=zone, actor=seeded.auditor, limit=rows
        )
        ours, grown = _drain(pieces)
        naive, held = _drain(_export_naively(rows)) if kind == "csv" else (0.0, 0.0)
        rate = min(rows, seeded.calls) / ours
        name = f"{kind} of {min(rows, seeded.calls):,} calls"
        yield (
            name,
            f"{rate:,.0f} rows/s, +{grown:.0f} MiB",
            f"+{held:.0f} MiB" if naive else "",
            f"{naive / ours:.1f}x" if naive else "",
        )


def removals(seconds: float) -> Iterator[Line]:
    """Retention of calls and decisions, resting after each batch as long as it took."""
    settings.KEEP_DAYS = {"calls": DAYS - 10, "decisions": DAYS - 10, "events": None, "usage": None}
    started = time.perf_counter()
    removed = remove_old_rows(seconds=seconds)
    yield "rows removed a second", f"{removed / (time.perf_counter() - started):,.0f}/s", "", ""


def _drain(pieces: Iterator[bytes]) -> tuple[float, float]:
    started, before, most = time.perf_counter(), _resident(), 0.0
    for number, _ in enumerate(pieces):
        if number % 50 == 0:
            most = max(most, _resident())
    return time.perf_counter() - started, max(most, _resident()) - before


def _export_naively(rows: int) -> Iterator[bytes]:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows(list(CallRecord.objects.order_by("-pk").values_list()[:rows]))
    yield text.getvalue().encode()


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 2**20
