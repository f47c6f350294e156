"""What each operation must answer, exactly (handbook §8). An unknown key is a fault, like everywhere in a package."""

import base64
import binascii
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Strict, model_validator
from pydantic import Field as Constraint

from connectors.manifest.tools import Confirmation, Effect, Retry
from connectors.runtime.tool_schema import ToolSchema
from connectors.vault.secret import Secret

MAX_TOOLS = 500


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)


def _moment(value: Any) -> Any:
    """Read an ISO 8601 moment; one without a zone is refused, because nobody could say when it is."""
    if not isinstance(value, str):
        return value
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError("the moment names no time zone")
    return moment


def _secret(value: Any) -> Any:
    return Secret(value) if isinstance(value, str) else value


def _base64(value: str) -> str:
    try:
        base64.b64decode(value, validate=True)
    except binascii.Error as error:
        raise ValueError("not base64") from error
    return value


type Many[T] = Annotated[tuple[T, ...], Strict(False)]  # JSON has lists, frozen models have tuples
Moment = Annotated[datetime, BeforeValidator(_moment)]
Hidden = Annotated[Secret, BeforeValidator(_secret)]
Base64 = Annotated[str, AfterValidator(_base64)]
Text = Annotated[str, Constraint(min_length=1)]
Name = Annotated[str, Constraint(min_length=1, max_length=255)]
WebAddress = Annotated[str, Constraint(min_length=1, max_length=8192, pattern=r"^https?://[^\s/?#]")]


class Nothing(Part):
    """`{}`: done, with nothing to say."""


class Identity(Part):
    """What decides whether a credential works; any JSON, it takes part in the authorization fingerprint (§9)."""

    identity: Any


class IssuedCredential(Part):
    values: dict[str, Hidden]
    expires_at: Moment | None = None
    refresh_expires_at: Moment | None = None


class AuthorizedAccount(Part):
    """Without an external id the connection's own id stands for identity."""

    external_account_id: Annotated[str, Constraint(max_length=255)] | None = None
    external_account_name: Annotated[str, Constraint(max_length=255)] | None = None
    avatar_url: Annotated[WebAddress, Constraint(max_length=2048)] | None = None
    granted_scopes: Many[str] = ()
    credential: IssuedCredential | None = None
    public_metadata: dict[str, Any] = Constraint(default_factory=dict)
    invalidates_existing_credential: bool = False


class BeginRedirect(Part):
    """`private_context` is a map of strings and nothing deeper; it is kept sealed until the callback."""

    type: Literal["redirect"]
    authorize_url: WebAddress
    private_context: dict[str, Hidden] = Constraint(default_factory=dict)


class BeginForm(Part):
    type: Literal["form"]


class BeginAccount(Part):
    type: Literal["account"]
    account: AuthorizedAccount


Beginning = Annotated[BeginRedirect | BeginForm | BeginAccount, Constraint(discriminator="type")]


class RefreshedCredential(Part):
    """Scopes that are missing or null keep the old ones."""

    credential: IssuedCredential
    granted_scopes: Many[str] | None = None


class DiscoveredTool(Part):
    key: Name
    upstream_name: Name
    description: str = ""
    input_schema: ToolSchema
    output_schema: ToolSchema | None = None
    effect: Effect
    retry_policy: Retry
    confirmation: Confirmation | None = None  # a read tool may leave it out (§6)
    source_revision: str = ""

    @property
    def effective_confirmation(self) -> Confirmation:
        return self.confirmation or "not_required"


class DiscoveredTools(Part):
    tools: Annotated[Many[DiscoveredTool], Constraint(max_length=MAX_TOOLS)]


class TextContent(Part):
    type: Literal["text"]
    text: str


class MediaContent(Part):
    type: Literal["image", "audio"]
    data: Base64
    mime_type: Text


class ResourceLink(Part):
    type: Literal["resource_link"]
    uri: Text
    name: str | None = None
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None


class Resource(Part):
    """A text or a binary resource; exactly one of `text` and `data` is there."""

    type: Literal["resource"]
    uri: Text
    name: str | None = None
    mime_type: str | None = None
    text: str | None = None
    data: Base64 | None = None

    @model_validator(mode="after")
    def _one_of(self) -> "Resource":
        if (self.text is None) == (self.data is None):
            raise ValueError("a resource has either text or data")
        return self


Content = Annotated[TextContent | MediaContent | ResourceLink | Resource, Constraint(discriminator="type")]


class ToolFault(Part):
    """`message` is as the program wrote it: `tell_message` makes it fit to be shown."""

    code: Name
    message: str
    retryable: bool


class ToolResult(Part):
    """`is_error` and `error` come together or not at all."""

    content: Many[Content] = ()
    structured_content: Any = None
    is_error: bool = False
    error: ToolFault | None = None

    @model_validator(mode="after")
    def _error_exactly_when_said(self) -> "ToolResult":
        if self.is_error != (self.error is not None):
            raise ValueError("is_error is true exactly when error is given")
        return self


class LaunchAddress(Part):
    url: WebAddress | None
