"""Read the two documents of discovery: protected-resource metadata (RFC 9728) and server metadata (RFC 8414, OIDC).

Everything in them was written by somebody else: a URL passes the address gate before it is kept, an https issuer has
no plain http endpoints, and names are compared character by character.
"""

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from connectors.catalogue.endpoints import origin_of
from connectors.egress.policy import check_url
from connectors.errors import UpstreamFault

S256 = "S256"

type Text = Annotated[str, StringConstraints(min_length=1, max_length=2048)]
type Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuthorizationServer:
    """Where a person is sent, and where the code is redeemed.

    `names_itself` means that every answer carries `iss` (RFC 9207): one without it is then not the server's.
    """

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    revocation_endpoint: str = ""
    registration_endpoint: str = ""
    resource: str = ""
    names_itself: bool = False
    takes_metadata_documents: bool = False


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Resource(_Document):
    resource: Text
    authorization_servers: Words = ()


class _Server(_Document):
    issuer: Text
    authorization_endpoint: Text
    token_endpoint: Text
    revocation_endpoint: Text | None = None
    registration_endpoint: Text | None = None
    response_types_supported: Words = ("code",)
    code_challenge_methods_supported: Words = ()
    authorization_response_iss_parameter_supported: bool = False
    client_id_metadata_document_supported: bool = False


def read_resource(document: Any, *, asked: str, expected_issuer: str) -> str:
    """Return the resource's identifier: what was asked for, or what stands above it on the same origin.

    Raises `UpstreamFault` when the document is another resource's (RFC 9728 §3.3) or does not name the issuer.
    """
    found = _read(_Resource, document, what="resource")
    if not covers(found.resource, asked):
        raise UpstreamFault("resource_mismatch", found=found.resource[:255], expected=asked)
    if expected_issuer not in found.authorization_servers:
        named = ", ".join(found.authorization_servers[:3])[:255]
        raise UpstreamFault("issuer_unexpected", found=named, expected=expected_issuer)
    return found.resource


def read_server(document: Any, *, expected_issuer: str, resource: str) -> AuthorizationServer:
    """Return the server of a metadata document; raise `UpstreamFault` unless it is the expected one and offers S256."""
    found = _read(_Server, document, what="server")
    if found.issuer != expected_issuer:
        raise UpstreamFault("issuer_mismatch", found=found.issuer[:255], expected=expected_issuer)
    if S256 not in found.code_challenge_methods_supported:
        raise UpstreamFault("pkce_not_offered", issuer=expected_issuer)
    if "code" not in found.response_types_supported:
        raise UpstreamFault("code_flow_not_offered", issuer=expected_issuer)
    return AuthorizationServer(
        issuer=found.issuer,
        authorization_endpoint=_endpoint(found.authorization_endpoint, expected_issuer),
        token_endpoint=_endpoint(found.token_endpoint, expected_issuer),
        revocation_endpoint=_endpoint(found.revocation_endpoint, expected_issuer),
        registration_endpoint=_endpoint(found.registration_endpoint, expected_issuer),
        resource=resource,
        names_itself=found.authorization_response_iss_parameter_supported,
        takes_metadata_documents=found.client_id_metadata_document_supported,
    )


def covers(resource: str, asked: str) -> bool:
    """Return whether a resource identifier is the address asked for, or one above it at the same origin."""
    check_url(resource)
    named, wanted = urlsplit(resource), urlsplit(asked)
    if named.query != wanted.query and named.query:
        return False
    above, below = named.path.rstrip("/"), wanted.path.rstrip("/")
    return not named.fragment and origin_of(resource) == origin_of(asked) and f"{below}/".startswith(f"{above}/")


def _endpoint(url: str | None, issuer: str) -> str:
    if not url:
        return ""
    check_url(url)
    if urlsplit(issuer).scheme == "https" and urlsplit(url).scheme != "https":
        raise UpstreamFault("endpoint_not_secure", issuer=issuer)
    return url


def _read[D: _Document](kind: type[D], document: Any, *, what: str) -> D:
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise UpstreamFault("metadata_unreadable", what=what, where=where[:64]) from None
