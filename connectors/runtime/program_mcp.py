"""A program's tools and results in the words of MCP, so that everything after discovery knows one kind only."""

from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import urlsplit

from connectors.runtime.program_results import (
    Content,
    DiscoveredTool,
    MediaContent,
    ResourceLink,
    TextContent,
    ToolResult,
)
from connectors.runtime.upstream import JSON

# Rides along in a stored definition and is never shown: what the program calls its tool.
UPSTREAM_NAME: Final = "upstreamName"


def to_mcp_tool(tool: DiscoveredTool) -> JSON:
    """Return the definition as `tools/list` would have it. Its name is the tool's key, which is what rules match."""
    definition: JSON = {
        "name": tool.key,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        UPSTREAM_NAME: tool.upstream_name,
    }
    if tool.output_schema is not None:
        definition["outputSchema"] = tool.output_schema
    return definition


def to_mcp_result(result: ToolResult) -> JSON:
    """Return the result as `tools/call` would have it; an error without content says its message."""
    content = [_to_mcp_content(part) for part in result.content]
    if result.error is not None and not content:
        content = [{"type": "text", "text": f"{result.error.code}: {result.error.message}"}]
    raw: JSON = {"content": content, "isError": result.is_error}
    if result.structured_content is not None:
        raw["structuredContent"] = result.structured_content
    return raw


def _to_mcp_content(part: Content) -> JSON:
    if isinstance(part, TextContent):
        return {"type": "text", "text": part.text}
    if isinstance(part, MediaContent):
        return {"type": part.type, "data": part.data, "mimeType": part.mime_type}
    if isinstance(part, ResourceLink):
        described = {
            "title": part.title,
            "description": part.description,
            "mimeType": part.mime_type,
            "size": part.size,
        }
        return {"type": "resource_link", "uri": part.uri, "name": part.name or _name_in(part.uri), **_given(described)}
    held = {"mimeType": part.mime_type, "text": part.text, "blob": part.data}
    return {"type": "resource", "resource": {"uri": part.uri, **_given(held)}}


def _given(fields: dict[str, Any]) -> JSON:
    return {name: value for name, value in fields.items() if value is not None}


def _name_in(uri: str) -> str:
    """MCP wants a name for every link: the last part of its path, or the whole of it."""
    try:
        return PurePosixPath(urlsplit(uri).path).name or uri
    except ValueError:
        return uri
