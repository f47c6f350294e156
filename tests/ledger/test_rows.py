"""A row of the ledger equals what the raw rows say, and reading many costs no more queries than reading one."""

from datetime import timedelta

import pytest
from django.db import connection as database
from django.db.models import Max
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from connectors.audit.models import CallRecord
from connectors.catalogue.models import Connector
from connectors.ledger.disposition import Suggestion, decide_disposition
from connectors.ledger.entry import Writing, write_entry
from connectors.ledger.queries import count_affected, find_affected
from connectors.ledger.rows import ledger_row, ledger_rows
from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant
from tests.builders.logs import make_call
from tests.builders.people import make_administrator, make_team, make_user

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
ERRORS = ("tool_error", "failed", "unknown")


@pytest.fixture
def connector():
    return make_connector("notes")


def use(connector, *, ago=DAY, person=None, **fields):
    person = person or make_user()
    account = connector.connections.filter(person=person).first() or make_connection(person, connector)
    fields.setdefault("upstream_tool", "search_notes")
    make_call(person, connection=account, at=timezone.now() - ago, **fields)
    return person


def raw(key, days, **narrowed):
    since = (timezone.now() - timedelta(days=days)).replace(minute=0, second=0, microsecond=0)
    return CallRecord.objects.filter(connector_key=key, started_at__gte=since, **narrowed)


def test_calls_errors_and_last_use_are_those_of_the_log(connector):
    person = make_user()
    for days in (0, 1, 6, 8, 29, 31, 89, 91):
        use(connector, ago=days * DAY, person=person)
        use(connector, ago=days * DAY, person=person, outcome=ERRORS[days % 3])
    use(make_connector("other"))
    row = ledger_row(connector)
    for use_of, days in ((row.week, 7), (row.month, 30), (row.quarter, 90)):
        assert use_of.calls == raw("notes", days).count()
        assert use_of.errors == raw("notes", days, outcome__in=ERRORS).count()
    assert (
        row.last_used_at
        == CallRecord.objects.filter(connector_key="notes").aggregate(Max("started_at"))["started_at__max"]
    )
    assert row.last_used_by == person.name
    assert sum(row.daily) == raw("notes", 30).count() or sum(row.daily) == raw("notes", 31).count()
    assert len(row.daily) == 31


def test_one_that_nobody_used_has_zeros_and_no_quantile(connector):
    row = ledger_row(connector)
    assert (row.week.calls, row.quarter.errors, row.p95_us, row.last_used_by) == (0, 0, None, "")
    assert set(row.daily) == {0}
    assert row.tools.unused == row.tools.never == ("search_notes", "add_note", "delete_note")


def test_tools_are_allowed_used_within_a_quarter_and_never_used(connector):
    use(connector, upstream_tool="search_notes")
    use(connector, upstream_tool="add_note", ago=100 * DAY)
    use(connector, upstream_tool="not_allowed_any_more")
    tools = ledger_row(connector).tools
    assert (tools.allowed, tools.used) == (3, 1)
    assert tools.unused == ("add_note", "delete_note")
    assert tools.never == ("delete_note",)


def test_people_are_those_who_see_it_counted_once_and_active():
    both, member, gone = make_user(), make_user(), make_user(is_active=False)
    team = make_team("Team", both, member, gone)
    narrow = make_connector(everyone=False, teams=[team], people=[both, make_user()])
    wide = make_connector()
    rows = ledger_rows([narrow, wide])
    assert rows[narrow.pk].people == 3
    assert rows[wide.pk].people == 3


def test_agents_are_those_that_were_granted_something_and_are_not_retired(connector):
    owner = make_user()
    account, other = make_connection(owner, connector, alias="a"), make_connection(owner, connector, alias="b")
    busy, _token = make_agent(owner)
    make_grant(busy, account)
    make_grant(busy, other)
    retired, _token = make_agent(owner)
    make_grant(retired, account)
    retired.retired_at = timezone.now()
    retired.save()
    idle, _token = make_agent(owner)
    make_grant(idle, account, breadth="none")
    row = ledger_row(connector)
    assert (row.agents, row.connections) == (1, 2)


def granted(owner, connector):
    agent, _token = make_agent(owner)
    make_grant(agent, make_connection(owner, connector))
    return owner


def test_agents_have_access_while_their_owner_is_active_and_sees_the_connector():
    """A grant outlives both, and opens nothing then; whoever cannot use it is not affected either when it dies."""
    team = make_team("Team", make_user())
    connector = make_connector(everyone=False, teams=[team])
    member, named, left, hidden = (granted(make_user(), connector) for _ in range(4))
    team.members.add(member, left)
    connector.people.add(named, member)
    left.is_active = False
    left.save()
    assert ledger_row(connector).agents == 2
    affected = find_affected(connector)
    assert {person.pk for person in affected.people} == {member.pk, named.pk}
    assert {agent.owner_id for agent in affected.agents} == {member.pk, named.pk}
    assert count_affected([connector.pk]) == {connector.pk: (2, 2)}
    assert hidden not in affected.people


def test_the_owner_is_whoever_was_named_else_who_installed_it(connector):
    admin, mei = make_administrator("ann"), make_user("mei")
    Connector.objects.filter(pk=connector.pk).update(installed_by=admin)
    connector.refresh_from_db()
    assert ledger_row(connector).owner == admin
    writing = Writing(purpose="for notes", owner=mei, source="Mei")
    write_entry(connector=connector, writing=writing, expected_revision=0, actor=admin)
    row = ledger_row(connector)
    assert (row.owner, row.purpose, row.source) == (mei, "for notes", "Mei")


def test_the_disposition_is_the_one_that_holds_and_the_suggestion_is_todays(connector):
    use(connector)
    for verdict in ("keep", "observe"):
        suggestion = Suggestion("keep", "used_this_week", 1)
        decide_disposition(
            connector=connector, verdict=verdict, reason="why", suggestion=suggestion, actor=make_administrator()
        )
    row = ledger_row(connector)
    assert (row.disposition.verdict, row.suggestion.verdict) == ("observe", "keep")


def test_many_rows_cost_as_many_queries_as_one():
    def read(connectors):
        ledger_rows(connectors)  # what a process keeps of immutable package versions is read once
        with CaptureQueriesContext(database) as captured:
            rows = ledger_rows(connectors)
        return len(captured), rows

    connectors = [make_connector(everyone=False) for _ in range(12)]
    for connector in connectors:
        use(connector)
    one, _rows = read(connectors[:1])
    many, rows = read(connectors)
    assert many == one
    assert all(row.week.calls == 1 for row in rows.values())
