"""How large and how deep a tool's schema may be (handbook §8): counted here, once, for everything that lists tools."""

import json
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator

MAX_SCHEMA_BYTES = 64 * 1024
MAX_SCHEMA_DEPTH = 20


def json_bytes(value: Any) -> int:
    """Return the size of a JSON value, written compactly in UTF-8."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def json_depth(value: Any) -> int:
    """Return how deep objects and lists are nested; a scalar is 0. Iterative, so that depth itself is no danger."""
    deepest = 0
    waiting = [(value, 1)]
    while waiting:
        part, depth = waiting.pop()
        if isinstance(part, dict | list):
            deepest = max(deepest, depth)
            waiting += [(child, depth + 1) for child in _children(part)]
    return deepest


def _children(part: dict[str, Any] | list[Any]) -> Iterator[Any]:
    yield from part.values() if isinstance(part, dict) else part


def check_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema unchanged; ValueError when it is larger than 64 KiB or deeper than 20."""
    if json_depth(schema) > MAX_SCHEMA_DEPTH:
        raise ValueError(f"the schema is deeper than {MAX_SCHEMA_DEPTH}")
    if json_bytes(schema) > MAX_SCHEMA_BYTES:
        raise ValueError(f"the schema is larger than {MAX_SCHEMA_BYTES} bytes")
    return schema


ToolSchema = Annotated[dict[str, Any], AfterValidator(check_schema)]
