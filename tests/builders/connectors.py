"""Connectors, connections, agents and grants, as rows; no archive, no network."""

import copy
import hashlib
from collections.abc import Iterable
from itertools import count
from typing import Any

from django.db import transaction
from django.utils import timezone

from connectors.access.models import Agent, AgentToken, Team, User
from connectors.access.tokens import digest_token, make_token
from connectors.authorization.credentials import seal_credential
from connectors.authorization.models import Connection
from connectors.catalogue.fingerprint import compute_fingerprint
from connectors.catalogue.models import Category, Connector, PackageIcon, PackageVersion
from connectors.catalogue.sealed_configuration import seal_values
from connectors.manifest.reading import load_manifest
from connectors.policy.models import Grant
from connectors.vault.secret import Secret
from tests.builders.people import make_user

_numbers = count(1)

ICON = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1H0z"/></svg>'
TEXTS = {
    "en": {"name": "Notebook", "description": "Notes and records.", "endpoint": "Address", "token": "Token"},
    "zh-CN": {"name": "笔记本", "description": "笔记与记录。", "endpoint": "地址", "token": "令牌"},
}
RULES: tuple[dict[str, str], ...] = (
    {"tool": "search_notes", "effect": "read", "retry": "safe"},
    {"tool": "add_note", "effect": "write", "retry": "never", "confirmation": "not_required"},
    {"tool": "delete_note", "effect": "destructive", "retry": "never", "confirmation": "user_required"},
)
STATIC_AUTH: dict[str, Any] = {
    "strategy": "static_credentials",
    "interaction": "form",
    "fields": [{"key": "token", "type": "secret", "label_key": "token", "required": True}],
    "options": {
        "type": "static_credentials",
        "verification": "mcp_initialize_and_list_tools",
        "account_identity": "connection_id",
    },
}
BEARER = {"type": "http_header", "name": "Authorization", "scheme": "Bearer", "credential_field": "token"}


def make_manifest(
    key: str,
    *,
    version: str = "1.0.0",
    static: bool = False,
    policy: str = "single_per_user",
    rules: Iterable[dict[str, str]] = RULES,
    **changes: Any,
) -> dict[str, Any]:
    """Return a valid manifest document: one configured endpoint, no authorization or a bearer token."""
    manifest: dict[str, Any] = {
        "schema_version": 1,
        "platform_api_version": "1",
        "key": key,
        "package_version": version,
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
        "connection_policy": policy,
        "permission_key": f"feature.connector.{key}",
        "configuration": {
            "fields": [{"key": "endpoint", "type": "url", "label_key": "endpoint", "required": True}],
        },
        "auth": {"strategy": "none", "interaction": "none", "fields": [], "options": {"type": "none"}},
        "runtime": {
            "adapter": "remote_mcp",
            "transport": "streamable_http",
            "options": {
                "type": "remote_mcp",
                "endpoint": {"configuration_field": "endpoint"},
                "credential_binding": {"type": "none"},
            },
        },
        "tool_policy": {"default": "deny", "rules": list(rules)},
        "skills": [],
    }
    if static:
        manifest["auth"] = copy.deepcopy(STATIC_AUTH)
        manifest["runtime"]["options"]["credential_binding"] = dict(BEARER)
    return manifest | changes


def make_connector(
    key: str = "",
    *,
    published: bool = True,
    endpoint: str = "http://127.0.0.1:1/mcp",
    configuration: dict[str, Any] | None = None,
    secrets: dict[str, str] | None = None,
    everyone: bool = True,
    teams: Iterable[Team] = (),
    people: Iterable[User] = (),
    manifest: dict[str, Any] | None = None,
    texts: dict[str, dict[str, str]] | None = None,
    **manifest_changes: Any,
) -> Connector:
    """Return a connector as installing its package would leave it; `static=True` asks for a bearer token."""
    key = key or f"notebook{next(_numbers)}"
    document = manifest or make_manifest(key, **manifest_changes)
    version = make_version(document, key=key, texts=texts)
    category, _made = Category.objects.get_or_create(key=document["presentation"]["category"])
    public = {"endpoint": endpoint} if configuration is None else configuration
    connector = Connector.objects.create(
        key=key,
        status=Connector.Status.PUBLISHED if published else Connector.Status.DRAFT,
        published_at=timezone.now() if published else None,
        version=version,
        category=category,
        configuration=public,
        authorization_fingerprint=compute_fingerprint(load_manifest(document), public),
        everyone=everyone,
    )
    connector.teams.set(teams)
    connector.people.set(people)
    seal_values(connector, {field: Secret(value) for field, value in (secrets or {}).items()}, None)
    return connector


def make_version(
    document: dict[str, Any], *, key: str = "", texts: dict[str, dict[str, str]] | None = None
) -> PackageVersion:
    """Return a package version as a row with its icon, without an archive."""
    key, number = key or document["key"], document["package_version"]
    revision = hashlib.sha256(f"{key} {document}".encode()).hexdigest()
    version = PackageVersion.objects.create(
        key=key,
        version=number,
        manifest_revision=revision,
        archive_sha256=revision,
        archive_size=1,
        object_key=f"connectors/packages/{key}/{number}/{revision}.zip",
        manifest=document,
        texts=texts or TEXTS,
    )
    PackageIcon.objects.create(
        version=version, media_type="image/svg+xml", content=ICON, digest=hashlib.sha256(ICON).hexdigest()
    )
    return version


def make_connection(
    person: User, connector: Connector, *, alias: str = "", values: dict[str, str] | None = None, **fields: Any
) -> Connection:
    """Return an active connection, authorized under the connector's present fingerprint; `values` are its credential."""
    fields.setdefault("authorization_fingerprint", connector.authorization_fingerprint)
    connection = Connection.objects.create(
        person=person, connector=connector, alias=alias, verified_at=timezone.now(), **fields
    )
    if values:
        with transaction.atomic():
            seal_credential(connection, {key: Secret(value) for key, value in values.items()})
    return connection


def make_agent(owner: User | None = None, name: str = "") -> tuple[Agent, str]:
    """Return an agent and the text of its token."""
    agent = Agent.objects.create(owner=owner or make_user(), name=name or f"agent {next(_numbers)}")
    token = make_token()
    AgentToken.objects.create(agent=agent, digest=digest_token(token), hint=token[-4:])
    return agent, token


def make_grant(
    agent: Agent,
    connection: Connection,
    *,
    breadth: str = Grant.Breadth.ALL,
    access: str = Grant.Access.READ_WRITE,
    tools: Iterable[str] = (),
) -> Grant:
    return Grant.objects.create(agent=agent, connection=connection, breadth=breadth, access=access, tools=list(tools))
