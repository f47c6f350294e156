"""What an agent sees while its connector is updated, drained and removed; upstream sees only what was allowed."""

from functools import partial

import pytest
from django.utils import timezone

from connectors.audit.models import DecisionRecord
from connectors.catalogue.models import Connector
from connectors.gateway.models import Run
from connectors.gateway.outcomes import ERROR_KEY
from connectors.lifecycle.drain import RemovalChange, cancel_drain, start_drain
from connectors.lifecycle.removal import remove_connector
from tests.builders.connectors import make_agent, make_grant
from tests.builders.packages import build_manifest
from tests.builders.together import codes, run_together
from tests.builders.versions import Workshop, update
from tests.fakes.world import RULES

NAME = "notes__search_notes"
CONVERSATION = "poco.connectors/conversation"


@pytest.fixture
def workshop(settings, tmp_path):
    settings.OBJECT_STORE_DIR = tmp_path / "objects"
    settings.PACKAGE_CACHE_DIR = tmp_path / "cache"
    return Workshop(tmp_path)


def end_runs() -> None:
    """Let every open conversation have been idle for fifteen minutes."""
    Run.objects.filter(ended_at=None).update(ended_at=timezone.now())


def code_of(answer) -> str:
    return answer.result["_meta"][ERROR_KEY]["code"]


def pack(workshop, version, rules=RULES):
    document = build_manifest(key="notes", tool_policy={"default": "deny", "rules": list(rules)})
    return workshop.pack(version, document=document)


def test_the_very_next_call_after_an_update_is_decided_by_the_new_version(world, workshop):
    assert world.gateway.call(NAME).result["content"]
    end_runs()
    without_it = [rule for rule in RULES if rule["tool"] != "search_notes"]
    update(world.connector, pack(workshop, "1.1.0", without_it))
    agent, token = make_agent(world.owner)
    make_grant(agent, world.connection)
    world.announce()
    assert world.gateway.call(NAME, **{CONVERSATION: "next"}).error["code"] == -32602
    assert DecisionRecord.objects.first().rule == "tool_not_in_policy"
    world.gateway.holding(token).call("notes__add_note")
    assert DecisionRecord.objects.first().package_version == "1.1.0"


def test_an_open_conversation_goes_on_through_a_drain_and_a_new_one_is_told_why_it_may_not(world):
    assert world.gateway.call(NAME, **{CONVERSATION: "open"}).result["content"]
    start_drain(connector=world.connector, change=RemovalChange("notes"), actor=None)

    assert world.gateway.call(NAME, **{CONVERSATION: "open"}).result.get("isError") is not True
    sent = len(world.upstream.calls)
    refused = world.gateway.call(NAME, **{CONVERSATION: "new"})
    assert code_of(refused) == "connector_draining"
    assert refused.result["content"][0]["text"].startswith("connector_draining: This connector is about to be changed")
    assert refused.result["_meta"][ERROR_KEY]["retryable"] is True
    assert len(world.upstream.calls) == sent
    assert DecisionRecord.objects.first().rule == "connector_draining"

    cancel_drain(connector=world.connector, actor=None)
    assert world.gateway.call(NAME, **{CONVERSATION: "new"}).result.get("isError") is not True


@pytest.mark.parametrize("round_", range(3))
def test_a_removal_and_calls_at_the_same_moment_exclude_each_other(world, round_):
    world.gateway.tool_names()
    calls = [partial(world.gateway.call, NAME, **{CONVERSATION: str(number)}) for number in range(4)]
    remove = partial(remove_connector, connector=world.connector, typed_key="notes", actor=None)
    results = run_together(*calls, remove)
    made = [answer for answer in results[:-1] if "result" in answer.json and not answer.result.get("isError")]
    assert codes(results)[-1] == ("connector_occupied" if made else "")
    assert len(world.upstream.calls) == len(made)
    if not made:
        assert not Connector.objects.filter(status="published").exists()
        assert world.gateway.call(NAME).error["code"] == -32602
        assert not world.upstream.calls
