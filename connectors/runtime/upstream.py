"""What the MCP client is given and what it hands back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from connectors.vault.secret import Secret

Era = Literal["2026-07-28", "handshake", "sse"]
Transport = Literal["streamable_http", "sse"]
JSON = dict[str, Any]


@dataclass(frozen=True, slots=True)
class UpstreamServer:
    """One MCP server of a connector, with the headers that carry the account's credential."""

    url: str
    transport: str = "streamable_http"
    headers: Mapping[str, Secret] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MalformedTool:
    """A listed tool that cannot be offered; it is left out and shown to the administrator."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ToolList:
    tools: list[JSON]
    malformed: tuple[MalformedTool, ...]
    era: Era
    server_info: JSON


@dataclass(frozen=True, slots=True)
class UpstreamResult:
    """The `result` of a tools/call exactly as the server sent it, plus what the log wants to know."""

    raw: JSON
    server_address: str


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a connection test; `code` and `detail` say what went wrong, both empty when it went well."""

    name: str
    ok: bool
    seconds: float
    code: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """The stages that were tried, in order, ending at the first that failed.

    `reached` is true once the server answered HTTP, even if only to ask for authorization.
    """

    stages: tuple[Stage, ...]
    reached: bool
    tools: tuple[str, ...] = ()
    certificate_expires_at: datetime | None = None

    @property
    def ok(self) -> bool:
        return all(stage.ok for stage in self.stages)
