"""Where a package will talk to, as far as its manifest tells (console.md, Install 2)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from connectors.manifest.auth import OAuthAuth, StaticDiscovery
from connectors.manifest.hosts import host_of
from connectors.manifest.runtime import FixedEndpoint, RemoteMcpRuntime
from connectors.manifest.schema import Manifest


@dataclass(frozen=True, slots=True)
class Host:
    """A host the package names. With a `field` it is what an administrator types in there, `host` only its default."""

    host: str
    field: str
    purpose: str  # tools, authorization, other


def find_hosts(manifest: Manifest, labels: Mapping[str, str]) -> tuple[Host, ...]:
    """Return every host of the manifest; `labels` are the configuration fields' own. A program may open others."""
    named = dict.fromkeys([*_tool_hosts(manifest, labels), *_sign_in_hosts(manifest)])
    told = {host.field for host in named}
    return (*named, *(host for host in _other_fields(manifest, labels) if host.field not in told))


def _tool_hosts(manifest: Manifest, labels: Mapping[str, str]) -> Iterator[Host]:
    if not isinstance(manifest.runtime, RemoteMcpRuntime):
        return
    options, defaults = manifest.runtime.options, _defaults(manifest)
    single = (options.endpoint,) if options.endpoint else ()
    for endpoint in (*single, *(server.endpoint for server in options.servers or ())):
        if isinstance(endpoint, FixedEndpoint):
            yield Host(host_of(endpoint.url), "", "tools")
        else:
            field = endpoint.configuration_field
            yield Host(defaults.get(field, ""), labels.get(field, field), "tools")


def _sign_in_hosts(manifest: Manifest) -> Iterator[Host]:
    if not isinstance(manifest.auth, OAuthAuth):
        return
    discovery = manifest.auth.options.discovery
    if not isinstance(discovery, StaticDiscovery):
        yield Host(host_of(discovery.expected_issuer), "", "authorization")
        return
    urls = (discovery.issuer, discovery.authorization_url, discovery.token_url, discovery.revocation_url)
    yield from (Host(host_of(url), "", "authorization") for url in urls if url)


def _other_fields(manifest: Manifest, labels: Mapping[str, str]) -> Iterator[Host]:
    defaults = _defaults(manifest)
    for field in manifest.configuration.fields:
        if field.type == "url":
            yield Host(defaults.get(field.key, ""), labels.get(field.key, field.key), "other")


def _defaults(manifest: Manifest) -> dict[str, str]:
    fields = manifest.configuration.fields
    return {one.key: host_of(one.default) for one in fields if one.type == "url" and isinstance(one.default, str)}
