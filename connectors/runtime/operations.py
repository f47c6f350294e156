"""The nine operations of a program: each a typed pair of request and result, with its time limit (handbook §8).

Only an operation without a capability, or one whose capability the manifest declares, is ever run.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from connectors.manifest.runtime import Capability
from connectors.runtime import program_context as context
from connectors.runtime import program_results as results

SHORT_SECONDS = 10.0
ORDINARY_SECONDS = 30.0
TOOL_SECONDS = 75.0


@dataclass(frozen=True, slots=True)
class Operation[ContextT: context.Context, ResultT]:
    """What is asked, what must come back, and how long it may take."""

    name: str
    seconds: float
    context: type[ContextT]
    result: TypeAdapter[ResultT]
    capability: Capability | None = None


CONFIGURATION_VALIDATE = Operation(
    "configuration_validate", SHORT_SECONDS, context.ConfigurationValidate, TypeAdapter(results.Nothing)
)
AUTHORIZATION_IDENTITY = Operation(
    "authorization_identity", SHORT_SECONDS, context.AuthorizationIdentity, TypeAdapter(results.Identity)
)
AUTHORIZATION_BEGIN: Operation[context.AuthorizationBegin, results.Beginning] = Operation(
    "authorization_begin", ORDINARY_SECONDS, context.AuthorizationBegin, TypeAdapter(results.Beginning)
)
AUTHORIZATION_COMPLETE = Operation(
    "authorization_complete", ORDINARY_SECONDS, context.AuthorizationComplete, TypeAdapter(results.AuthorizedAccount)
)
CREDENTIAL_REFRESH = Operation(
    "credential_refresh",
    ORDINARY_SECONDS,
    context.CredentialRefresh,
    TypeAdapter(results.RefreshedCredential),
    "credential_refresh",
)
CREDENTIAL_REVOKE = Operation(
    "credential_revoke",
    ORDINARY_SECONDS,
    context.CredentialRevoke,
    TypeAdapter(results.Nothing),
    "credential_revoke",
)
TOOLS_DISCOVER = Operation(
    "tools_discover", ORDINARY_SECONDS, context.ToolsDiscover, TypeAdapter(results.DiscoveredTools)
)
TOOL_INVOKE = Operation("tool_invoke", TOOL_SECONDS, context.ToolInvoke, TypeAdapter(results.ToolResult))
LAUNCH_URL = Operation("launch_url", SHORT_SECONDS, context.LaunchUrl, TypeAdapter(results.LaunchAddress), "launch_url")

OPERATIONS: dict[str, Operation[Any, Any]] = {
    operation.name: operation
    for operation in (
        CONFIGURATION_VALIDATE,
        AUTHORIZATION_IDENTITY,
        AUTHORIZATION_BEGIN,
        AUTHORIZATION_COMPLETE,
        CREDENTIAL_REFRESH,
        CREDENTIAL_REVOKE,
        TOOLS_DISCOVER,
        TOOL_INVOKE,
        LAUNCH_URL,
    )
}
