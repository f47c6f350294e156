"""A context to start from when an author runs an operation: everything the handbook names, with harmless values."""

from typing import Any

from connectors.manifest.fields import Field
from connectors.manifest.schema import Manifest

_ID = "00000000-0000-4000-8000-000000000001"


def sample_context(operation: str, manifest: Manifest, configuration: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the operation's whole context; configuration holds the manifest's defaults when none is given."""
    configuration = configuration or {"public": _public(manifest), "secret": {}}
    authorization = {"configuration": configuration, "options": manifest.auth.options.model_dump(mode="json")}
    tools = {
        "configuration": configuration,
        "options": manifest.runtime.options.model_dump(mode="json", exclude_none=True),
        "transport": manifest.runtime.transport,
        "credentials": {},
        "connection_metadata": {},
        "definition_id": _ID,
        "connection_id": _ID,
        "configuration_revision": 1,
        "authorization_fingerprint": "0" * 64,
        "grant_revision": 1,
        "credential_version": 1,
    }
    begin: dict[str, str | None] = {"state": None, "redirect_uri": None, "code_challenge": None}
    if manifest.auth.interaction == "redirect":
        begin = {"state": "sample-state", "redirect_uri": "https://console.example/cb", "code_challenge": "sample"}
    samples: dict[str, dict[str, Any]] = {
        "configuration_validate": {"configuration": configuration, "require_complete": True},
        "authorization_identity": authorization,
        "authorization_begin": {**authorization, "intent": "connect", **begin},
        "authorization_complete": {
            **authorization,
            "intent": "connect",
            "private_context": {},
            "submission": {"type": "credentials", "values": {}} if manifest.auth.fields else {"type": "none"},
        },
        "credential_refresh": {**authorization, "credential": {"values": {}}},
        "credential_revoke": {**authorization, "credential": {"values": {}}},
        "tools_discover": tools,
        "tool_invoke": {**tools, "tool_name": "", "arguments": {}, "invocation_id": _ID},
        "launch_url": {"public_configuration": configuration["public"], "connection_metadata": {}},
    }
    return samples[operation]


def _public(manifest: Manifest) -> dict[str, Any]:
    return {field.key: field.default for field in manifest.configuration.fields if _has_default(field)}


def _has_default(field: Field) -> bool:
    return getattr(field, "default", None) is not None
