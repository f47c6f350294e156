"""What answers the tool calls: a remote MCP service or the package's own program (handbook §5, §8)."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag
from pydantic import Field as Constraint

from connectors.manifest.formats import CredentialKey, Entrypoint, FieldKey, HeaderName, HeaderScheme, ServerKey, Url
from connectors.manifest.part import One, Part, told_apart_by

Transport = Literal["streamable_http", "sse"]
Capability = Literal["credential_refresh", "credential_revoke", "launch_url"]
MAX_SERVERS = 16


class FixedEndpoint(Part):
    url: Url


class ConfiguredEndpoint(Part):
    """The address is what the administrator typed into this required `url` field."""

    configuration_field: FieldKey


def _endpoint_source(value: Any) -> str | None:
    if isinstance(value, FixedEndpoint | ConfiguredEndpoint):
        return "@url" if isinstance(value, FixedEndpoint) else "@configuration_field"
    given = {"url", "configuration_field"} & set(value) if isinstance(value, dict) else set()
    return f"@{given.pop()}" if len(given) == 1 else None


Endpoint = Annotated[
    Annotated[FixedEndpoint, Tag("@url")] | Annotated[ConfiguredEndpoint, Tag("@configuration_field")],
    Discriminator(_endpoint_source),
]


class DeclaredServer(Part):
    key: ServerKey
    endpoint: Endpoint


class NoBinding(Part):
    type: Literal["none"]


class HeaderBinding(Part):
    """Send `<scheme> <value of credential_field>` in this header."""

    type: Literal["http_header"]
    name: HeaderName
    scheme: HeaderScheme | None = None
    credential_field: CredentialKey


CredentialBinding = Annotated[
    Annotated[NoBinding, Tag("@none")] | Annotated[HeaderBinding, Tag("@http_header")], told_apart_by("type")
]


class RemoteMcpOptions(Part):
    type: Literal["remote_mcp"]
    endpoint: Endpoint | None = None
    servers: Annotated[tuple[DeclaredServer, ...], Constraint(min_length=1, max_length=MAX_SERVERS)] | None = None
    credential_binding: CredentialBinding


class RemoteMcpRuntime(Part):
    adapter: Literal["remote_mcp"]
    transport: Transport
    options: RemoteMcpOptions


class ProgramRuntimeOptions(Part):
    type: Literal["program"]


class ProgramRuntime(Part):
    adapter: Literal["program"]
    transport: Literal["program"]
    options: ProgramRuntimeOptions


Runtime = Annotated[
    Annotated[RemoteMcpRuntime, Tag("@remote_mcp")] | Annotated[ProgramRuntime, Tag("@program")],
    told_apart_by("adapter"),
]


class Program(Part):
    """The package's own code; present exactly when the auth strategy or the runtime adapter is `program`."""

    protocol_version: One
    runtime: Literal["python"]
    entrypoint: Entrypoint
    capabilities: tuple[Capability, ...] = ()
