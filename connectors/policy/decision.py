"""The decision: may this agent make this call? Pure, so that the reason shown is the reason logged.

An agent sees `visible connectors ∩ standing connections of its owner ∩ package policy ∩ grants ∩ discovered tools`; the
first link that is missing is the rule that denies. Anything not stated is denied (handbook §6).
"""

from dataclasses import dataclass, field
from typing import Final, Literal

Origin = Literal["chat", "expert_chat", "scheduled", "openapi"]
# A missing scope or a service that did not answer takes nothing away: the service itself refuses, tool by tool.
USABLE_STATES: Final = frozenset({"active", "insufficient_scope", "unreachable"})
UNATTENDED_ORIGINS: Final = frozenset({"scheduled", "openapi"})

RULES: Final[dict[str, bool]] = {
    "granted": True,
    "unattended": True,
    "run_stopped": False,
    "connector_unknown": False,
    "connector_unpublished": False,
    "connector_not_visible": False,
    "connector_draining": False,
    "connection_missing": False,
    "connection_ambiguous": False,
    "connection_state": False,
    "tool_not_in_policy": False,
    "grant_missing": False,
    "grant_excludes_tool": False,
    "grant_read_only": False,
    "tool_not_discovered": False,
    "run_origin": False,
    "confirmation_required": False,
    "batch_refused": False,
}
"""Every rule a decision row can name, and whether it allows; the denying ones in the order they are asked.

Three are not asked here: `batch_refused`, another call of the same batch was denied; `connector_draining`, the run
began while the connector was waiting for a change, and goes on without it; `run_stopped`, the run was ended for one.
"""


@dataclass(frozen=True, slots=True)
class ToolRule:
    """What the package's tool policy says of one tool (§6)."""

    effect: str
    retry: str = "never"
    confirmation: str = "not_required"


@dataclass(frozen=True, slots=True)
class GrantFacts:
    """What one agent was granted of one connection."""

    breadth: str
    access: str
    tools: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything a decision looks at. The defaults are the refusing ones."""

    tool_key: str = ""
    connector_status: str | None = None
    visible: bool = False
    connection_state: str | None = None
    usable_accounts: int = 1  # how many connections the name could mean
    rule: ToolRule | None = None
    grant: GrantFacts | None = None
    discovered: bool = False
    undiscovered_because: str = ""
    origin: str = "chat"
    unattended_confirmation: str = "execute"
    approved: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    allowed: bool
    rule: str
    reason: str = ""


def decide(facts: Facts) -> Decision:
    """Return whether the call may go out, by which rule, and the reason within that rule."""
    return (
        _deny_by_connector(facts)
        or _deny_by_connection(facts)
        or _deny_by_grant(facts)
        or _deny_by_discovery(facts)
        or _decide_by_confirmation(facts)
    )


def is_in_view(facts: Facts) -> bool:
    """Return whether the tool is listed to the agent: everything but the confirmation of a single call."""
    return not (
        _deny_by_connector(facts) or _deny_by_connection(facts) or _deny_by_grant(facts) or _deny_by_discovery(facts)
    )


def _deny_by_connector(facts: Facts) -> Decision | None:
    if facts.connector_status is None:
        return Decision(allowed=False, rule="connector_unknown")
    if facts.connector_status != "published":
        return Decision(allowed=False, rule="connector_unpublished", reason=facts.connector_status)
    if not facts.visible:
        return Decision(allowed=False, rule="connector_not_visible")
    return None


def _deny_by_connection(facts: Facts) -> Decision | None:
    if facts.connection_state is None:
        return Decision(allowed=False, rule="connection_missing")
    if facts.usable_accounts > 1:
        return Decision(allowed=False, rule="connection_ambiguous", reason=str(facts.usable_accounts))
    if facts.connection_state not in USABLE_STATES:
        return Decision(allowed=False, rule="connection_state", reason=facts.connection_state)
    return None


def _deny_by_grant(facts: Facts) -> Decision | None:
    if facts.rule is None:
        return Decision(allowed=False, rule="tool_not_in_policy")
    if facts.grant is None or facts.grant.breadth == "none":
        return Decision(allowed=False, rule="grant_missing", reason="none" if facts.grant else "")
    if facts.grant.breadth != "all" and facts.tool_key not in facts.grant.tools:
        return Decision(allowed=False, rule="grant_excludes_tool")
    if facts.grant.access != "read_write" and facts.rule.effect != "read":
        return Decision(allowed=False, rule="grant_read_only", reason=facts.rule.effect)
    return None


def _deny_by_discovery(facts: Facts) -> Decision | None:
    if not facts.discovered:
        return Decision(allowed=False, rule="tool_not_discovered", reason=facts.undiscovered_because)
    return None


def _decide_by_confirmation(facts: Facts) -> Decision:
    assert facts.rule is not None
    if facts.rule.confirmation == "not_required" or facts.approved:
        return Decision(allowed=True, rule="granted", reason="approved" if facts.approved else "")
    if facts.origin not in UNATTENDED_ORIGINS:
        return Decision(allowed=False, rule="confirmation_required", reason="user_required")
    if facts.unattended_confirmation != "execute":
        return Decision(allowed=False, rule="run_origin", reason=facts.origin)
    return Decision(allowed=True, rule="unattended", reason=facts.origin)
