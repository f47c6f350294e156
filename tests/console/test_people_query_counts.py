"""No page asks the database more as its list grows."""

import pytest
from django.core.cache import cache
from django.db import connection as database
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from connectors.gateway.models import Run
from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_administrator

pytestmark = pytest.mark.django_db
PAGES = (
    "home",
    "catalogue",
    "connections",
    "agents",
    "my_calls",
    "my_decisions",
    "audit_calls",
    "audit_decisions",
    "admin_events",
)


@pytest.fixture
def ann(client):
    person = make_administrator("ann")
    client.force_login(person)
    return person


def grow(person, rows):
    for _ in range(rows):
        connector = make_connector()
        connection = make_connection(person, connector)
        agent, _token = make_agent(person)
        make_grant(agent, connection)
        decision = make_decision(person, agent=agent, connection=connection)
        make_decision(person, agent=agent, connection=connection, allowed=False)
        make_call(person, agent=agent, connection=connection, decision=decision)


def count(client, url):
    cache.clear()
    with CaptureQueriesContext(database) as queries:
        assert client.get(url).status_code == 200
    return len(queries)


@pytest.mark.parametrize("route", PAGES)
def test_a_list_asks_as_often_for_twelve_rows_as_for_two(client, ann, route):
    url = reverse(f"console:{route}")
    grow(ann, 2)
    few = count(client, url)
    grow(ann, 10)

    assert count(client, url) <= few


def test_a_run_asks_as_often_for_twelve_rows_as_for_two(client, ann):
    agent, _token = make_agent(ann)
    run = Run.objects.create(agent=agent, person=ann, idle_ends_at=timezone.now())

    def grow_run(rows):
        for _ in range(rows):
            connection = make_connection(ann, make_connector())
            decision = make_decision(ann, agent=agent, connection=connection, run_id=run.pk)
            make_call(ann, agent=agent, connection=connection, decision=decision, run_id=run.pk)

    url = reverse("console:run", args=[run.pk])
    grow_run(2)
    few = count(client, url)
    grow_run(10)

    assert count(client, url) <= few


def test_a_connectors_calls_ask_as_often_for_twelve_rows_as_for_two(client, ann):
    connection = make_connection(ann, make_connector("ledger"))
    url = reverse("console:connector_calls", args=["ledger"])
    for _ in range(2):
        make_call(ann, connection=connection)
    few = count(client, url)
    for _ in range(10):
        make_call(ann, connection=connection)

    assert count(client, url) <= few


def test_an_agents_matrix_asks_as_often_for_twelve_connections_as_for_two(client, ann):
    grow(ann, 2)
    agent, _token = make_agent(ann)
    url = reverse("console:agent", args=[agent.pk])
    few = count(client, url)
    grow(ann, 10)

    assert count(client, url) <= few


def test_log_pages_neither_count_nor_skip_rows(client, ann):
    grow(ann, 3)
    client.get(reverse("console:home"))  # the bell counts, once in half a minute
    for route in ("my_calls", "audit_calls", "audit_decisions", "admin_events"):
        with CaptureQueriesContext(database) as queries:
            client.get(reverse(f"console:{route}"), {"after": "01900000-0000-7000-8000-000000000000"})
        statements = " ".join(query["sql"].upper() for query in queries)
        assert "COUNT(" not in statements
        assert "OFFSET" not in statements
