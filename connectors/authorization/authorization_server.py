"""The authorization server of a connector: what is known of it before anybody is sent there (handbook §5)."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from connectors.authorization.discovery import discover_server
from connectors.authorization.server_metadata import AuthorizationServer
from connectors.errors import Refused, UpstreamFault
from connectors.manifest.auth import OAuthOptions, StaticDiscovery
from connectors.manifest.auth_checks import origin
from connectors.runtime.deadline import Deadline

_ENDPOINTS = ("authorization_url", "token_url", "revocation_url")


async def find_server(
    options: OAuthOptions, configuration: Mapping[str, object], *, deadline: Deadline
) -> AuthorizationServer:
    """Return the server a package names, or the one found through its MCP server's metadata.

    Raises `Refused("configuration_incomplete")` without a resource, and what `discover_server` raises.
    """
    discovery = options.discovery
    if isinstance(discovery, StaticDiscovery):
        return _read_static(discovery)
    resource = configuration.get(discovery.resource_configuration_field)
    if not isinstance(resource, str) or not resource:
        raise Refused("configuration_incomplete", field=discovery.resource_configuration_field)
    return await discover_server(resource, expected_issuer=discovery.expected_issuer, deadline=deadline)


def _read_static(discovery: StaticDiscovery) -> AuthorizationServer:
    """Endpoints named by the package; that they share the issuer's origin was checked when it was installed (§20)."""
    for name in _ENDPOINTS:
        url = getattr(discovery, name)
        if url is not None and (origin(url) != origin(discovery.issuer) or "@" in urlsplit(url).netloc):
            raise UpstreamFault("endpoint_elsewhere", endpoint=name, issuer=discovery.issuer)
    return AuthorizationServer(
        issuer=discovery.issuer,
        authorization_endpoint=discovery.authorization_url,
        token_endpoint=discovery.token_url,
        revocation_endpoint=discovery.revocation_url or "",
        resource=discovery.resource or "",
    )
