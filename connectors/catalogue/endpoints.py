"""Where a connector's tool calls go: the servers of a manifest, resolved against its configuration (handbook §5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from connectors.errors import Refused
from connectors.manifest.runtime import ConfiguredEndpoint, Endpoint, RemoteMcpRuntime
from connectors.manifest.schema import Manifest

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Server:
    """One MCP server; the key is empty for a connector with a single endpoint."""

    key: str
    url: str
    transport: str


def resolve_servers(manifest: Manifest, configuration: Mapping[str, object]) -> tuple[Server, ...]:
    """Return the servers a connector talks to; `configuration` holds its public values.

    A program's runtime has none. A configured endpoint without a value is refused as `configuration_incomplete`.
    """
    runtime = manifest.runtime
    if not isinstance(runtime, RemoteMcpRuntime):
        return ()
    options = runtime.options
    declared = [(server.key, server.endpoint) for server in options.servers or ()]
    if options.endpoint is not None:
        declared = [("", options.endpoint)]
    return tuple(Server(key, _resolve(endpoint, configuration), runtime.transport) for key, endpoint in declared)


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address, spelled one way: what a credential may be sent to (RFC 6454)."""
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").rstrip(".")
    try:
        host = host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError:
        host = host.casefold()
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}:{parts.port or _DEFAULT_PORTS.get(scheme, 0)}"


def _resolve(endpoint: Endpoint, configuration: Mapping[str, object]) -> str:
    if not isinstance(endpoint, ConfiguredEndpoint):
        return endpoint.url
    url = configuration.get(endpoint.configuration_field)
    if not isinstance(url, str) or not url:
        raise Refused("configuration_incomplete", field=endpoint.configuration_field)
    return url
