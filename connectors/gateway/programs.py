"""Discovery and calls of connectors whose runtime is their package's program (handbook §8)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any
from uuid import UUID

from connectors.authorization.models import Connection
from connectors.authorization.programs import tools_context
from connectors.catalogue.program import open_program
from connectors.catalogue.versions import manifest_of
from connectors.errors import OutcomeUnknown
from connectors.gateway.outcomes import ERROR_KEY
from connectors.manifest.tools import Rule
from connectors.runtime.deadline import Deadline
from connectors.runtime.discovery_check import compare_with_policy
from connectors.runtime.mcp_tools import Listed, sort_out
from connectors.runtime.operations import TOOL_INVOKE, TOOLS_DISCOVER
from connectors.runtime.output_check import output_fault
from connectors.runtime.program import ProgramSource, invoke_program
from connectors.runtime.program_context import ToolInvoke, ToolsDiscover, secrets_within
from connectors.runtime.program_errors import REPORTED_CODES, ProgramFault, ProgramRefused
from connectors.runtime.program_mcp import UPSTREAM_NAME, to_mcp_result, to_mcp_tool
from connectors.runtime.program_results import ToolFault, ToolResult
from connectors.runtime.program_words import tell_message
from connectors.runtime.upstream import JSON, MalformedTool, UpstreamResult
from connectors.vault.secret import Secret


@dataclass(frozen=True, slots=True)
class ProgramBinding:
    """One connection's program with all it is told; `listed` maps a tool's key to its stored definition."""

    program: ProgramSource
    context: ToolsDiscover
    rules: tuple[Rule, ...]
    listed: Mapping[str, JSON] = field(default_factory=dict)


def open_program_binding(connection: Connection, values: Mapping[str, Secret]) -> ProgramBinding:
    """Open the connector's program under the connection's credential; raises what `open_program` raises."""
    connector = connection.connector
    credential = getattr(connection, "credential", None)
    context = tools_context(
        connector,
        values,
        connection_id=connection.pk,
        connection_metadata=connection.public_metadata,
        grant_revision=connection.grant_revision,
        credential_version=credential.version if credential else 0,
    )
    toolset = getattr(connection, "toolset", None)
    listed = {tool["name"]: tool for tool in toolset.tools.get("", [])} if toolset else {}
    rules = manifest_of(connector.version).tool_policy.rules
    return ProgramBinding(open_program(connector.version), context, rules, listed)


async def discover_program(binding: ProgramBinding, *, deadline: Deadline) -> Listed:
    """Return the program's tools. One that says otherwise than its rule is left out and named, fault by fault (§6)."""
    answer = await invoke_program(binding.program, TOOLS_DISCOVER, binding.context, deadline=deadline)
    faults = compare_with_policy(answer.tools, binding.rules)
    differing = {fault.where for fault in faults}
    listed = sort_out([to_mcp_tool(tool) for tool in answer.tools if tool.key not in differing])
    named = tuple(MalformedTool(fault.where, fault.code) for fault in faults)
    return Listed(listed.tools, (*listed.malformed, *named))


async def call_program(
    binding: ProgramBinding,
    tool: str,
    arguments: JSON,
    *,
    invocation_id: UUID | None,
    is_read: bool,
    deadline: Deadline,
) -> UpstreamResult:
    """Call one tool once. What the program itself reports as a failure is a tool error, told in its own words.

    Raises what `invoke_program` raises; a result that does not fit the tool's output schema counts as no answer.
    """
    definition = binding.listed[tool]
    shared = {part.name: getattr(binding.context, part.name) for part in fields(ToolsDiscover)}
    context = ToolInvoke(
        **shared, tool_name=definition[UPSTREAM_NAME], arguments=arguments, invocation_id=invocation_id
    )
    try:
        result = await invoke_program(binding.program, TOOL_INVOKE, context, deadline=deadline, may_change=not is_read)
        _check_output(result, definition.get("outputSchema"), is_read=is_read)
        raw = _told(result, secrets_within(binding.context))
    except ProgramRefused as refused:
        raw = _as_tool_error(refused.code, refused.parameters["message"], retryable=refused.retryable)
    return UpstreamResult(raw, server_address="")


def _check_output(result: ToolResult, schema: dict[str, Any] | None, *, is_read: bool) -> None:
    if schema is None or result.is_error:
        return
    where = output_fault(schema, result.structured_content)
    if where and is_read:
        raise ProgramFault(reason="output_schema", where=where)
    if where:
        raise OutcomeUnknown(reason="output_schema")


def _told(result: ToolResult, secrets: tuple[Secret, ...]) -> JSON:
    raw = to_mcp_result(result)
    error: ToolFault | None = result.error
    if error is not None:
        message = tell_message(error.message, secrets)
        told = _as_tool_error(error.code, message, retryable=error.retryable)
        raw["_meta"] = told["_meta"]
        if not result.content:
            raw["content"] = told["content"]
    return raw


def _as_tool_error(reported: str, message: str, *, retryable: bool) -> JSON:
    code = reported if reported in REPORTED_CODES else "external_error"
    return {
        "content": [{"type": "text", "text": f"{code}: {message}"}],
        "isError": True,
        "_meta": {ERROR_KEY: {"code": code, "retryable": retryable}},
    }
