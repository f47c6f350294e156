"""How a person's account is authorized: one of four strategies (handbook §5, §8)."""

from typing import Annotated, Literal

from pydantic import Field as Constraint
from pydantic import Tag

from connectors.manifest.fields import Fields
from connectors.manifest.formats import FieldKey, Scope, Url
from connectors.manifest.part import Part, told_apart_by

Interaction = Literal["none", "form", "redirect"]
TokenEndpointMethod = Literal["client_secret_basic", "client_secret_post", "none"]


class NoAuthOptions(Part):
    type: Literal["none"]


class NoAuth(Part):
    strategy: Literal["none"]
    interaction: Literal["none"]
    fields: Fields = ()
    options: NoAuthOptions


class StaticOptions(Part):
    type: Literal["static_credentials"]
    verification: Literal["mcp_initialize_and_list_tools"] = "mcp_initialize_and_list_tools"
    account_identity: Literal["connection_id"] = "connection_id"


class StaticAuth(Part):
    strategy: Literal["static_credentials"]
    interaction: Literal["form"]
    fields: Fields = ()
    options: StaticOptions


class StaticDiscovery(Part):
    """Endpoints the package names; each must have the issuer's origin."""

    type: Literal["static"]
    issuer: Url
    authorization_url: Url
    token_url: Url
    revocation_url: Url | None = None
    resource: Url | None = None


class McpDiscovery(Part):
    """Endpoints found through the MCP server's protected-resource metadata; `expected_issuer` is compared exactly."""

    type: Literal["mcp"]
    resource_configuration_field: FieldKey
    expected_issuer: Url


Discovery = Annotated[
    Annotated[StaticDiscovery, Tag("@static")] | Annotated[McpDiscovery, Tag("@mcp")], told_apart_by("type")
]


class OAuthOptions(Part):
    type: Literal["oauth_authorization_code"]
    discovery: Discovery
    client_id_configuration_field: FieldKey
    client_secret_configuration_field: FieldKey | None = None
    token_endpoint_auth_method: TokenEndpointMethod
    scopes: Annotated[tuple[Scope, ...], Constraint(max_length=200)] = ()
    account_identity: Literal["connection_id"] = "connection_id"


class OAuthAuth(Part):
    strategy: Literal["oauth_authorization_code"]
    interaction: Literal["redirect"]
    fields: Fields = ()
    options: OAuthOptions


class ProgramAuthOptions(Part):
    type: Literal["program"]


class ProgramAuth(Part):
    strategy: Literal["program"]
    interaction: Interaction
    fields: Fields = ()
    options: ProgramAuthOptions


Auth = Annotated[
    Annotated[NoAuth, Tag("@none")]
    | Annotated[StaticAuth, Tag("@static_credentials")]
    | Annotated[OAuthAuth, Tag("@oauth_authorization_code")]
    | Annotated[ProgramAuth, Tag("@program")],
    told_apart_by("strategy"),
]


def asked_scopes(auth: Auth) -> tuple[str, ...]:
    """Return the scopes that signing in asks for; a program asks for its own, and does not say."""
    return auth.options.scopes if isinstance(auth, OAuthAuth) else ()
