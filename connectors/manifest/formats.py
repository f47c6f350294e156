"""The texts a manifest may hold, each with the fault it gives when it does not fit."""

import re
from dataclasses import dataclass, field
from typing import Annotated, Any
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from connectors.manifest.hidden_characters import HIDING

MAX_URL_LENGTH = 2048
MAX_TEXT_LENGTH = 65_536
_NOT_IN_URL = re.compile(rf"[ \\\\<>\"^`{{|}}{HIDING}]")


@dataclass(frozen=True, slots=True)
class Format:
    """A whole-string pattern with a fault code of its own; it shows up in the JSON Schema as `pattern`."""

    code: str
    pattern: str
    max_length: int
    refused: frozenset[str] = field(default_factory=frozenset)

    def check(self, text: str) -> str:
        if len(text) > self.max_length:
            raise PydanticCustomError("too_long", "too long", {"limit": self.max_length})
        if text in self.refused or re.fullmatch(self.pattern, text) is None:
            raise PydanticCustomError(self.code, "does not fit", {"value": text})
        return text

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "pattern": f"^(?:{self.pattern})$", "maxLength": self.max_length}


def split_web_url(text: str, *, fragment: bool = False) -> SplitResult | None:
    """The parts of an absolute http(s) URL without credentials, fragment, spaces or control characters, else None.

    Only a link for people to follow may have a `fragment`.
    """
    if len(text) > MAX_URL_LENGTH or _NOT_IN_URL.search(text):
        return None
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    if (
        parts.scheme not in {"http", "https"}
        or not parts.hostname
        or "@" in parts.netloc
        or ("#" in text and not fragment)
    ):
        return None
    if port == 0 or parts.netloc.endswith(":"):
        return None
    return parts


@dataclass(frozen=True, slots=True)
class WebUrl:
    """Accepts what `split_web_url` accepts."""

    fragment: bool = False

    def check(self, text: str) -> str:
        if split_web_url(text, fragment=self.fragment) is None:
            raise PydanticCustomError("url_malformed", "not a web address", {"value": text})
        return text

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "format": "uri", "pattern": "^https?://", "maxLength": MAX_URL_LENGTH}


_NAME = r"[a-z][a-z0-9_-]{0,63}"
_NUMBER = r"(?:0|[1-9][0-9]{0,8})"
# Headers that steer the connection or the protocol are not a package's to set; `.` stands for the rest of a family.
_STEERING = (
    *("host", "cookie", "connection", "keep-alive", "te", "trailer", "upgrade", "expect", "forwarded"),
    *("transfer-encoding", "proxy-.", "content-.", "mcp-.", "x-forwarded-."),
)


def _caseless(name: str) -> str:
    """A pattern that needs no flag: editors that check with the JSON Schema know none."""
    return "".join(f"[{c.upper()}{c}]" if c.isalpha() else c.replace(".", ".*") for c in name)


_HEADER = rf"(?!(?:{'|'.join(map(_caseless, _STEERING))})$)[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_VISIBLE = rf"[^{HIDING}]"
_PRINTED = rf"(?! ){_VISIBLE}*{_VISIBLE}(?<! )"
_PART = r"(?!\.{1,2}(?:/|$))[^/\\\x00-\x1f\x7f]+"

ConnectorKey = Annotated[str, Format("key_malformed", _NAME, 64)]
CategoryKey = Annotated[str, Format("category_malformed", _NAME, 64)]
ServerKey = Annotated[str, Format("server_key_malformed", _NAME, 64)]
SkillKey = Annotated[str, Format("skill_key_malformed", _NAME, 64)]
FieldKey = Annotated[str, Format("field_key_malformed", r"[a-z][a-z0-9_]{0,63}", 64)]
CredentialKey = Annotated[str, Format("credential_field_malformed", r"[A-Za-z_][A-Za-z0-9_.-]{0,127}", 128)]
Version = Annotated[str, Format("version_malformed", rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}", 32)]
ContractVersion = Annotated[str, Format("contract_version_malformed", _PRINTED, 64)]
LocaleTag = Annotated[
    str,
    Format(
        "locale_malformed",
        r"[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*",
        35,
    ),
]
TextKey = Annotated[str, Format("text_key_malformed", r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?", 255)]
HeaderName = Annotated[str, Format("header_name_refused", _HEADER, 128)]
HeaderScheme = Annotated[str, Format("header_scheme_malformed", r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", 64)]
Scope = Annotated[str, Format("scope_malformed", r"[\x21\x23-\x5b\x5d-\x7e]+", 255)]  # RFC 6749 §3.3
ToolName = Annotated[str, Format("tool_name_malformed", _PRINTED, 255)]
OptionValue = Annotated[str, Format("option_value_malformed", rf"{_VISIBLE}+", 255)]
IconPath = Annotated[str, Format("icon_path_malformed", rf"assets(?:/{_PART})+", 512)]
SkillPath = Annotated[str, Format("skill_path_malformed", rf"skills(?:/{_PART})+", 512)]
Entrypoint = Annotated[str, Format("entrypoint_malformed", rf"provider(?:/{_PART})*/[^/\\\x00-\x1f\x7f]+\.py", 512)]
Url = Annotated[str, WebUrl()]
Link = Annotated[str, WebUrl(fragment=True)]
Length = Annotated[int, Field(ge=0, le=MAX_TEXT_LENGTH)]
