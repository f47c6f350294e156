"""Packages for tests: a manifest that is right, changed where a test wants it, zipped into a real archive."""

import json
import zipfile
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#3b6"/></svg>'

NO_AUTH = {"strategy": "none", "interaction": "none", "fields": [], "options": {"type": "none"}}
STATIC_AUTH = {
    "strategy": "static_credentials",
    "interaction": "form",
    "fields": [
        {"key": "api_key", "type": "secret", "label_key": "authorization.apiKey.label", "required": True, "min_length": 1, "max_length": 4096}
    ],
    "options": {
        "type": "static_credentials",
        "verification": "mcp_initialize_and_list_tools",
        "account_identity": "connection_id",
    },
}  # fmt: skip
OAUTH_AUTH = {
    "strategy": "oauth_authorization_code",
    "interaction": "redirect",
    "fields": [],
    "options": {
        "type": "oauth_authorization_code",
        "discovery": {
            "type": "static",
            "issuer": "https://identity.example.com",
            "authorization_url": "https://identity.example.com/oauth/authorize",
            "token_url": "https://identity.example.com/oauth/token",
        },
        "client_id_configuration_field": "client_id",
        "client_secret_configuration_field": "client_secret",
        "token_endpoint_auth_method": "client_secret_post",
        "scopes": ["records.read"],
        "account_identity": "connection_id",
    },
}
PROGRAM_AUTH = {"strategy": "program", "interaction": "form", "fields": [], "options": {"type": "program"}}
PROGRAM_RUNTIME = {"adapter": "program", "transport": "program", "options": {"type": "program"}}
PROGRAM = {"protocol_version": 1, "runtime": "python", "entrypoint": "provider/main.py", "capabilities": []}
BEARER = {"type": "http_header", "name": "Authorization", "scheme": "Bearer", "credential_field": "api_key"}
ENDPOINT_FIELD = {
    "key": "endpoint",
    "type": "url",
    "label_key": "configuration.endpoint.label",
    "required": True,
    "max_length": 2048,
}
CLIENT_FIELDS = [
    {"key": "client_id", "type": "text", "label_key": "configuration.clientId.label", "required": True},
    {"key": "client_secret", "type": "secret", "label_key": "configuration.clientSecret.label", "required": True},
]


def build_manifest(**overrides: Any) -> dict[str, Any]:
    """A valid manifest without authorization over one configured endpoint; each override replaces a top-level key.

    `key` alone is enough to rename it: `permission_key` follows.
    """
    key = overrides.get("key", "records")
    manifest: dict[str, Any] = {
        "schema_version": 1,
        "platform_api_version": "1",
        "key": key,
        "package_version": "1.0.0",
        "authorization_contract_version": "1",
        "default_locale": "en",
        "locales": ["en", "zh-CN"],
        "presentation": {
            "name_key": "name",
            "description_key": "description",
            "icon": "assets/icon.svg",
            "category": "productivity",
            "sections": [],
            "connection_actions": [],
        },
        "connection_policy": "single_per_user",
        "permission_key": f"feature.connector.{key}",
        "configuration": {"fields": [ENDPOINT_FIELD]},
        "auth": NO_AUTH,
        "runtime": remote_runtime(),
        "tool_policy": {
            "default": "deny",
            "rules": [
                {"tool": "search_records", "effect": "read", "retry": "safe"},
                {"tool": "update_record", "effect": "write", "retry": "never", "confirmation": "not_required"},
                {"tool": "delete_record", "effect": "destructive", "retry": "never", "confirmation": "user_required"},
            ],
        },
        "skills": [],
    }
    manifest.update(overrides)
    return deepcopy(manifest)


def remote_runtime(**options: Any) -> dict[str, Any]:
    """A `remote_mcp` runtime over the configured endpoint, or whatever `options` say instead."""
    if "servers" not in options:
        options.setdefault("endpoint", {"configuration_field": "endpoint"})
    options.setdefault("credential_binding", {"type": "none"})
    return {"adapter": "remote_mcp", "transport": "streamable_http", "options": {"type": "remote_mcp", **options}}


def build_static_manifest(**overrides: Any) -> dict[str, Any]:
    """The same behind one API key, sent as a bearer."""
    return build_manifest(**{"auth": STATIC_AUTH, "runtime": remote_runtime(credential_binding=BEARER), **overrides})


def build_oauth_manifest(**overrides: Any) -> dict[str, Any]:
    parts = {
        "auth": OAUTH_AUTH,
        "runtime": remote_runtime(credential_binding={**BEARER, "credential_field": "access_token"}),
        "configuration": {"fields": [ENDPOINT_FIELD, *CLIENT_FIELDS]},
    }
    return build_manifest(**{**parts, **overrides})


def build_program_manifest(**overrides: Any) -> dict[str, Any]:
    return build_manifest(**{"auth": PROGRAM_AUTH, "runtime": PROGRAM_RUNTIME, "program": PROGRAM, **overrides})


def build_texts(manifest: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """A text for every key the manifest names, in each of its locales."""
    keys = sorted(set(_text_keys(manifest)))
    return {locale: {key: f"{key} ({locale})" for key in keys} for locale in manifest["locales"]}


def build_files(manifest: Mapping[str, Any]) -> dict[str, bytes]:
    """Every file the manifest names, its own included."""
    files = {"manifest.json": _json(manifest)}
    for locale, texts in build_texts(manifest).items():
        files[f"locales/{locale}.json"] = _json(texts)
    if icon := manifest["presentation"].get("icon"):
        files[icon] = ICON.encode()
    if program := manifest.get("program"):
        files[program["entrypoint"]] = b"print('{}')\n"
    for skill in manifest.get("skills", []):
        front = f"---\nname: {skill['key']}\ndescription: When to use it.\n---\n\n# {skill['key']}\n"
        files[f"{skill['path']}/SKILL.md"] = front.encode()
    return files


def build_package(
    path: Path, *, manifest: dict[str, Any] | None = None, files: Mapping[str, bytes | str] | None = None
) -> Path:
    """Write a ZIP to `path`: the manifest and every file it names; `files` adds or replaces single files."""
    content: dict[str, bytes | str] = {**build_files(build_manifest() if manifest is None else manifest)}
    content.update(files or {})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return path


def build_folder(
    folder: Path, *, manifest: dict[str, Any] | None = None, files: Mapping[str, bytes | str] | None = None
) -> Path:
    """The same as a folder."""
    content: dict[str, bytes | str] = {**build_files(build_manifest() if manifest is None else manifest)}
    content.update(files or {})
    for name, data in content.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data.encode() if isinstance(data, str) else data)
    return folder


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2).encode()


def _text_keys(value: Any) -> list[str]:
    if isinstance(value, list):
        return [key for item in value for key in _text_keys(item)]
    if not isinstance(value, dict):
        return []
    own = [v for k, v in value.items() if k.endswith("_key") and k != "permission_key" and v]
    return own + [key for v in value.values() for key in _text_keys(v)]
