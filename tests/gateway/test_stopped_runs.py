"""A run that keeps a change waiting is ended: its agent hears of it once, what was on its way ends and is logged."""

import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.audit.models import AdminEvent, CallRecord, DecisionRecord
from connectors.catalogue.models import Connector
from connectors.errors import Conflict
from connectors.gateway.models import Run
from connectors.gateway.outcomes import ERROR_KEY
from connectors.gateway.runs import IDLE
from connectors.gateway.stopping import LAST_CALLS
from connectors.lifecycle.drain import start_drain
from connectors.lifecycle.drain_finishing import finish_drains
from connectors.lifecycle.models import Drain
from connectors.lifecycle.occupancy import find_occupants
from connectors.lifecycle.run_ending import end_runs
from tests.builders.connectors import make_connector
from tests.builders.packages import build_manifest
from tests.builders.people import make_administrator
from tests.builders.versions import Workshop, update, update_change
from tests.fakes.world import RULES

NAME = "notes__search_notes"


@pytest.fixture
def workshop(settings, tmp_path):
    settings.OBJECT_STORE_DIR = tmp_path / "objects"
    settings.PACKAGE_CACHE_DIR = tmp_path / "cache"
    return Workshop(tmp_path)


@pytest.fixture
def archive(workshop):
    policy = {"default": "deny", "rules": list(RULES)}
    return workshop.pack("1.1.0", document=build_manifest(key="notes", tool_policy=policy))


@pytest.fixture
def draining(world, archive):
    """An agent has called, and an update waits for its run."""
    assert code_of(world.gateway.call(NAME)) == ""
    start_drain(connector=world.connector, change=update_change(archive), actor=None)
    return world


def code_of(answer) -> str:
    return answer.result.get("_meta", {}).get(ERROR_KEY, {}).get("code", "")


def let_last_calls_end() -> None:
    """Let as much time pass as the last calls of stopped runs may take."""
    for run in Run.objects.exclude(stopped_at=None):
        Run.objects.filter(pk=run.pk).update(stopped_at=run.stopped_at - LAST_CALLS)
    Drain.objects.update(due_at=timezone.now())


def test_the_next_call_is_refused_with_a_rule_of_its_own_and_the_one_after_begins_a_run_without_it(draining):
    first = Run.objects.get()
    sent = len(draining.upstream.calls)
    assert end_runs(connector=draining.connector, run_id=first.pk, actor=None) == 1
    told = draining.gateway.call(NAME)
    assert code_of(told) == "run_stopped"
    assert "begins a new run" in told.result["content"][0]["text"]
    assert told.result["_meta"][ERROR_KEY]["retryable"] is True
    decision = DecisionRecord.objects.first()
    assert (decision.rule, decision.allowed, decision.run_id) == ("run_stopped", False, first.pk)

    assert code_of(draining.gateway.call(NAME)) == "connector_draining"
    assert DecisionRecord.objects.first().run_id == Run.objects.get(ended_at=None).pk != first.pk
    assert len(draining.upstream.calls) == sent


def test_a_call_of_any_name_is_told(draining):
    end_runs(connector=draining.connector, actor=None)
    assert code_of(draining.gateway.call("notes__no_such_tool")) == "run_stopped"
    assert draining.gateway.call("notes__no_such_tool").error["code"] == -32602


def test_the_change_is_made_once_the_last_calls_must_have_ended_and_the_conversation_goes_on_with_it(draining):
    end_runs(connector=draining.connector, actor=None)
    draining.gateway.call(NAME)
    assert finish_drains() == 0
    (waited_for,) = find_occupants(draining.connector)
    assert (waited_for.kind, waited_for.until) == ("stopped_run", Run.objects.earliest("pk").stopped_at + LAST_CALLS)

    let_last_calls_end()
    assert finish_drains() == 1
    assert code_of(draining.gateway.call(NAME)) == ""
    assert DecisionRecord.objects.first().package_version == "1.1.0"


def test_a_call_on_its_way_ends_and_is_logged_under_the_version_it_was_decided_by(draining):
    draining.upstream.knobs.delay = 0.5
    draining.upstream.call_arrived.clear()
    answers = []
    calling = threading.Thread(target=lambda: answers.append(draining.gateway.call("notes__add_note")))
    calling.start()
    assert draining.upstream.call_arrived.wait(10)
    end_runs(connector=draining.connector, actor=None)
    calling.join()
    assert code_of(answers[0]) == ""
    call = CallRecord.objects.get(tool="notes__add_note")
    assert (call.outcome, call.package_version) == ("succeeded", "1.0.0")
    assert code_of(draining.gateway.call(NAME)) == "run_stopped"


def test_a_conversation_that_comes_back_after_a_quarter_of_an_hour_is_told_nothing(draining):
    end_runs(connector=draining.connector, actor=None)
    Run.objects.update(stopped_at=timezone.now() - IDLE)
    assert code_of(draining.gateway.call(NAME)) == "connector_draining"


def test_it_is_told_once_however_the_runs_after_it_end(draining):
    end_runs(connector=draining.connector, actor=None)
    assert code_of(draining.gateway.call(NAME)) == "run_stopped"
    Run.objects.filter(ended_at=None).update(ended_at=timezone.now())
    draining.announce()
    assert code_of(draining.gateway.call(NAME)) == "connector_draining"


def test_nothing_is_ended_when_nothing_waits(world):
    world.gateway.call(NAME)
    with pytest.raises(Conflict, match="drain_not_waiting"):
        end_runs(connector=world.connector, actor=None)
    assert Run.objects.filter(ended_at=None).exists()


def test_who_ended_whose_run_is_an_event(draining):
    admin = make_administrator()
    end_runs(connector=draining.connector, actor=admin)
    event = AdminEvent.objects.get(act="run_ended")
    assert (event.actor_name, event.target_name) == (admin.name, "notes")
    assert event.after == {
        "run": str(Run.objects.get().pk),
        "agent": draining.agent.name,
        "person": draining.owner.name,
        "reason": "asked",
    }


def test_runs_that_are_open_at_the_deadline_are_ended_by_the_worker(world, archive):
    admin = make_administrator()
    world.gateway.call(NAME)
    start_drain(
        connector=world.connector, change=update_change(archive), end_runs_after=timedelta(hours=1), actor=admin
    )
    assert finish_drains() == 0
    assert Run.objects.filter(ended_at=None).exists()

    Drain.objects.update(runs_end_at=timezone.now())
    assert finish_drains() == 0
    assert not Run.objects.filter(ended_at=None).exists()
    event = AdminEvent.objects.get(act="run_ended")
    assert (event.actor_name, event.after["reason"]) == (admin.name, "deadline")
    assert code_of(world.gateway.call(NAME)) == "run_stopped"

    let_last_calls_end()
    assert finish_drains() == 1
    assert Connector.objects.get().version.version == "1.1.0"


def test_a_call_that_was_decided_under_another_version_is_not_sent(world, workshop):
    """As if its run had been stopped and the change made while a slow call of the same batch had its turn."""
    other = make_connector("other", endpoint=world.upstream.url, rules=RULES)
    world.connect(other)
    world.gateway.tool_names()
    call = {"jsonrpc": "2.0", "method": "tools/call"}
    batch = [
        call | {"id": number, "params": {"name": f"{key}__add_note", "arguments": {}}}
        for number, key in enumerate(("notes", "other"))
    ]
    world.upstream.knobs.delay = 1.0
    world.upstream.call_arrived.clear()
    answers = []
    calling = threading.Thread(
        target=lambda: answers.extend(world.gateway.post(batch, MCP_Protocol_Version="2025-03-26").json)
    )
    calling.start()
    assert world.upstream.call_arrived.wait(10)
    Run.objects.update(ended_at=timezone.now())
    policy = {"default": "deny", "rules": list(RULES)}
    update(other, workshop.pack("1.1.0", document=build_manifest(key="other", tool_policy=policy)))
    calling.join()
    assert [answer["result"].get("_meta", {}).get(ERROR_KEY, {}).get("code") for answer in answers] == [
        None,
        "snapshot_stale",
    ]
    assert len(world.upstream.calls) == 1
    assert CallRecord.objects.get(connector_key="other").error_code == "snapshot_stale"
