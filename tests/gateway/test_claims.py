"""What a repeated invocation is told, in every state its first attempt can be in."""

import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.errors import OutcomeUnknown, Refused, Unreachable, UpstreamFault
from connectors.gateway.claims import KEPT_RESULT_BYTES, Claim, find_recorded
from connectors.gateway.models import Invocation
from connectors.gateway.outcomes import Outcome, cancel, fail, refuse
from connectors.vault.errors import SealedValueDamaged
from connectors.vault.fingerprint import keyed_digest
from connectors.vault.key_ring import make_key_text
from tests.builders.connectors import make_agent

ARGUMENTS = b'{"text":"plum"}'


@pytest.fixture
def claim(db):
    agent, _ = make_agent()
    claim = Claim(uuid.uuid4(), agent.pk, uuid.uuid4(), uuid.uuid4(), "notes__add", ARGUMENTS, keyed_digest(ARGUMENTS))
    claim.insert()
    return claim


def with_arguments(claim: Claim, arguments: bytes) -> Claim:
    return replace(claim, arguments=arguments, arguments_digest=keyed_digest(arguments))


def told(claim: Claim) -> str:
    outcome = find_recorded(claim)
    assert outcome is not None
    return outcome.code


def test_one_that_is_under_way_is_in_progress(claim):
    assert told(claim) == "invocation_in_progress"
    claim.mark_sent()
    assert told(claim) == "invocation_in_progress"


def test_one_that_was_made_before_a_key_rotation_is_still_the_same(claim, settings):
    settings.VAULT_KEYS = f"old:{make_key_text()}"
    Invocation.objects.update(arguments_digest=keyed_digest(ARGUMENTS))
    claim.end(Outcome("succeeded", {"content": []}), keep_result=True)
    settings.VAULT_KEYS = f"new:{make_key_text()},{settings.VAULT_KEYS}"
    assert told(with_arguments(claim, ARGUMENTS)) == ""
    assert told(with_arguments(claim, b'{"text":"pear"}')) == "invocation_reused"


@pytest.mark.parametrize(("sent", "code"), [(False, "unavailable"), (True, "connector_action_outcome_unknown")])
def test_one_that_was_lost_says_whether_it_may_have_happened(claim, sent, code):
    if sent:
        claim.mark_sent()
    Invocation.objects.update(claimed_at=timezone.now() - timedelta(minutes=5))
    assert told(claim) == code


def test_a_result_too_large_to_keep_is_said_to_have_succeeded(claim):
    large = {"content": [{"type": "text", "text": "x" * KEPT_RESULT_BYTES}]}
    claim.end(Outcome("succeeded", large), keep_result=True)
    outcome = find_recorded(claim)
    assert outcome is not None
    assert outcome.state == "succeeded"
    assert "not kept" in outcome.result["content"][0]["text"]


def test_a_failure_is_told_again_without_its_result(claim):
    claim.end(Outcome("failed", refuse("rate_limited"), "rate_limited"), keep_result=False)
    outcome = find_recorded(claim)
    assert outcome is not None
    assert outcome.result == refuse("rate_limited")


def test_another_agents_invocation_is_nobodys_business(claim):
    other, _ = make_agent()
    assert find_recorded(Claim(uuid.uuid4(), other.pk, claim.invocation_id, uuid.uuid4(), "t", b"", "d")) is None


@pytest.mark.parametrize(
    ("error", "read", "write"),
    [
        (OutcomeUnknown(reason="disconnected"), "unavailable", "connector_action_outcome_unknown"),
        (OutcomeUnknown(reason="timed_out"), "budget_exceeded", "connector_action_outcome_unknown"),
        (UpstreamFault("response_too_large"), "response_too_large", "connector_action_outcome_unknown"),
        (Unreachable(stage="tcp"), "unavailable", "unavailable"),
        (UpstreamFault("rate_limited"), "rate_limited", "rate_limited"),
        (UpstreamFault("anything_else"), "external_error", "external_error"),
        (Refused("reauthorization_required"), "authorization_required", "authorization_required"),
        (Refused("configuration_incomplete"), "connector_unavailable", "connector_unavailable"),
        (SealedValueDamaged(), "authorization_required", "authorization_required"),
    ],
)
def test_only_a_write_can_be_in_doubt(error, read, write):
    assert fail(error, is_read=True).code == read
    outcome = fail(error, is_read=False)
    assert outcome.code == write
    assert (outcome.state == "unknown") == (write == "connector_action_outcome_unknown")


def test_a_read_that_was_sent_is_not_said_to_have_stayed_here():
    (sent,) = fail(OutcomeUnknown("external_error"), is_read=True).result["content"]
    (unsent,) = fail(Unreachable("unavailable"), is_read=True).result["content"]
    assert "Nothing was sent" in unsent["text"]
    assert "The request was sent" in sent["text"]


def test_a_cancelled_call_is_in_doubt_only_when_a_write_was_sent():
    assert cancel(sent=True, is_read=False).state == "unknown"
    assert cancel(sent=False, is_read=False).code == "cancelled"
    assert cancel(sent=True, is_read=True).code == "cancelled"
