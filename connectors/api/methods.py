"""What both protocol eras answer alike: the list, the calls, and who we are."""

from typing import Any, Final

import orjson

from connectors.access.queries import AuthenticatedAgent
from connectors.api.reply import INVALID_PARAMS, RpcError
from connectors.gateway.calls import DecidedCall
from connectors.gateway.invocation import run_call
from connectors.gateway.snapshot import Snapshot, take_complete_snapshot

SERVER_INFO: Final = {"name": "poco-connectors", "title": "Poco Connectors", "version": "0.1.0"}
CAPABILITIES: Final = {"tools": {"listChanged": False}}
INSTRUCTIONS: Final = (
    "Tools of the accounts your owner has connected and granted to you. A tool's name begins with its connector. "
    "After connector_action_outcome_unknown, look before you repeat."
)
UNAVAILABLE_KEY: Final = "poco.connectors/unavailable"


async def list_tools(agent: AuthenticatedAgent, params: dict[str, Any], *, extra: bytes = b"") -> bytes:
    """Return the result of tools/list: one page, in the order of names; `extra` are members of the era.

    Connectors that could not be listed are named beside the tools, never silently missing.
    """
    if params.get("cursor") is not None:
        raise RpcError(INVALID_PARAMS, "Unknown cursor: all tools come in one page")
    snapshot = await take_complete_snapshot(agent)
    meta = _describe_unavailable(snapshot)
    return b'{"tools":' + snapshot.view.listing + meta + extra + b"}"


def _describe_unavailable(snapshot: Snapshot) -> bytes:
    missing = [
        {"connector": one.connector_key, "account": one.alias, "code": one.code or "discovering"}
        for one in snapshot.view.undiscovered
    ]
    return b',"_meta":' + orjson.dumps({UNAVAILABLE_KEY: missing}) if missing else b""


async def answer_call(call: DecidedCall) -> bytes:
    """Run a decided call and return its result; a tool outside the agent's view does not exist."""
    answer = await run_call(call)
    if answer.body is None:
        raise RpcError(INVALID_PARAMS, f"Unknown tool: {call.request.name}")
    return answer.body
