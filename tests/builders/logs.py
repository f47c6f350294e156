"""Rows of the logs, written as the gateway would write them: ids that rise with the time they tell of."""

import uuid
from datetime import datetime, timedelta
from itertools import count

from django.utils import timezone

from connectors.access.models import Agent, User
from connectors.audit.late_calls import insert_calls
from connectors.audit.models import CallRecord, DecisionRecord
from connectors.authorization.models import Connection

_numbers = count(1)


def uuid_at(moment: datetime) -> uuid.UUID:
    """Return a UUIDv7 of that moment, higher than any before it of the same millisecond."""
    milliseconds = int(moment.timestamp() * 1000)
    return uuid.UUID(int=milliseconds << 80 | 0x7 << 76 | 0b10 << 62 | next(_numbers))


def make_decision(
    person: User,
    *,
    agent: Agent | None = None,
    connection: Connection | None = None,
    allowed: bool = True,
    at: datetime | None = None,
    **fields,
) -> DecisionRecord:
    at = at or timezone.now()
    fields.setdefault("rule", "granted" if allowed else "grant_missing")
    return DecisionRecord.objects.create(
        id=uuid_at(at), at=at, allowed=allowed, **_subject(person, agent, connection) | fields
    )


_SIZES = {
    "arguments_bytes": 128,
    "arguments_digest": "a" * 64,
    "result_bytes": 2048,
    "result_digest": "b" * 64,
}


def make_call(
    person: User,
    *,
    agent: Agent | None = None,
    connection: Connection | None = None,
    decision: DecisionRecord | None = None,
    at: datetime | None = None,
    elapsed_us: int = 42_000,
    **fields,
) -> CallRecord:
    at = at or timezone.now()
    fields.setdefault("outcome", CallRecord.Outcome.SUCCEEDED)
    call = CallRecord(
        id=uuid_at(at),
        decision_id=decision.pk if decision else uuid_at(at),
        started_at=at,
        ended_at=at + timedelta(microseconds=elapsed_us),
        elapsed_us=elapsed_us,
        upstream_us=elapsed_us // 2,
        **(_SIZES | _subject(person, agent, connection) | fields),
    )
    insert_calls([call])
    return call


def _subject(person: User, agent: Agent | None, connection: Connection | None) -> dict:
    return {
        "person_id": person.pk,
        "person_name": person.name,
        "agent_id": agent.pk if agent else None,
        "agent_name": agent.name if agent else "",
        "connection_id": connection.pk if connection else None,
        "connector_key": connection.connector.key if connection else "",
        "alias": connection.alias if connection else "",
        "remote_address": "192.0.2.7",
        "tool": "notebook__search_notes",
    }
