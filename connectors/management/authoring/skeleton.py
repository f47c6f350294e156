"""The files of a new package: valid as they are, small enough to read whole (handbook §2–§8)."""

import json
from pathlib import Path
from typing import Any

STRATEGIES = ("none", "static", "oauth", "program")
_STARTER = Path(__file__).parent / "starter"
_ENDPOINT = "https://tools.example.com/mcp"
_TEXTS = {
    "name": ("{key}", "{key}"),
    "description": ("Searches the records of {key}.", "查询 {key} 的业务记录。"),
    "configuration.group": ("Service", "服务配置"),
    "configuration.endpoint.label": ("Address", "服务地址"),
    "configuration.endpoint.description": ("Where the service answers.", "服务的访问地址。"),
    "configuration.client_id.label": ("Client ID", "客户端 ID"),
    "configuration.client_secret.label": ("Client secret", "客户端密钥"),
    "authorization.api_key.label": ("API key", "API 密钥"),
    "authorization.api_key.description": ("Your own key; it is stored encrypted.", "你自己的密钥，加密保存。"),
    "capabilities.title": ("What it can do", "支持的能力"),
    "capabilities.search.title": ("Search records", "查询记录"),
    "capabilities.search.description": ("Finds records by keyword.", "按关键词查找记录。"),
}
_NOTES = {
    "none": "- `auth`: nobody is asked for anything.",
    "static": "- `auth.fields`: what each person is asked for; `credential_binding` says in which header it is sent.",
    "oauth": "- `auth.options`: every address must be on the issuer's site; ask for as few `scopes` as will do.",
    "program": "- `auth` and `runtime` are the program's: it answers one operation a call, see `provider/main.py`.",
}


def make_skeleton(key: str, strategy: str, locales: tuple[str, ...]) -> dict[str, str]:
    """The text of every file by its path."""
    manifest = _manifest(key, strategy, locales)
    named = _text_keys(manifest)
    files = {
        "manifest.json": _json(manifest),
        "assets/icon.svg": _read("icon.svg"),
        "README.md": _readme(key, strategy),
    }
    for locale in locales:
        column = 1 if locale.lower().startswith("zh") else 0
        files[f"locales/{locale}.json"] = _json(
            {name: texts[column].format(key=key) for name, texts in _TEXTS.items() if name in named}
        )
    if strategy == "program":
        files["provider/main.py"] = _read("main.py.txt")
    return files


def _manifest(key: str, strategy: str, locales: tuple[str, ...]) -> dict[str, Any]:
    manifest = {
        "schema_version": 1,
        "platform_api_version": "1",
        "key": key,
        "package_version": "1.0.0",
        "authorization_contract_version": "1",
        "default_locale": locales[0],
        "locales": list(locales),
        "presentation": _presentation(),
        "connection_policy": "single_per_user",
        "permission_key": f"feature.connector.{key}",
        "configuration": {"fields": [_ENDPOINT_FIELD, *(_CLIENT_FIELDS if strategy == "oauth" else ())]},
        "auth": _AUTH[strategy],
        "runtime": _runtime(strategy),
    }
    if strategy == "program":
        manifest["program"] = {
            "protocol_version": 1,
            "runtime": "python",
            "entrypoint": "provider/main.py",
            "capabilities": [],
        }
    rules = [{"tool": "search_records", "effect": "read", "retry": "safe"}]
    return {**manifest, "tool_policy": {"default": "deny", "rules": rules}, "skills": []}


def _presentation() -> dict[str, Any]:
    item = {"title_key": "capabilities.search.title", "description_key": "capabilities.search.description"}
    return {
        "name_key": "name",
        "description_key": "description",
        "icon": "assets/icon.svg",
        "category": "productivity",
        "sections": [{"type": "capability_list", "title_key": "capabilities.title", "items": [item]}],
        "connection_actions": [],
    }


def _runtime(strategy: str) -> dict[str, Any]:
    if strategy == "program":
        return {"adapter": "program", "transport": "program", "options": {"type": "program"}}
    binding: dict[str, Any] = {"type": "none"}
    if strategy != "none":
        sent = "api_key" if strategy == "static" else "access_token"
        binding = {"type": "http_header", "name": "Authorization", "scheme": "Bearer", "credential_field": sent}
    options = {
        "type": "remote_mcp",
        "endpoint": {"configuration_field": "endpoint"},
        "credential_binding": binding,
    }
    return {"adapter": "remote_mcp", "transport": "streamable_http", "options": options}


_ENDPOINT_FIELD = {
    "key": "endpoint",
    "type": "url",
    "label_key": "configuration.endpoint.label",
    "description_key": "configuration.endpoint.description",
    "group_key": "configuration.group",
    "required": True,
    "default": _ENDPOINT,
    "max_length": 2048,
}
_CLIENT_FIELDS = tuple(
    {
        "key": key,
        "type": kind,
        "label_key": f"configuration.{key}.label",
        "group_key": "configuration.group",
        "required": True,
        "max_length": 1024,
    }
    for key, kind in (("client_id", "text"), ("client_secret", "secret"))
)
_KEY_FIELD = {
    "key": "api_key",
    "type": "secret",
    "label_key": "authorization.api_key.label",
    "description_key": "authorization.api_key.description",
    "required": True,
    "min_length": 1,
    "max_length": 4096,
}
_AUTH: dict[str, dict[str, Any]] = {
    "none": {"strategy": "none", "interaction": "none", "fields": [], "options": {"type": "none"}},
    "static": {
        "strategy": "static_credentials",
        "interaction": "form",
        "fields": [_KEY_FIELD],
        "options": {
            "type": "static_credentials",
            "verification": "mcp_initialize_and_list_tools",
            "account_identity": "connection_id",
        },
    },
    "oauth": {
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
                "revocation_url": "https://identity.example.com/oauth/revoke",
                "resource": _ENDPOINT,
            },
            "client_id_configuration_field": "client_id",
            "client_secret_configuration_field": "client_secret",
            "token_endpoint_auth_method": "client_secret_basic",
            "scopes": ["records.read"],
            "account_identity": "connection_id",
        },
    },
    "program": {"strategy": "program", "interaction": "form", "fields": [_KEY_FIELD], "options": {"type": "program"}},
}


def _readme(key: str, strategy: str) -> str:
    row = "| `provider/` | the program; keep it to the standard library and httpx |\n" if strategy == "program" else ""
    return _read("README.md").format(key=key, program_row=row, auth_note=_NOTES[strategy])


def _read(name: str) -> str:
    return (_STARTER / name).read_text(encoding="utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _text_keys(value: Any) -> set[str]:
    if isinstance(value, list):
        return {key for item in value for key in _text_keys(item)}
    if not isinstance(value, dict):
        return set()
    own = {item for name, item in value.items() if name.endswith("_key") and name != "permission_key"}
    return own.union(*(_text_keys(item) for item in value.values()))
