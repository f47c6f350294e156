"""What `benchmarks/pages.py` asks its pages of: a console in use, the same each time. Needs Django."""

import random
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from benchmarks.audit_rows import Whose, load
from benchmarks.audit_seed import write_some
from connectors.access.models import Agent, User
from connectors.audit.models import CallRecord
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from connectors.ledger.models import Disposition, LedgerEntry, Notice, Probe, ProbeDay, Review
from connectors.ledger.review import start_review
from connectors.packages.staging import stage_package
from tests.builders.connectors import (
    TEXTS,
    make_agent,
    make_connection,
    make_connector,
    make_grant,
    make_manifest,
    make_version,
)
from tests.builders.packages import build_manifest, build_package
from tests.builders.people import make_administrator, make_user

CONNECTORS, PEOPLE, ACCOUNTS = 200, 500, 10
CATEGORIES = ("office", "development", "finance", "support", "data")
UPDATED = "service7"  # the connector with an older version, and a newer one handed in


@dataclass(frozen=True)
class Seeded:
    administrator: User
    person: User
    agent: Agent
    connection: Connection
    middle: CallRecord
    review: uuid.UUID
    staged: uuid.UUID
    calls: int


def seed(calls: int, say: Callable[[str], None]) -> None:
    random.seed(20)
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    with transaction.atomic():
        administrator = make_administrator("admin")
        connectors = [_seed_connector(number, administrator) for number in range(CONNECTORS)]
        people = [make_user(f"person{number}") for number in range(PEOPLE)]
        agents = [make_agent(person, "Claude Code")[0] for person in people]
        accounts = [_connect(person, connectors) for person in people]
        for agent, connections in zip(agents, accounts, strict=True):
            for one in connections[:5]:
                make_grant(agent, one)
        for number, connector in enumerate(connectors):
            _write_down(connector, number, administrator)
    for number in range(4):
        make_agent(people[0], f"Script {number}")
    start_review(connectors=connectors, names={each.pk: each.key for each in connectors}, actor=administrator)
    whose = Whose(people, agents, accounts)
    load(calls, whose, say)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if connection.vendor == "sqlite" else "VACUUM ANALYZE")
    write_some(whose, 300)  # calls that no rollup holds yet


def recall() -> Seeded:
    """Return what a database was seeded with, and an upload: one expires soon."""
    administrator = User.objects.get(username="admin")
    person = User.objects.get(username="person0")
    calls = CallRecord.objects.count()
    return Seeded(
        administrator=administrator,
        person=person,
        agent=Agent.objects.get(owner=person, name="Claude Code"),
        connection=Connection.objects.filter(person=person).select_related("connector").order_by("pk")[0],
        middle=CallRecord.objects.order_by("id")[calls // 2],
        review=Review.objects.get().pk,
        staged=_stage(administrator),
        calls=calls,
    )


def _seed_connector(number: int, administrator: User) -> Connector:
    english = TEXTS["en"] | {"name": f"Service {number}", "description": f"Looks after matter {number} of the company."}
    texts = {"en": english, "zh-CN": TEXTS["zh-CN"] | {"name": f"服务 {number}"}}
    rules = [{"tool": f"search_{topic}", "effect": "read", "retry": "safe"} for topic in range(30)]
    manifest = make_manifest(f"service{number}", rules=rules)
    manifest["presentation"]["category"] = CATEGORIES[number % len(CATEGORIES)]
    connector = make_connector(f"service{number}", texts=texts, manifest=manifest, published=number % 10 != 9)
    connector.installed_by = administrator
    connector.save()
    if connector.key == UPDATED:
        make_version(manifest | {"package_version": "0.9.0"}, texts=texts)
    return connector


def _connect(person: User, connectors: list[Connector]) -> list[Connection]:
    return [make_connection(person, connector) for connector in random.sample(connectors, ACCOUNTS)]


def _write_down(connector: Connector, number: int, administrator: User) -> None:
    """What people and probes know: of every connector its endpoint, of most a purpose, of every third a decision."""
    now = timezone.now()
    failing = number % 25 == 0
    Probe.objects.create(
        connector=connector,
        outcome=Probe.Outcome.FAILED if failing else Probe.Outcome.LISTED,
        probed_at=now,
        failing_since=now - timedelta(days=2) if failing else None,
        failures=5 if failing else 0,
        stage="tcp" if failing else "",
        code="unavailable" if failing else "",
        context_tokens=900 + number,
    )
    days = [now.date() - timedelta(days=day) for day in range(30)]
    ProbeDay.objects.bulk_create(ProbeDay(connector=connector, day=day, asked=24, answered=23) for day in days)
    if failing:
        Notice.objects.create(
            kind=Notice.Kind.CONNECTOR_DEAD, subject=connector.key, connector=connector, opened_at=now
        )
    if number % 5:
        LedgerEntry.objects.create(connector=connector, purpose=f"What team {number} works with.", owner=administrator)
    if number % 3 == 0:
        Disposition.objects.create(
            connector=connector,
            verdict=("keep", "observe")[number % 2],
            suggested="keep",
            decided_by=administrator,
            decided_by_name=administrator.name,
            decided_at=now,
            next_review_on=now.date() + timedelta(days=90),
        )


def _stage(administrator: User) -> uuid.UUID:
    """Hand in the next version of one connector."""
    with tempfile.TemporaryDirectory() as folder:
        manifest = build_manifest(key=UPDATED, package_version="2.0.0")
        archive = build_package(Path(folder) / "package.zip", manifest=manifest)
        return stage_package(owner=administrator, file_name="package.zip", chunks=[archive.read_bytes()]).pk
