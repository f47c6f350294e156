"""Which tools may be called, and how carefully (handbook §6). What is not named here does not exist."""

from typing import Annotated, Literal

from pydantic import Field as Constraint

from connectors.manifest.formats import ServerKey, ToolName
from connectors.manifest.part import Part
from connectors.manifest.tool_keys import tool_key

Effect = Literal["read", "write", "destructive", "unknown"]
Retry = Literal["safe", "never"]
Confirmation = Literal["not_required", "user_required"]
MAX_RULES = 500


class Rule(Part):
    """`confirmation` may be left out for a read tool; `effective_confirmation` is what holds."""

    server: ServerKey | None = None
    tool: ToolName
    effect: Effect
    retry: Retry
    confirmation: Confirmation | None = None

    @property
    def key(self) -> str:
        return tool_key(self.server, self.tool)

    @property
    def effective_confirmation(self) -> Confirmation:
        return self.confirmation or "not_required"


class ToolPolicy(Part):
    default: Literal["deny"]
    rules: Annotated[tuple[Rule, ...], Constraint(max_length=MAX_RULES)] = ()
