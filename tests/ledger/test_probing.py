"""Endpoints are asked gently, and what they answer is kept truthfully."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db.models import Sum
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from connectors.catalogue.models import Connector
from connectors.ledger.health_mark import HealthMark, mark_health
from connectors.ledger.models import Probe, ProbeDay
from connectors.ledger.probe_record import Finding, record_finding, split_by_day
from connectors.ledger.probing import ask_soon, next_due, probe_due
from tests.builders.connectors import make_connector
from tests.builders.packages import build_program_manifest
from tests.fakes.mcp_server import McpServer, tool
from tests.flows.product import free_port

NOW = datetime(2026, 3, 29, 12, tzinfo=UTC)
GOOD = Finding(Probe.Outcome.LISTED)
FAILED = Finding(Probe.Outcome.FAILED, "tcp", "unavailable")
pytestmark = pytest.mark.django_db


def probed(connector: Connector) -> Probe:
    probe_due()
    return Probe.objects.get(pk=connector.pk)


def age(probe: Probe, **times: timedelta) -> None:
    Probe.objects.filter(pk=probe.pk).update(**{name: timezone.now() - ago for name, ago in times.items()})


def test_a_server_that_lists_its_tools_answers():
    with McpServer([tool("one")]) as server:
        probe = probed(make_connector(endpoint=server.url))
        assert server.hits["tools/list"] == 1
    assert (probe.outcome, probe.failures, probe.failing_since) == ("listed", 0, None)
    assert probe.last_good_at == probe.probed_at
    assert mark_health(probe) == HealthMark.ANSWERS


@pytest.mark.parametrize("knobs", [{"key": ("Authorization", "Bearer k")}, {"forbid": True}])
def test_a_server_that_asks_for_a_credential_answers_and_says_so(knobs):
    with McpServer([tool("one")], **knobs) as server:
        probe = probed(make_connector(endpoint=server.url, static=True))
        assert not server.hits["tools/list"]
    assert (probe.outcome, probe.stage) == ("asks_authorization", "authorization")
    assert mark_health(probe) == HealthMark.ASKS


def test_a_server_that_is_not_there_fails_at_a_stage():
    probe = probed(make_connector(endpoint=f"http://127.0.0.1:{free_port()}/mcp"))
    assert (probe.outcome, probe.stage, probe.failures) == ("failed", "tcp", 1)
    assert probe.failing_since == probe.probed_at
    assert probe.last_good_at is None


def test_a_program_has_nothing_to_ask():
    connector = make_connector(manifest=build_program_manifest(key="booking"), texts={"en": {}})
    assert probed(connector).outcome == "nothing_to_ask"
    assert not ProbeDay.objects.exists()


def test_what_is_not_due_off_or_not_published_is_left_alone():
    with McpServer() as server:
        probed(make_connector(endpoint=server.url))
        off, draft = make_connector(endpoint=server.url), make_connector(endpoint=server.url, published=False)
        Probe.objects.create(connector=off, enabled=False, due_at=timezone.now())
        Probe.objects.create(connector=draft, due_at=timezone.now())
        server.hits.clear()
        assert probe_due() == 0
        assert not server.hits


def test_asking_soon_asks_at_the_next_sweep():
    with McpServer() as server:
        connector = make_connector(endpoint=server.url)
        probed(connector)
        ask_soon(connector)
        assert probe_due() == 1


def test_failing_since_is_the_first_failure_and_ends_with_the_first_answer():
    with McpServer() as server:
        connector = make_connector(endpoint=server.url, static=True)
        server.knobs.html = True
        first = probed(connector).failing_since
        ask_soon(connector)
        assert probed(connector).failing_since == first
        server.knobs.html = False
        ask_soon(connector)
        probe = probed(connector)
    assert (probe.failing_since, probe.failures, probe.outcome) == (None, 0, "listed")


def test_another_configuration_begins_anew():
    connector = make_connector(endpoint="http://127.0.0.1:1/mcp")
    age(probed(connector), failing_since=timedelta(days=30))
    Connector.objects.filter(pk=connector.pk).update(configuration_revision=2)
    ask_soon(connector)
    probe = probed(connector)
    assert probe.failures == 1
    assert timezone.now() - probe.failing_since < timedelta(minutes=1)


def test_one_that_fails_for_the_set_days_is_dead_and_not_before(settings):
    settings.DEAD_AFTER_DAYS = 3
    asked = NOW + timedelta(days=3)
    probe = Probe(outcome="failed", failing_since=NOW, probed_at=asked - timedelta(seconds=1))
    assert mark_health(probe) == HealthMark.FAILING
    probe.probed_at = asked
    assert mark_health(probe) == HealthMark.DEAD


def test_an_endpoint_that_nobody_asks_any_more_does_not_die_of_it():
    """One failure, and then the worker was off: nobody knows."""
    since = timezone.now() - timedelta(days=40)
    assert mark_health(Probe(outcome="failed", failing_since=since, probed_at=since)) == HealthMark.FAILING


def test_failing_before_and_after_a_long_silence_of_the_worker_is_not_failing_all_the_while():
    connector = make_connector()
    probe = Probe.objects.create(connector=connector, outcome="failed", failures=1, configuration_revision=1)
    age(probe, probed_at=timedelta(days=30), failing_since=timedelta(days=30))
    record_finding(connector.pk, 1, FAILED, next_due=next_due)
    probe.refresh_from_db()
    assert (probe.failures, probe.failing_since) == (1, probe.probed_at)


@pytest.mark.parametrize(("found", "hours"), [("listed", 7.7), ("failed", 0.8)])
def test_a_worker_that_was_off_for_a_day_leaves_it_neither_up_nor_down(found, hours):
    """What was found holds until it would have been asked again: 6 hours, or a quarter of one, and what is fair."""
    connector = make_connector()
    probe = Probe.objects.create(connector=connector, outcome=found, failures=1, configuration_revision=1)
    age(probe, probed_at=timedelta(days=1), failing_since=timedelta(days=1))
    record_finding(connector.pk, 1, GOOD, next_due=next_due)
    counted = ProbeDay.objects.filter(connector=connector).aggregate(Sum("up_seconds"), Sum("down_seconds"))
    known = counted["up_seconds__sum" if found == "listed" else "down_seconds__sum"]
    assert known == pytest.approx(3600 * hours, abs=60)
    assert sum(counted.values()) == known


def test_time_between_two_askings_counts_as_what_the_first_found():
    connector = make_connector()
    probe = Probe.objects.create(connector=connector, outcome="listed", configuration_revision=1)
    age(probe, probed_at=timedelta(hours=1))
    record_finding(connector.pk, 1, FAILED, next_due=next_due)
    age(probe, probed_at=timedelta(minutes=30))
    record_finding(connector.pk, 1, GOOD, next_due=next_due)
    days = ProbeDay.objects.filter(connector=connector)
    assert sum(day.up_seconds for day in days) == pytest.approx(3600, abs=5)
    assert sum(day.down_seconds for day in days) == pytest.approx(1800, abs=5)
    assert (sum(day.asked for day in days), sum(day.answered for day in days)) == (2, 1)


@given(st.integers(0, 30_000_000), st.integers(0, 300_000))
def test_a_stretch_of_time_is_split_into_days_that_add_up(after, seconds):
    start = NOW + timedelta(seconds=after)
    parts = list(split_by_day(start, start + timedelta(seconds=seconds)))
    assert sum(amount for _, amount in parts) == seconds
    assert [day for day, _ in parts] == sorted({day for day, _ in parts})
    assert all(0 < amount <= 86_400 for _, amount in parts)


def test_askings_are_jittered_and_come_later_after_failures(settings):
    settings.PROBE_MINUTES = 360
    good = [next_due(GOOD, 0, NOW) - NOW for _ in range(50)]
    assert min(good) >= timedelta(minutes=288)
    assert max(good) <= timedelta(minutes=432)
    assert len(set(good)) > 40
    middles = [timedelta(minutes=15) * 2**n for n in range(7)] + [timedelta(days=1)] * 8
    for failures, middle in enumerate(middles, start=1):
        wait = next_due(FAILED, failures, NOW) - NOW
        assert 0.79 * middle <= wait <= 1.21 * middle


def test_two_days_around_midnight():
    parts = list(split_by_day(datetime(2026, 3, 1, 23, tzinfo=UTC), datetime(2026, 3, 2, 2, tzinfo=UTC)))
    assert parts == [(date(2026, 3, 1), 3600), (date(2026, 3, 2), 7200)]
