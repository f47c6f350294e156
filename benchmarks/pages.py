"""Page times with 200 connectors, 5,000 connections and many calls, in a database made for the run.

    python benchmarks/pages.py [--calls 100000] [--rounds 30] [--database URL]

Without --database it is SQLite in a folder made for the run, else a database made for the run on that PostgreSQL
server. Pages are asked for through Django's own client: routing, middleware, queries and templates count, sockets do
not. The calls page stands beside its naive form (COUNT(*) and OFFSET, the same template) in the same run. Aim: p95
under 150 ms with 1,000,000 calls.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urlsplit, urlunsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
_folder = tempfile.TemporaryDirectory(prefix="poco-pages-")
(Path(_folder.name) / "static").mkdir()
os.environ |= {"POCO_VAR_DIR": _folder.name, "DJANGO_SETTINGS_MODULE": "poco.settings", "LOG_LEVEL": "ERROR"}
os.environ.pop("DATABASE_URL", None)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--database", default="")
    return parser.parse_args()


OPTIONS = _arguments()
NAME = f"poco_pages_{os.getpid()}"
if OPTIONS.database:
    os.environ["DATABASE_URL"] = urlunsplit(urlsplit(OPTIONS.database)._replace(path=f"/{NAME}"))

import django  # noqa: E402 - the environment comes first

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.paginator import Paginator  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.urls import include, path, reverse  # noqa: E402

from benchmarks.audit_rows import Whose, load  # noqa: E402
from connectors.access.models import Agent, User  # noqa: E402
from connectors.audit.models import CallRecord  # noqa: E402
from connectors.authorization.models import Connection  # noqa: E402
from connectors.catalogue.models import Connector  # noqa: E402
from connectors.console.answer import answer  # noqa: E402
from connectors.console.connector_columns import COLUMNS  # noqa: E402
from connectors.console.logs.kinds import ALL_CALLS  # noqa: E402
from connectors.console.logs.lines import word_calls  # noqa: E402
from connectors.console.logs.listing import fill_rows  # noqa: E402
from connectors.console.logs.log_pages import read_log_page  # noqa: E402
from tests.builders.connectors import TEXTS, make_agent, make_connection, make_connector, make_grant, make_manifest  # noqa: E402
from tests.builders.people import make_administrator, make_user  # noqa: E402

CONNECTORS, PEOPLE, ACCOUNTS = 200, 500, 10
AIM_MS = 150
CATEGORIES = ("office", "development", "finance", "support", "data")


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
    load(calls, Whose(people, agents, accounts), lambda told: print(told, flush=True))
    connection.cursor().execute("ANALYZE")
    middle = CallRecord.objects.order_by("id")[calls // 2]
    return Seeded(administrator, people[0], agents[0], accounts[0][0], middle, calls)


def _seed_connector(number: int) -> Connector:
    english = TEXTS["en"] | {"name": f"Service {number}", "description": f"Looks after matter {number} of the company."}
    texts = {"en": english, "zh-CN": TEXTS["zh-CN"] | {"name": f"服务 {number}"}}
    rules = [{"tool": f"search_{topic}", "effect": "read", "retry": "safe"} for topic in range(30)]
    manifest = make_manifest(f"service{number}", rules=rules)
    manifest["presentation"]["category"] = CATEGORIES[number % len(CATEGORIES)]
    return make_connector(f"service{number}", texts=texts, manifest=manifest)


def _connect(person: User, connectors: list[Connector]) -> list[Connection]:
    return [make_connection(person, connector) for connector in random.sample(connectors, ACCOUNTS)]


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
    yield from catalogue_pages(seeded)
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


def catalogue_pages(seeded: Seeded) -> Iterator[tuple[str, User, str]]:
    """The administrator's catalogue; the list in each of its shapes."""
    ann, admin = seeded.person, seeded.administrator
    listed = reverse("console:connector_list")
    yield "connectors, by name", admin, f"{listed}?sort=name"
    yield "connectors, most called first", admin, f"{listed}?sort=-calls"
    yield "connectors, every column", admin, f"{listed}?" + "&".join(f"columns={one.name}" for one in COLUMNS)
    yield "connectors, a search with a slip", admin, f"{listed}?q=servcie+17"
    yield "connectors, the last page", admin, f"{listed}?after=service99"
    chosen = "&".join(f"connector=service{number}" for number in range(50))
    yield "bulk, 50 connectors", admin, reverse("console:connector_bulk") + f"?act=publish&{chosen}"
    yield "categories", admin, reverse("console:categories")
    yield "view as, the catalogue", admin, reverse("console:view_as_catalogue", args=[ann.pk])
    yield "view as, a connector", admin, reverse("console:view_as_connector", args=[ann.pk, "service7"])
    for tab in ("overview", "configuration", "visibility", "connections", "skills"):
        yield f"connector's {tab}", admin, reverse(f"console:connector_{tab}", args=["service7"])


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


@contextmanager
def database() -> Iterator[None]:
    """Make the PostgreSQL database and drop it again; SQLite's goes with its folder."""
    if not OPTIONS.database:
        yield
        return
    import psycopg  # noqa: PLC0415 - only where it is needed

    with psycopg.connect(OPTIONS.database, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {NAME}")
    try:
        yield
    finally:
        with psycopg.connect(OPTIONS.database, autocommit=True) as server:
            server.execute(f"DROP DATABASE {NAME} WITH (FORCE)")


def main() -> None:
    random.seed(20)
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    settings.ROOT_URLCONF = __name__
    print(f"{connection.vendor}, {OPTIONS.calls:,} calls")
    made = f"seeded {CONNECTORS} connectors, {PEOPLE * ACCOUNTS:,} connections, {OPTIONS.calls:,} calls and decisions"
    seeded = _timed(made, lambda: seed(OPTIONS.calls))
    print(f"\n{'page':34} {'p50 ms':>9} {'p95 ms':>9} {'CPU ms':>9} {'queries':>8}")
    for name, person, url in pages(seeded):
        report(measure(name, person, url, OPTIONS.rounds))


if __name__ == "__main__":
    with database():
        main()
