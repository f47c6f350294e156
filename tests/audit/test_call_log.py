"""Writing the logs: one transaction a group, nobody's failure anybody else's."""

import asyncio
import uuid
from datetime import UTC, datetime

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from connectors.audit.call_log import Entry, record_call, subject_of, write_entries
from connectors.audit.inserting import insert_rows
from connectors.audit.models import AdminEvent, CallRecord, DecisionRecord
from connectors.audit.recording import record_admin_event
from connectors.gateway.models import Run
from tests.builders.connectors import make_agent, make_connection, make_connector
from tests.builders.people import make_user

MOMENT = datetime(2026, 11, 29, 12, 30, 15, 123456, tzinfo=UTC)


def decision(**values) -> DecisionRecord:
    values = {"at": MOMENT, "allowed": True, "rule": "granted", "tool": "notes__search", **values}
    return DecisionRecord(**values)


def call(of: DecisionRecord, **values) -> CallRecord:
    values = {
        "started_at": MOMENT,
        "ended_at": MOMENT,
        "elapsed_us": 5,
        "arguments_bytes": 2,
        "arguments_digest": "a" * 64,
        "outcome": "succeeded",
        **values,
    }
    return CallRecord(**subject_of(of), decision_id=of.pk, **values)


@pytest.mark.django_db
def test_rows_come_back_as_they_were_written():
    row = decision(person_id=7, person_name="王", run_id=uuid.uuid4(), connection_id=None, reason="")
    insert_rows([row, decision()])
    kept = DecisionRecord.objects.get(pk=row.pk)
    fields = [field.attname for field in DecisionRecord._meta.concrete_fields]
    assert [getattr(kept, name) for name in fields] == [getattr(row, name) for name in fields]
    insert_rows([])
    assert DecisionRecord.objects.count() == 2


@pytest.mark.django_db
def test_a_call_copies_its_decisions_subject():
    first = decision(person_id=7, agent_id=uuid.uuid4(), connector_key="notes", trace_id="t")
    write_entries([Entry(first, call(first))])
    kept = CallRecord.objects.get()
    assert subject_of(kept) == subject_of(first)
    assert kept.pk != first.pk


@pytest.mark.django_db
def test_what_must_not_part_from_the_log_is_in_its_transaction():
    agent, _ = make_agent()
    run = Run.objects.create(agent=agent, person=agent.owner, idle_ends_at=MOMENT)
    write_entries([Entry(decision(), also=lambda: Run.objects.filter(pk=run.pk).update(ended_at=MOMENT))])
    run.refresh_from_db()
    assert run.ended_at == MOMENT


@pytest.mark.django_db
def test_one_bad_entry_takes_no_other_with_it(caplog):
    good, bad = decision(), decision(rule=None)
    results = write_entries([Entry(good), Entry(bad)])
    assert results[0] is None
    assert isinstance(results[1], IntegrityError)
    assert [row.pk for row in DecisionRecord.objects.all()] == [good.pk]
    assert "could not be logged" in caplog.text


@pytest.mark.django_db
def test_uses_are_written_at_most_once_a_minute():
    connection = make_connection(make_user(), make_connector())
    used = (("Connection", connection.pk), ("Connector", connection.connector_id))
    write_entries([Entry(decision(), used=used)])
    connection.refresh_from_db()
    first = connection.last_used_at
    assert first is not None
    write_entries([Entry(decision(), used=used)])
    connection.refresh_from_db()
    assert connection.last_used_at == first


@pytest.mark.django_db(transaction=True)
def test_many_at_once_are_all_committed_when_they_return():
    async def record_all():
        rows = [decision() for _ in range(50)]
        await asyncio.gather(*(record_call(row) for row in rows))

    asyncio.run(record_all())
    assert DecisionRecord.objects.count() == 50


@pytest.mark.django_db(transaction=True)
def test_what_cannot_be_written_is_an_error_to_who_waits():
    with pytest.raises(DatabaseError):
        asyncio.run(record_call(decision(rule=None)))


@pytest.mark.django_db
def test_an_administrative_event_copies_names_and_needs_its_acts_transaction():
    actor = make_user("ada", display_name="Ada")
    record_admin_event(actor=actor, act="published", target_kind="connector", target_id=1, target_name="notes")
    event = AdminEvent.objects.get()
    assert (event.actor_id, event.actor_name, event.target_id, event.before) == (actor.pk, "Ada", "1", {})
    system = record_admin_event(actor=None, act="x", target_kind="k", target_id=2, target_name="n" * 300)
    assert (system.actor_name, len(system.target_name)) == ("system", 255)


@pytest.mark.django_db(transaction=True)
def test_an_administrative_event_outside_a_transaction_is_a_mistake():
    assert not transaction.get_connection().in_atomic_block
    with pytest.raises(RuntimeError):
        record_admin_event(actor=None, act="x", target_kind="k", target_id=1, target_name="n")
