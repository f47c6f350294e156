"""Programs as packages carry them, and a context for every operation."""

import json
from pathlib import Path
from textwrap import dedent
from typing import Any
from uuid import UUID

from connectors.runtime import program_context as contexts
from connectors.runtime.program import ProgramSource
from connectors.runtime.protocol import PackageName
from connectors.vault.secret import Secret

CONNECTION = UUID("0192f0c1-2e5b-7c1a-9b59-3a8d0f6f4b10")
CAPABILITIES = frozenset({"credential_refresh", "credential_revoke", "launch_url"})
TOOL = {
    "key": "search",
    "upstream_name": "records_search",
    "description": "Search business records.",
    "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    "output_schema": None,
    "effect": "read",
    "retry_policy": "safe",
    "confirmation": "not_required",
    "source_revision": "search-v1",
}
ACCOUNT = {
    "external_account_id": "account-1",
    "external_account_name": "Example",
    "granted_scopes": ["records.read"],
    "credential": {"values": {"access_token": "t0p"}, "expires_at": "2026-09-08T12:00:00Z", "refresh_expires_at": None},
    "public_metadata": {"region": "cn"},
    "invalidates_existing_credential": True,
}
RESULTS: dict[str, Any] = {
    "configuration_validate": {},
    "authorization_identity": {"identity": {"origin": "https://records.example.com"}},
    "authorization_begin": {"type": "form"},
    "authorization_complete": ACCOUNT,
    "credential_refresh": {"credential": {"values": {"access_token": "n3w"}}, "granted_scopes": None},
    "credential_revoke": {},
    "tools_discover": {"tools": [TOOL]},
    "tool_invoke": {"content": [{"type": "text", "text": "Matched 3 records"}], "structured_content": {"items": []}},
    "launch_url": {"url": "https://records.example.com/"},
}
READ = "import json, os, sys, time\nrequest = json.load(sys.stdin)\n"
WELL_BEHAVED = """
import json, sys
import answers  # a sibling file: the whole provider/ is there
request = json.load(sys.stdin)
print("working on", request["operation"], file=sys.stderr)
result = answers.RESULTS[request["operation"]]
json.dump({"protocol_version": 1, "ok": True, "result": result}, sys.stdout)
"""


def make_program(folder: Path, main: str, **files: str | bytes) -> ProgramSource:
    """Write `provider/main.py` and its siblings (name without .py → source; bytes are written as they are)."""
    provider = folder / "provider"
    provider.mkdir(parents=True, exist_ok=True)
    (provider / "main.py").write_text(dedent(main))
    for name, content in files.items():
        if isinstance(content, bytes):
            (provider / name).write_bytes(content)
        else:
            (provider / f"{name}.py").write_text(dedent(content))
    return ProgramSource(folder, "provider/main.py", PackageName("records", "1.0.0"), CAPABILITIES)


def make_well_behaved(folder: Path) -> ProgramSource:
    return make_program(folder, WELL_BEHAVED, answers=f"RESULTS = {RESULTS!r}")


def answering(result: Any) -> str:
    """Source that reads its request and answers with that result."""
    envelope = json.dumps({"protocol_version": 1, "ok": True, "result": result})
    return f"{READ}sys.stdout.write({envelope!r})\n"


def make_context(operation: str, **changes: Any) -> contexts.Context:
    configuration = contexts.Configuration(public={"region": "cn"}, secret={"client_secret": Secret("s3cr3t-config")})
    options = {"type": "program"}
    credential = contexts.StoredCredential(values={"access_token": Secret("s3cr3t-token")})
    tools = {
        "configuration": configuration,
        "options": options,
        "transport": "program",
        "credentials": {"access_token": Secret("s3cr3t-token")},
        "connection_metadata": {"region": "cn"},
        "definition_id": CONNECTION,
        "connection_id": CONNECTION,
        "configuration_revision": 1,
        "authorization_fingerprint": "f" * 64,
        "grant_revision": 1,
        "credential_version": 1,
    }
    shared = {"configuration": configuration, "options": options}
    parts: dict[str, tuple[type[contexts.Context], dict[str, Any]]] = {
        "configuration_validate": (
            contexts.ConfigurationValidate,
            {"configuration": configuration, "require_complete": True},
        ),
        "authorization_identity": (contexts.AuthorizationIdentity, shared),
        "authorization_begin": (contexts.AuthorizationBegin, {**shared, "intent": "connect"}),
        "authorization_complete": (
            contexts.AuthorizationComplete,
            {
                **shared,
                "intent": "connect",
                "private_context": {},
                "submission": contexts.Credentials(values={"api_key": Secret("s3cr3t-key")}),
            },
        ),
        "credential_refresh": (contexts.CredentialRefresh, {**shared, "credential": credential}),
        "credential_revoke": (contexts.CredentialRevoke, {**shared, "credential": credential}),
        "tools_discover": (contexts.ToolsDiscover, tools),
        "tool_invoke": (contexts.ToolInvoke, {**tools, "tool_name": "records_search", "arguments": {"query": "x"}}),
        "launch_url": (contexts.LaunchUrl, {"public_configuration": {"region": "cn"}, "connection_metadata": {}}),
    }
    kind, values = parts[operation]
    return kind(**{**values, **changes})
