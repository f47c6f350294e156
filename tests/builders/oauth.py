"""An OAuth connector over real servers of this process: one guards tools, the other signs people in."""

from typing import Any

from connectors.catalogue.models import Connector
from tests.builders.connectors import make_connector, make_manifest
from tests.fakes.authorization_server import ACCESS, AuthorizationServer
from tests.fakes.mcp_server import McpServer, tool

SECRET = "canary-client-secret-5d1e"
BEARER = {"type": "http_header", "name": "Authorization", "scheme": "Bearer", "credential_field": "access_token"}


def guarded(*names: str) -> McpServer:
    """An MCP server that takes our fake's access token, not yet started."""
    return McpServer([tool(name) for name in names or ("search_notes",)], key=("Authorization", f"Bearer {ACCESS}"))


def describe_resource(server: McpServer, authorization: AuthorizationServer, **changes: Any) -> None:
    """Let the guarded server say, in its refusals, where its protected-resource metadata is."""
    document = {"resource": server.url, "authorization_servers": [authorization.issuer]} | changes
    path = "/.well-known/oauth-protected-resource/mcp"
    server.knobs.documents[path] = document
    server.knobs.challenge = f'Bearer realm="mcp", resource_metadata="{server.origin}{path}", scope="records.read"'


def oauth_options(discovery: dict[str, Any], *, method: str = "client_secret_post", **changes: Any) -> dict[str, Any]:
    options: dict[str, Any] = {
        "type": "oauth_authorization_code",
        "discovery": discovery,
        "client_id_configuration_field": "client_id",
        "token_endpoint_auth_method": method,
        "scopes": ["records.read"],
        "account_identity": "connection_id",
    }
    if method != "none":
        options["client_secret_configuration_field"] = "client_secret"
    return options | changes


def mcp_discovery(authorization: AuthorizationServer) -> dict[str, Any]:
    return {"type": "mcp", "resource_configuration_field": "endpoint", "expected_issuer": authorization.issuer}


def static_discovery(authorization: AuthorizationServer, **changes: Any) -> dict[str, Any]:
    return {
        "type": "static",
        "issuer": authorization.issuer,
        "authorization_url": f"{authorization.issuer}/authorize?prompt=select_account",
        "token_url": f"{authorization.issuer}/token",
    } | changes


def make_oauth_connector(
    server: McpServer, options: dict[str, Any], *, client_id: str = "console", key: str = "records", **changes: Any
) -> Connector:
    """Return a published connector; without a `client_id` the field is there and empty."""
    public = "client_secret_configuration_field" not in options
    fields = [
        {"key": "endpoint", "type": "url", "label_key": "endpoint", "required": True},
        {"key": "client_id", "type": "text", "label_key": "token", "required": False},
        *([] if public else [{"key": "client_secret", "type": "secret", "label_key": "token", "required": False}]),
    ]
    manifest = make_manifest(key, **changes)
    manifest["configuration"] = {"fields": fields}
    manifest["auth"] = {
        "strategy": "oauth_authorization_code",
        "interaction": "redirect",
        "fields": [],
        "options": options,
    }
    manifest["runtime"]["options"]["credential_binding"] = BEARER
    configuration = {"endpoint": server.url} | ({"client_id": client_id} if client_id else {})
    secrets = {} if public or not client_id else {"client_secret": SECRET}
    return make_connector(key, manifest=manifest, configuration=configuration, secrets=secrets)
