"""How a call ends: what the agent is told, what the log keeps, what a repeated invocation gets.

Errors of a tool call are tool results with `isError`, so that the model can read them; they carry a stable code and
words of ours. What an upstream said in a transport error stays out.
"""

from dataclasses import dataclass
from typing import Any, Final

import orjson

from connectors.audit.models import CallRecord
from connectors.errors import ConnectorError, OutcomeUnknown, Unreachable
from connectors.vault.errors import CannotOpen

JSON = dict[str, Any]
ERROR_KEY: Final = "poco.connectors/error"

WORDS: Final = {
    "action_forbidden": "The service refused this action for the connected account.",
    "arguments_invalid": "The arguments do not fit this tool.",
    "authorization_required": (
        "The account needs to be authorized again. Its owner can do that on the console's Connections page."
    ),
    "batch_refused": "Another call of this batch is not allowed, so none was made.",
    "budget_exceeded": "The call took longer than its time budget. Nothing more will happen.",
    "cancelled": "The call was cancelled.",
    "confirmation_required": (
        "This tool needs its owner's approval for each call, and nothing was done. "
        "Approvals will be given in the console; until then this tool cannot run in a conversation."
    ),
    "connection_ambiguous": "Several accounts are connected. Call the tool by the name that says which account.",
    "connector_action_outcome_unknown": (
        "The request was sent and no clear answer came back: it may have happened. "
        "Look before you repeat: check with a reading tool whether it took effect."
    ),
    "connector_draining": (
        "This connector is about to be changed and takes no new conversations until that is done. Nothing was sent; "
        "try again later, or use other tools."
    ),
    "connector_unavailable": "The connector's service cannot be used at the moment. Try again later.",
    "external_error": "The service answered with an error.",
    "insufficient_scope": "The connected account does not have the permission this needs.",
    "invocation_in_progress": "A call with this invocation id is still running.",
    "invocation_reused": "This invocation id was used for another call. A new call needs a new id.",
    "program_protocol": "The connector's program gave no valid answer.",
    "program_timeout": "The connector's program took too long and was ended.",
    "rate_limited": "The service asks to slow down. Try again later.",
    "response_too_large": "The service's answer is larger than 20 MiB.",
    "run_stopped": (
        "This run was ended, because a connector it uses is about to be changed. Nothing was sent. Your next call "
        "begins a new run: list the tools again first; that connector is back once it has been changed."
    ),
    "snapshot_stale": "What this agent may use has just changed. List the tools again.",
    "unavailable": "The service could not be reached. Nothing was sent.",
}
RETRYABLE: Final = frozenset(
    {"unavailable", "rate_limited", "connector_draining", "connector_unavailable", "run_stopped"}
)
_TRANSLATED: Final = {
    "reauthorization_required": "authorization_required",
    "configuration_incomplete": "connector_unavailable",
    "refresh_failed": "connector_unavailable",
    "runtime_not_available": "connector_unavailable",
    "version_unsupported": "connector_unavailable",
    "not_mcp": "connector_unavailable",
}
_UNANSWERED: Final = "The request was sent, but the service broke off without an answer."
_ANSWERED_IN_VAIN: Final = frozenset({"response_too_large", "response_too_deep"})
"""The service did answer, with more than can be passed on: what was asked may have been done."""
_KNOWN_FAULTS: Final = frozenset(
    {
        "action_forbidden",
        "authorization_required",
        "connector_unavailable",
        "arguments_invalid",
        "budget_exceeded",
        "insufficient_scope",
        "program_protocol",
        "program_timeout",
        "rate_limited",
        "response_too_large",
        "snapshot_stale",
    }
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The ending of one call. `result` is what the client gets, tool error or not."""

    state: str  # CallRecord.Outcome
    result: JSON
    code: str = ""


def succeed(raw: JSON) -> Outcome:
    """The upstream answered with a tool result; its own `isError` is an ending of its own."""
    if not isinstance(raw.get("content"), list):
        raw = {**raw, "content": [{"type": "text", "text": orjson.dumps(raw.get("structuredContent")).decode()}]}
    failed = raw.get("isError") is True
    return Outcome(CallRecord.Outcome.TOOL_ERROR if failed else CallRecord.Outcome.SUCCEEDED, raw)


def fail(error: ConnectorError, *, is_read: bool) -> Outcome:
    """Map what went wrong on the way to a code. For anything but a read, doubt is `unknown`, never `failed`."""
    if isinstance(error, OutcomeUnknown) or error.code in _ANSWERED_IN_VAIN:
        if not is_read:
            return _ended(CallRecord.Outcome.UNKNOWN, "connector_action_outcome_unknown")
        if error.code not in _ANSWERED_IN_VAIN:
            if _timed_out(error):
                return _ended(CallRecord.Outcome.FAILED, "budget_exceeded")
            return Outcome(CallRecord.Outcome.FAILED, refuse("unavailable", words=_UNANSWERED), "unavailable")
    if isinstance(error, Unreachable):
        return _ended(CallRecord.Outcome.FAILED, "unavailable")
    code = "authorization_required" if isinstance(error, CannotOpen) else _TRANSLATED.get(error.code, error.code)
    code = code if code in _KNOWN_FAULTS else "external_error"
    scopes = error.parameters.get("scopes") if code == "insufficient_scope" else None
    return _ended(CallRecord.Outcome.FAILED, code, f"Scopes needed: {', '.join(scopes)}." if scopes else "")


def cancel(*, sent: bool, is_read: bool) -> Outcome:
    """The client hung up. A write that had gone out may have happened."""
    if sent and not is_read:
        return _ended(CallRecord.Outcome.UNKNOWN, "connector_action_outcome_unknown")
    return _ended(CallRecord.Outcome.FAILED, "cancelled")


def refuse(code: str, more: str = "", *, words: str = "") -> JSON:
    """A tool error of our own; `words` in place of the code's usual ones."""
    words = f"{words or WORDS[code]} {more}".strip()
    return {
        "content": [{"type": "text", "text": f"{code}: {words}"}],
        "isError": True,
        "_meta": {ERROR_KEY: {"code": code, "retryable": code in RETRYABLE}},
    }


def _ended(state: str, code: str, more: str = "") -> Outcome:
    return Outcome(state, refuse(code, more), code)


def _timed_out(error: ConnectorError) -> bool:
    return error.parameters.get("reason") == "timed_out"
