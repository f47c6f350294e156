"""What `benchmarks/audit.py` measures in: people, connectors, accounts and their logs. Needs Django."""

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from benchmarks.audit_rows import Whose, draw_day, load, make_key
from connectors.access.models import Agent, User
from connectors.audit.call_log import Entry, write_entries
from connectors.audit.models import CallRecord
from connectors.audit.recording import record_admin_event
from connectors.audit.rollups import roll_up
from connectors.audit.tally import floor_day
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from tests.builders.connectors import TEXTS, make_agent, make_connection, make_connector, make_grant
from tests.builders.people import make_administrator, make_auditor, make_user

CONNECTORS, PEOPLE, ACCOUNTS, EVENTS = 200, 500, 10, 2_000


@dataclass(frozen=True)
class Seeded:
    administrator: User
    auditor: User
    whose: Whose
    middle: CallRecord
    keys: list[str]
    since: datetime
    calls: int


def seed(calls: int, say: Callable[[str], None]) -> Seeded:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    with transaction.atomic():
        connectors = [_connector(number) for number in range(CONNECTORS)]
        administrator, auditor = make_administrator("admin"), make_auditor("auditor")
        people = [make_user(f"person{number}") for number in range(PEOPLE)]
        agents = [make_agent(person, "Claude Code")[0] for person in people]
        accounts = [[make_connection(one, used) for used in _drawn(connectors)] for one in people]
        for agent, connections in zip(agents, accounts, strict=True):
            for one in connections[:5]:
                make_grant(agent, one)
        for number in range(EVENTS):
            record_admin_event(
                actor=administrator,
                act="team_created",
                target_kind="team",
                target_id=number,
                target_name=f"Team {number}",
            )
    whose = Whose(people, agents, accounts)
    since = load(calls, whose, say)
    roll_up()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if connection.vendor == "sqlite" else "VACUUM ANALYZE")
    write_some(whose, 300)  # calls that no rollup holds yet
    return _seeded(administrator, auditor, whose, since)


def recall() -> Seeded:
    """Return what a kept database was seeded with; it is migrated first, to be measured as it would be now."""
    call_command("migrate", verbosity=0)
    agents = list(Agent.objects.select_related("owner").order_by("owner_id"))
    accounts = defaultdict(list)
    for one in Connection.objects.select_related("connector").order_by("pk"):
        accounts[one.person_id].append(one)
    whose = Whose([one.owner for one in agents], agents, [accounts[one.owner_id] for one in agents])
    since = floor_day(CallRecord.objects.order_by("pk")[0].started_at)
    return _seeded(User.objects.get(username="admin"), User.objects.get(username="auditor"), whose, since)


def _seeded(administrator: User, auditor: User, whose: Whose, since: datetime) -> Seeded:
    keys, calls = list(Connector.objects.order_by("pk").values_list("key", flat=True)), CallRecord.objects.count()
    middle = CallRecord.objects.order_by("id")[calls // 2]
    return Seeded(administrator, auditor, whose, middle, keys, since, calls)


def _connector(number: int) -> Connector:
    texts = {locale: words | {"name": f"Service {number}"} for locale, words in TEXTS.items()}
    rules = [{"tool": f"search_{topic}", "effect": "read", "retry": "safe"} for topic in range(30)]
    return make_connector(f"service{number}", texts=texts, rules=rules)


def _drawn(connectors: list[Connector]) -> list[Connector]:
    """A person's accounts: the popular connectors mostly."""
    weights = [1 / (rank + 1) ** 0.8 for rank in range(len(connectors))]
    chosen: dict[str, Connector] = {}
    while len(chosen) < ACCOUNTS:
        [one] = random.choices(connectors, weights=weights)
        chosen[one.key] = one
    return list(chosen.values())


def write_some(whose: Whose, calls: int, group: int = 32) -> int:
    pairs = list(draw_day(timezone.now() - timedelta(days=1), calls, whose))
    now = timezone.now()
    for decision, call in pairs:
        decision.id, decision.at = make_key(now), now
        call.id, call.decision_id, call.started_at, call.ended_at = make_key(now), decision.id, now, now
    for place in range(0, len(pairs), group):
        entries = [
            Entry(decision, call, (("Connection", call.connection_id),))
            for decision, call in pairs[place : place + group]
        ]
        failed = [error for error in write_entries(entries) if error]
        if failed:
            raise failed[0]
    return len(pairs)
