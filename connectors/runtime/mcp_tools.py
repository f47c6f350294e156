"""Listing: every page is followed, every tool looked at; what cannot be offered is left out and named."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import orjson

from connectors.errors import UpstreamFault
from connectors.runtime.passing_on import can_be_kept
from connectors.runtime.upstream import JSON, MalformedTool

MAX_TOOLS = 500
MAX_PAGES = 500
MAX_NAME_LENGTH = 255
MAX_SCHEMA_BYTES = 64 * 1024
MAX_SCHEMA_DEPTH = 20


@dataclass(frozen=True, slots=True)
class Listed:
    """The tools that can be offered, in their order, and the others with what is wrong with each."""

    tools: list[JSON]
    malformed: tuple[MalformedTool, ...]


async def follow_pages(fetch: Callable[[JSON], Awaitable[JSON]]) -> Listed:
    """Return all tools of all pages; a cursor that comes twice is a fault, not a loop."""
    listed: list[Any] = []
    seen: set[str] = set()
    params: JSON = {}
    while True:
        page = await fetch(params)
        tools = page.get("tools")
        if not isinstance(tools, list):
            raise UpstreamFault("not_mcp", stage="list_tools")
        listed += tools
        cursor = page.get("nextCursor")
        if cursor is None:
            return sort_out(listed)
        if not isinstance(cursor, str) or cursor in seen or len(seen) >= MAX_PAGES:
            raise UpstreamFault("cursor_repeated", stage="list_tools")
        if len(listed) > MAX_TOOLS:
            raise UpstreamFault("too_many_tools", stage="list_tools", maximum=MAX_TOOLS)
        seen.add(cursor)
        params = {"cursor": cursor}


def sort_out(listed: list[Any]) -> Listed:
    """Part the tools that can be offered from the malformed ones."""
    if len(listed) > MAX_TOOLS:
        raise UpstreamFault("too_many_tools", stage="list_tools", maximum=MAX_TOOLS)
    good: dict[str, JSON] = {}
    malformed = []
    for tool in listed:
        reason = _fault_of(tool, good)
        if reason is None:
            good[tool["name"]] = tool
        else:
            malformed.append(MalformedTool(_name_for_show(tool), reason))
    return Listed(list(good.values()), tuple(malformed))


def _name_for_show(tool: Any) -> str:
    """The name of a tool that is left out, without what could break a page or a row."""
    name = tool.get("name") if isinstance(tool, dict) else None
    shown = name[:MAX_NAME_LENGTH] if isinstance(name, str) else ""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in shown)


def _fault_of(tool: Any, known: dict[str, JSON]) -> str | None:
    if not isinstance(tool, dict):
        return "not_an_object"
    name = tool.get("name")
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_NAME_LENGTH or not name.isprintable():
        return "name_invalid"
    if name in known:
        return "name_repeated"
    texts = (tool.get("title"), tool.get("description"))
    if not all(text is None or isinstance(text, str) for text in texts):
        return "text_invalid"
    fault = _schema_fault(tool.get("inputSchema"), "input") or _output_fault(tool.get("outputSchema"))
    return fault or (None if can_be_kept(tool) else "text_invalid")


def _output_fault(schema: Any) -> str | None:
    return None if schema is None else _schema_fault(schema, "output")


def _schema_fault(schema: Any, which: str) -> str | None:
    if not isinstance(schema, dict) or (which == "input" and schema.get("type") != "object"):
        return f"{which}_schema_invalid"
    if _is_deeper_than(schema, MAX_SCHEMA_DEPTH):
        return f"{which}_schema_too_deep"
    if len(orjson.dumps(schema)) > MAX_SCHEMA_BYTES:
        return f"{which}_schema_too_large"
    return None


def _is_deeper_than(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [
            inner
            for container in level
            for inner in (container.values() if isinstance(container, dict) else container)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True
