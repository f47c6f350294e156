"""What each operation hands to the program, with the exact names of handbook §8 ("complete context").

Secrets stay `Secret` until `wire` turns a context into the JSON that goes down the program's standard input.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from connectors.vault.secret import Secret

type Public = Mapping[str, str | int | bool]
type Secrets = Mapping[str, Secret]
type JsonObject = Mapping[str, Any]
Intent = Literal["connect", "reauthorize"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Base of all contexts; `wire` is the only way out."""

    def wire(self) -> dict[str, Any]:
        """Return the context as plain JSON values, secrets revealed: for the program's standard input only."""
        revealed = _reveal(self)
        assert isinstance(revealed, dict)
        return revealed


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    public: Public = field(default_factory=dict)
    secret: Secrets = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCredential:
    """A credential as refresh and revoke receive it: the structure `authorization_complete` answered with."""

    values: Secrets
    expires_at: datetime | None = None
    refresh_expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthCode:
    code: Secret
    redirect_uri: str
    code_verifier: Secret
    type: Literal["oauth_code"] = "oauth_code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    values: Secrets
    type: Literal["credentials"] = "credentials"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSubmission:
    type: Literal["none"] = "none"


Submission = OAuthCode | Credentials | NoSubmission


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationValidate(Context):
    configuration: Configuration
    require_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationIdentity(Context):
    configuration: Configuration
    options: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationBegin(Context):
    """`state`, `redirect_uri` and `code_challenge` mean something to a redirect only; the others receive null."""

    configuration: Configuration
    options: JsonObject
    intent: Intent
    state: Secret | None = None
    redirect_uri: str | None = None
    code_challenge: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationComplete(Context):
    configuration: Configuration
    options: JsonObject
    intent: Intent
    private_context: Secrets
    submission: Submission


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialRefresh(Context):
    """`credential` goes out as it was issued and, beside that, flat: public packages read it either way."""

    configuration: Configuration
    options: JsonObject
    credential: StoredCredential

    def wire(self) -> dict[str, Any]:
        plain = Context.wire(self)
        issued: dict[str, Any] = plain["credential"]
        plain["credential"] = {**issued["values"], **issued}
        return plain


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialRevoke(CredentialRefresh):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsDiscover(Context):
    """`credentials` (plural) is the flat map of the credential's values."""

    configuration: Configuration
    options: JsonObject
    transport: str
    credentials: Secrets
    connection_metadata: JsonObject
    definition_id: UUID
    connection_id: UUID
    configuration_revision: int
    authorization_fingerprint: str
    grant_revision: int
    credential_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolInvoke(ToolsDiscover):
    """`tool_name` is the tool's upstream name. `invocation_id` may be left out for read-only tools alone (§8)."""

    tool_name: str
    arguments: JsonObject
    invocation_id: UUID | None = None

    def wire(self) -> dict[str, Any]:
        plain = Context.wire(self)
        if self.invocation_id is None:
            del plain["invocation_id"]
        return plain


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchUrl(Context):
    public_configuration: Public
    connection_metadata: JsonObject


def _reveal(value: Any) -> Any:
    if isinstance(value, Secret):
        return value.reveal()
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: _reveal(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {key: _reveal(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_reveal(item) for item in value]
    if isinstance(value, UUID):
        return str(value)
    return value.isoformat() if isinstance(value, datetime) else value


def secrets_within(value: Any) -> tuple[Secret, ...]:
    """Return every secret in a context, so that what comes back can be searched for them."""
    if isinstance(value, Secret):
        return (value,) if value else ()
    if is_dataclass(value) and not isinstance(value, type):
        value = {part.name: getattr(value, part.name) for part in fields(value)}
    if isinstance(value, Mapping):
        return tuple(secret for item in value.values() for secret in secrets_within(item))
    if isinstance(value, list | tuple):
        return tuple(secret for item in value for secret in secrets_within(item))
    return ()
