"""Runs end by themselves, and lost calls get their ending."""

from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.audit import queries
from connectors.audit.models import CallRecord
from connectors.gateway import tasks
from connectors.gateway.models import Invocation, Run
from connectors.gateway.runs import IDLE, open_run
from tests.builders.connectors import make_agent
from tests.builders.logs import make_decision

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent():
    return make_agent()[0]


def enter(agent, conversation: str = ""):
    return open_run(agent.pk, agent.owner_id, conversation, {"notes": "revision"})


def idle(run, by: timedelta = IDLE + timedelta(seconds=1)) -> None:
    Run.objects.filter(pk=run.id).update(idle_ends_at=timezone.now() + IDLE - by)


def test_a_run_goes_on_while_its_conversation_does(agent):
    first = enter(agent)
    idle(first, timedelta(minutes=14))
    assert enter(agent).id == first.id
    assert Run.objects.get().idle_ends_at > timezone.now() + timedelta(minutes=14)


def test_after_fifteen_idle_minutes_the_next_begins(agent):
    first = enter(agent)
    idle(first)
    second = enter(agent)
    assert second.id != first.id
    ended = Run.objects.get(pk=first.id)
    assert ended.ended_at == ended.idle_ends_at


def test_conversations_and_agents_have_runs_of_their_own(agent):
    runs = {enter(agent).id, enter(agent, "one").id, enter(make_agent()[0], "one").id}
    assert len(runs) == 3


def test_the_sweep_ends_idle_runs(agent):
    idle(enter(agent))
    enter(agent, "busy")
    assert tasks.close_idle_runs() == 1
    assert Run.objects.filter(ended_at=None).get().conversation == "busy"


@pytest.mark.parametrize(
    ("state", "ending", "outcome", "code"),
    [
        ("sent", "unknown", "unknown", "connector_action_outcome_unknown"),
        ("claimed", "failed", "failed", "unavailable"),
    ],
)
def test_a_call_whose_process_died_gets_an_ending(agent, state, ending, outcome, code):
    decision = make_decision(agent.owner, agent=agent)
    claim = Invocation.objects.create(
        id=decision.pk, agent=agent, invocation_id=decision.pk, connection_id=decision.pk, tool="t", state=state
    )
    assert tasks.end_lost_calls() == 0
    Invocation.objects.update(claimed_at=timezone.now() - timedelta(minutes=5))
    assert tasks.end_lost_calls() == 1
    assert tasks.end_lost_calls() == 0
    claim.refresh_from_db()
    call = CallRecord.objects.get()
    assert claim.state == ending
    assert (call.outcome, call.error_code, call.decision_id) == (outcome, code, decision.pk)


def test_a_call_that_was_lost_is_told_among_those_of_its_time(agent):
    """The worker was away for a day: the call did not take that long, and its page and decision know each other."""
    died = timezone.now() - timedelta(days=1)
    decision = make_decision(agent.owner, agent=agent, at=died)
    Invocation.objects.create(
        id=decision.pk, agent=agent, invocation_id=decision.pk, connection_id=decision.pk, tool="t", state="sent"
    )
    Invocation.objects.update(claimed_at=died, sent_at=died + timedelta(seconds=1))
    tasks.end_lost_calls()
    (call,) = queries.calls(queries.CallFilters(since=died, until=died + timedelta(minutes=1))).rows
    assert queries.call_of_decision(decision) == call
    assert call.ended_at - call.started_at == timedelta(seconds=120)
    assert (call.elapsed_us, call.upstream_us) == (120_000_000, 119_000_000)
