"""Page times with 200 connectors, 5,000 connections and many calls, on a SQLite database made for the run.

    python benchmarks/pages.py [--calls 100000] [--rounds 30]

Pages are asked for through Django's own client: routing, middleware, queries and templates count, sockets do not. The
calls page stands beside its naive form (COUNT(*) and OFFSET, the same template) in the same run. Aim: p95 under 150 ms
with 1,000,000 calls.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
_folder = tempfile.TemporaryDirectory(prefix="poco-pages-")
(Path(_folder.name) / "static").mkdir()
os.environ |= {"POCO_VAR_DIR": _folder.name, "DJANGO_SETTINGS_MODULE": "poco.settings", "LOG_LEVEL": "ERROR"}
os.environ.pop("DATABASE_URL", None)

import django  # noqa: E402 - the environment comes first

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.paginator import Paginator  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.db.models import Model  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.urls import include, path, reverse  # noqa: E402
from django.utils import timezone  # noqa: E402

from connectors.access.models import Agent, User  # noqa: E402
from connectors.audit.models import CallRecord, DecisionRecord  # noqa: E402
from connectors.authorization.models import Connection  # noqa: E402
from connectors.catalogue.models import Connector  # noqa: E402
from connectors.console.answer import answer  # noqa: E402
from connectors.console.logs.kinds import ALL_CALLS  # noqa: E402
from connectors.console.logs.lines import word_calls  # noqa: E402
from connectors.console.logs.listing import fill_rows  # noqa: E402
from connectors.console.logs.log_pages import read_log_page  # noqa: E402
from tests.builders.connectors import TEXTS, make_agent, make_connection, make_connector, make_grant  # noqa: E402
from tests.builders.logs import uuid_at  # noqa: E402
from tests.builders.people import make_administrator, make_user  # noqa: E402

CONNECTORS, PEOPLE, ACCOUNTS = 200, 500, 10
AIM_MS = 150
DRAWN = 20_000  # rows that are drawn by lot; the others repeat them
OUTCOMES = ["succeeded"] * 90 + ["tool_error"] * 6 + ["failed"] * 3 + ["unknown"]


@dataclass(frozen=True)
class Seeded:
    administrator: User
    person: User
    agent: Agent
    connection: Connection
    middle: CallRecord
    calls: int


@dataclass(frozen=True)
class Timed:
    name: str
    milliseconds: list[float]
    cpu_ms: float  # of this process, which a shared machine hardly moves
    queries: int


def naive_calls(request: HttpRequest) -> HttpResponse:
    """What the calls page would be with a page number and a count."""
    whole = read_log_page(ALL_CALLS, request.GET, request.user)  # type: ignore[arg-type] # signed in
    page = Paginator(CallRecord.objects.order_by("-started_at"), 50).get_page(request.GET.get("page"))
    rows = fill_rows(word_calls(page, request.user), whole.listed.columns)  # type: ignore[arg-type]
    whole = replace(whole, listed=replace(whole.listed, rows=rows), counted=f"{page.paginator.count}")
    return answer(request, "console/logs/list.html", {"page": whole, "log": ALL_CALLS})


urlpatterns = [path("naive/calls/", naive_calls), path("", include("poco.urls"))]


def seed(calls: int) -> Seeded:
    with transaction.atomic():
        connectors = [_seed_connector(number) for number in range(CONNECTORS)]
        administrator = make_administrator("admin")
        people = [make_user(f"person{number}") for number in range(PEOPLE)]
        agents = [make_agent(person, "Claude Code")[0] for person in people]
        accounts = [_connect(person, connectors) for person in people]
        for agent, connections in zip(agents, accounts, strict=True):
            for one in connections[:5]:
                make_grant(agent, one)
    for _ in range(4):
        make_agent(people[0])
    _seed_logs(calls, list(zip(people, agents, accounts, strict=True)))
    connection.cursor().execute("ANALYZE")
    middle = CallRecord.objects.order_by("id")[calls // 2]
    return Seeded(administrator, people[0], agents[0], accounts[0][0], middle, calls)


def _seed_connector(number: int) -> Connector:
    english = TEXTS["en"] | {"name": f"Service {number}", "description": f"Looks after matter {number} of the company."}
    texts = {"en": english, "zh-CN": TEXTS["zh-CN"] | {"name": f"服务 {number}"}}
    rules = [{"tool": f"search_{topic}", "effect": "read", "retry": "safe"} for topic in range(30)]
    return make_connector(f"service{number}", texts=texts, rules=rules)


def _connect(person: User, connectors: list[Connector]) -> list[Connection]:
    return [make_connection(person, connector) for connector in random.sample(connectors, ACCOUNTS)]


def _seed_logs(calls: int, whose: list[tuple[User, Agent, list[Connection]]]) -> None:
    """Write the latest rows one by one, then repeat them back in time: 90 days in all."""
    drawn = min(calls, DRAWN)
    copies = -(-calls // drawn)
    stretch = timedelta(days=90) / copies
    start = timezone.now() - stretch
    pairs = [_rows(start + stretch * number / drawn, *random.choice(whose)) for number in range(drawn)]
    with transaction.atomic():
        DecisionRecord.objects.bulk_create([decision for decision, _call in pairs], batch_size=500)
        CallRecord.objects.bulk_create([call for _decision, call in pairs], batch_size=500)
    connection.connection.create_function("shifted", 2, lambda key, by: f"{int(key[:12], 16) - by:012x}{key[12:]}")
    for number in range(1, copies):
        with transaction.atomic():
            _repeat(DecisionRecord, drawn, stretch * number, ids={"id"}, times={"at"})
            _repeat(CallRecord, drawn, stretch * number, ids={"id", "decision_id"}, times={"started_at", "ended_at"})


def _repeat(table: type[Model], drawn: int, back: timedelta, *, ids: set[str], times: set[str]) -> None:
    """Copy the drawn rows to an earlier time inside the database; a UUIDv7 begins with its milliseconds."""
    milliseconds = back // timedelta(milliseconds=1)

    def shift(column: str) -> str:
        if column in ids:
            return f"shifted({column}, {milliseconds})"
        if column in times:
            return f"strftime('%Y-%m-%d %H:%M:%f', {column}, '-{milliseconds / 1000} seconds')"
        return column

    meta = table._meta  # noqa: SLF001 - Django's documented way to a table's columns
    columns = [field.column for field in meta.local_fields]
    copied = f"SELECT {', '.join(map(shift, columns))} FROM {meta.db_table} WHERE rowid <= {drawn}"
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {meta.db_table} ({', '.join(columns)}) {copied}")


def _rows(at: datetime, person: User, agent: Agent, connections: list[Connection]) -> tuple[DecisionRecord, CallRecord]:
    used = random.choice(connections)
    subject = {
        "person_id": person.pk,
        "person_name": person.name,
        "agent_id": agent.pk,
        "agent_name": agent.name,
        "remote_address": "192.0.2.7",
        "connector_key": used.connector.key,
        "package_version": "1.0.0",
        "connection_id": used.pk,
        "tool": f"{used.connector.key}__search_{random.randrange(30)}",
        "effect": "read",
    }
    elapsed = int(random.lognormvariate(11, 1))
    decision = DecisionRecord(id=uuid_at(at), at=at, allowed=random.random() < 0.95, rule="granted", **subject)
    call = CallRecord(
        id=uuid_at(at),
        decision_id=decision.pk,
        started_at=at,
        ended_at=at + timedelta(microseconds=elapsed),
        elapsed_us=elapsed,
        upstream_us=elapsed,
        arguments_bytes=200,
        arguments_digest="a" * 64,
        result_bytes=2_000,
        result_digest="b" * 64,
        outcome=random.choice(OUTCOMES),
        **subject,
    )
    return decision, call


def pages(seeded: Seeded) -> Iterator[tuple[str, User, str]]:
    """Every main page: its name, who asks, and the address."""
    ann, admin, middle = seeded.person, seeded.administrator, seeded.middle
    yield "home, person", ann, reverse("console:home")
    yield "home, administrator", admin, reverse("console:home")
    yield "catalogue, 200 connectors", ann, reverse("console:catalogue")
    yield "catalogue, a search with a slip", ann, reverse("console:catalogue") + "?q=servcie+17"
    yield "connector", ann, reverse("console:catalogue_connector", args=[seeded.connection.connector.key])
    yield "my connections", ann, reverse("console:connections")
    yield "connection", ann, reverse("console:connection", args=[seeded.connection.pk])
    yield "my agents", ann, reverse("console:agents")
    yield "agent and its grants", ann, reverse("console:agent", args=[seeded.agent.pk])
    yield "my calls", ann, reverse("console:my_calls")
    yield "my decisions", ann, reverse("console:my_decisions")
    yield "connectors, administrator", admin, reverse("console:connector_list")
    yield "people", admin, reverse("console:people")
    audit = reverse("console:audit_calls")
    yield "calls, newest", admin, audit
    yield "calls, in the middle", admin, f"{audit}?after={middle.pk}"
    yield "calls of a person", admin, f"{audit}?person={ann.username}"
    yield "calls of a connector", admin, f"{audit}?connector=service7"
    yield "calls that failed", admin, f"{audit}?outcome=failed"
    yield "calls of the last 7 days", admin, f"{audit}?range=7d"
    yield "decisions, newest", admin, reverse("console:audit_decisions")
    yield "decisions that denied", admin, reverse("console:audit_decisions") + "?allowed=no"
    yield "admin events", admin, reverse("console:admin_events")
    yield "one call", admin, reverse("console:call", args=[middle.pk])
    yield "naive calls, first page", admin, "/naive/calls/"
    yield "naive calls, in the middle", admin, f"/naive/calls/?page={seeded.calls // 100}"


def measure(name: str, person: User, url: str, rounds: int) -> Timed:
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
    with CaptureQueriesContext(connection) as captured:
        answered = client.get(url)
    queries = len(captured)
    if answered.status_code != 200:
        raise SystemExit(f"{name}: {url} answered {answered.status_code}")
    taken, busy = [], time.process_time()
    for _ in range(rounds):
        started = time.perf_counter()
        client.get(url)
        taken.append((time.perf_counter() - started) * 1000)
    return Timed(name, taken, (time.process_time() - busy) * 1000 / rounds, queries)


def report(timed: Timed) -> None:
    p95 = quantiles(timed.milliseconds, n=20)[-1]
    mark = "" if p95 < AIM_MS else f"  over {AIM_MS} ms"
    print(
        f"{timed.name:34} {median(timed.milliseconds):9.1f} {p95:9.1f} {timed.cpu_ms:9.1f} {timed.queries:8}{mark}",
        flush=True,
    )


def _timed[Result](what: str, act: Callable[[], Result]) -> Result:
    started = time.perf_counter()
    result = act()
    print(f"{what}: {time.perf_counter() - started:.1f} s", flush=True)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    random.seed(20)
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    settings.ROOT_URLCONF = __name__
    made = f"seeded {CONNECTORS} connectors, {PEOPLE * ACCOUNTS:,} connections, {options.calls:,} calls and decisions"
    seeded = _timed(made, lambda: seed(options.calls))
    print(f"\n{'page':34} {'p50 ms':>9} {'p95 ms':>9} {'CPU ms':>9} {'queries':>8}")
    for name, person, url in pages(seeded):
        report(measure(name, person, url, options.rounds))


if __name__ == "__main__":
    main()
