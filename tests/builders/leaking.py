"""Packages that leak on purpose: whatever they are told goes to stderr, into messages and into tracebacks."""

import json
from pathlib import Path
from typing import Any

from tests.builders.packages import (
    BEARER,
    CLIENT_FIELDS,
    ENDPOINT_FIELD,
    OAUTH_AUTH,
    PROGRAM,
    PROGRAM_AUTH,
    build_manifest,
    build_package,
    build_static_manifest,
    remote_runtime,
)

KEY_FIELD = {"key": "api_key", "type": "secret", "label_key": "authorization.apiKey.label", "required": True}
PASS_FIELD = {"key": "passphrase", "type": "secret", "label_key": "configuration.pass.label", "required": False}
RULES = [
    {"tool": "find", "effect": "read", "retry": "never"},
    {"tool": "crash", "effect": "read", "retry": "never"},
    {"tool": "refuse", "effect": "read", "retry": "never"},
]
PROVIDER = """
import itertools, json, sys, time
from urllib.parse import urlencode

text = sys.stdin.read()
# The marker is put together below: the source itself is shown, and must not hold it.
print(text, file=sys.stderr)  # all of it, secrets and all
request = json.loads(text)
context, operation = request["context"], request["operation"]

def secret(kind):
    return "can" + "ary-" + kind + "-" + KEY + "-" + str(time.time_ns())

def fail(code, message):
    print(json.dumps({"protocol_version": 1, "ok": False, "error": {"code": code, "message": message, "retryable": False}}))
    sys.exit(0)

def account(name):
    return {"external_account_id": name, "external_account_name": name.title(), "granted_scopes": [],
            "credential": {"values": {"token": secret("token"), "access_token": secret("bearer")}},
            "public_metadata": {}}

def tool(key):
    return {"key": key, "upstream_name": key, "description": key, "input_schema": {"type": "object"}, "effect": "read",
            "retry_policy": "never", "confirmation": "not_required", "source_revision": "1"}

if operation == "configuration_validate":
    result = {}
elif operation == "authorization_identity":
    result = {"identity": None}
elif operation == "authorization_begin":
    url = "https://id.example.com/?" + urlencode({"state": context.get("state") or ""})
    result = {"none": {"type": "account", "account": account("everybody")}, "form": {"type": "form"},
              "redirect": {"type": "redirect", "authorize_url": url, "private_context": {"nonce": secret("nonce")}},
              }[INTERACTION]
elif operation == "authorization_complete":
    given = context["submission"]
    typed = given["code"] if given["type"] == "oauth_code" else given["values"]["api_key"]
    if "wrong" in typed:
        fail("authorization_required", "I do not take " + typed + " with " + json.dumps(context))
    if "crash" in typed:
        raise RuntimeError(text)
    result = account("bob" if "bob" in typed else "ann")
elif operation == "credential_refresh":
    if "down" in PASS_IF_DOWN(context):
        fail("unavailable", "later, " + json.dumps(context["credential"]))
    result = {"credential": {"values": {"token": secret("token"), "access_token": secret("bearer")}}}
elif operation == "credential_revoke":
    fail("unavailable", "not yet, " + json.dumps(context["credential"]))
elif operation == "tools_discover":
    result = {"tools": [tool("find"), tool("crash"), tool("refuse")]}
elif context["tool_name"] == "crash":
    raise RuntimeError(text)
elif context["tool_name"] == "refuse":
    fail("external_error", "not with " + json.dumps(context["credentials"]))
else:
    result = {"content": [{"type": "text", "text": "found"}], "structured_content": None, "is_error": False, "error": None}
print(json.dumps({"protocol_version": 1, "ok": True, "result": result}))
"""


def pack_program(folder: Path, interaction: str, *, mixed: bool = False) -> Path:
    """A program of each interaction; a mixed one lets a standard server be called with what it signs in to."""
    key = f"program-{interaction}{'-mixed' if mixed else ''}"
    source = PROVIDER.replace("PASS_IF_DOWN(context)", 'context["configuration"]["secret"].get("passphrase", "")')
    changes: dict[str, Any] = {
        "auth": {**PROGRAM_AUTH, "interaction": interaction, "fields": [KEY_FIELD] if interaction == "form" else []},
        "runtime": {"adapter": "program", "transport": "program", "options": {"type": "program"}},
        "program": {**PROGRAM, "capabilities": ["credential_refresh", "credential_revoke"]},
        "configuration": {"fields": [ENDPOINT_FIELD, PASS_FIELD]},
        "tool_policy": {"default": "deny", "rules": RULES},
    }
    if mixed:
        binding = {**BEARER, "credential_field": "access_token"}
        changes["runtime"] = remote_runtime(credential_binding=binding)
    manifest = build_manifest(key=key, **changes)
    files: dict[str, bytes | str] = {"provider/main.py": f"INTERACTION, KEY = {interaction!r}, {key!r}\n{source}"}
    return build_package(folder / f"{key}.zip", manifest=manifest, files=files)


def pack_static(folder: Path) -> Path:
    return build_package(folder / "keyed.zip", manifest=build_static_manifest(key="keyed"))


def pack_oauth(folder: Path, key: str, issuer: str, method: str, *, optional: bool = False) -> Path:
    """Standard OAuth found by discovery; with `optional` client fields it registers itself."""
    auth: dict[str, Any] = json.loads(json.dumps(OAUTH_AUTH))
    auth["options"]["discovery"] = {
        "type": "mcp",
        "resource_configuration_field": "endpoint",
        "expected_issuer": issuer,
    }
    auth["options"]["token_endpoint_auth_method"] = method
    fields = [{**field, "required": not optional} for field in CLIENT_FIELDS]
    if method == "none":
        del auth["options"]["client_secret_configuration_field"]
        fields = fields[:1]
    manifest = build_manifest(
        key=key,
        auth=auth,
        runtime=remote_runtime(credential_binding={**BEARER, "credential_field": "access_token"}),
        configuration={"fields": [ENDPOINT_FIELD, *fields]},
    )
    return build_package(folder / f"{key}.zip", manifest=manifest)
