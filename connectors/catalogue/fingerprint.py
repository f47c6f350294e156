"""The authorization fingerprint: what a credential was granted for (handbook §9, decision record 0008).

Two equal fingerprints mean an old credential is still good for the same thing, at the same place. Labels, icons,
Skills, tool descriptions and a rotated client secret do not enter it.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from connectors.catalogue.binding import header_binding
from connectors.catalogue.endpoints import origin_of, resolve_servers
from connectors.manifest.auth import McpDiscovery, OAuthAuth
from connectors.manifest.fields import Field
from connectors.manifest.runtime import ConfiguredEndpoint, RemoteMcpRuntime
from connectors.manifest.schema import Manifest


def compute_fingerprint(manifest: Manifest, configuration: Mapping[str, object], *, identity: Any = None) -> str:
    """Return the SHA-256 (hex) of the authorization contract; `configuration` holds the public values.

    `identity` is what a program's `authorization_identity` answered. Where a credential goes out in a header, the
    origins it goes to count, so a credential never follows a changed address (safety §25).
    """
    auth = manifest.auth
    contract: dict[str, Any] = {
        "contract": manifest.authorization_contract_version,
        "strategy": auth.strategy,
        "interaction": auth.interaction,
        "options": auth.options.model_dump(mode="json"),
        "fields": sorted((_describe(field) for field in auth.fields), key=lambda field: str(field["key"])),
        "identity": identity,
    }
    if isinstance(auth, OAuthAuth):
        contract["oauth"] = _describe_oauth(auth, configuration)
    if header_binding(manifest):
        contract["origins"] = {server.key: origin_of(server.url) for server in resolve_servers(manifest, configuration)}
    canonical = json.dumps(contract, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def fields_that_count(manifest: Manifest) -> frozenset[str]:
    """Return the configuration fields whose values enter the fingerprint; what a program makes of them is its own."""
    auth, runtime = manifest.auth, manifest.runtime
    found: set[str] = set()
    if isinstance(auth, OAuthAuth):
        found.add(auth.options.client_id_configuration_field)
        if isinstance(auth.options.discovery, McpDiscovery):
            found.add(auth.options.discovery.resource_configuration_field)
    if header_binding(manifest) and isinstance(runtime, RemoteMcpRuntime):
        options = runtime.options
        endpoints = [options.endpoint, *(server.endpoint for server in options.servers or ())]
        found |= {one.configuration_field for one in endpoints if isinstance(one, ConfiguredEndpoint)}
    return frozenset(found)


def _describe(field: Field) -> dict[str, Any]:
    return {
        "key": field.key,
        "type": field.type,
        "required": field.required,
        "default": field.default,
        "range": [field.minimum, field.maximum, field.min_length, field.max_length],
        "options": sorted(option.value for option in field.options),
    }


def _describe_oauth(auth: OAuthAuth, configuration: Mapping[str, object]) -> dict[str, Any]:
    """The endpoints themselves stand in the options; what is configured is resolved here."""
    options = auth.options
    described: dict[str, Any] = {"client_id": configuration.get(options.client_id_configuration_field)}
    if isinstance(options.discovery, McpDiscovery):
        described["resource"] = configuration.get(options.discovery.resource_configuration_field)
    return described
