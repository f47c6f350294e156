"""Mask secrets by value and by what they look like, in log lines, errors and stored messages (safety §30).

Masking is the second line: secrets travel as `Secret`. It would rather hide a harmless word than show a key. Each
pattern starts at a boundary and repeats one class, so that no text makes it slow. No framework: every room may use it.
"""

import base64
import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final
from urllib.parse import quote, quote_plus

from connectors.vault.secret import MASK, Secret

_SHORTEST_VALUE: Final = 4  # masking one or two characters would only garble the text
_SENSITIVE_NAME: Final = (
    r"(?:token|secret|password|passwd|passphrase|credentials?|authorization|cookie|assertion|code_?verifier|vault_keys"
    r"|密码|密钥|口令|令牌"
    r"|(?:api|access|secret|private|signing|encryption|subscription|account|auth)[_.-]?key"
    r"|(?:(?<=[_.-])|(?<![\w.-]))(?:pwd|pass|otp|sig|signature|jwt|sessionid|bearer))"
)
_ENDS_LIKE_A_SECRET: Final = re.compile(_SENSITIVE_NAME + r"$")
_HEADER_LINE: Final = re.compile(
    r"(?i)(?<![\w-])((?:proxy-)?authorization|(?:set-)?cookie)(\\?[\"']?\s?[:=,]\s?(?-i:b?\\?[\"'])?)([^\r\n\"'\\]+)"
)
_ASSIGNMENT: Final = re.compile(
    r"(?i)(?<![\w.-])([\w.-]{0,64}?" + _SENSITIVE_NAME + r")(\\?[\"']?[ \t]?[=:：][ \t]?)"
    r"(b?\\?\"[^\"\r\n]*\"|b?'[^'\r\n]*'|[^\s&,;\"'{}\[\]()<>]+)"
)
_QUERY: Final = re.compile(r"(?i)([?&](?:code|state|key|sig|auth)=)[^&\s\"'<>#]+")
_SCHEME: Final = re.compile(r"(?i)\b(bearer|basic|dpop)(\s)(?:(?=[^\s\"',]*\d)[\w.~+/=-]{6,}|[\w.~+/=-]{16,})")
_USERINFO: Final = re.compile(r"(?<=://)[^/\s@\"'<>]+(?=@)")
_SHAPES: Final = re.compile(
    r"\bpoco_[\w-]{20,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*"
    r"|\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[opsur]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abeprs]-[\w-]{10,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?"
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def redact_text(text: str, secrets: Iterable[Secret] = ()) -> str:
    """Return the text with the given secrets, and whatever is shaped like one, masked."""
    text = mask_secrets(text, secrets)
    text = _SHAPES.sub(MASK, text)
    text = _HEADER_LINE.sub(rf"\1\2{MASK}", text)
    text = _SCHEME.sub(rf"\1\2{MASK}", text)
    text = _USERINFO.sub(MASK, text)
    text = _QUERY.sub(rf"\1{MASK}", text)
    return _ASSIGNMENT.sub(_mask_assignment, text)


def mask_secrets(text: str, secrets: Iterable[Secret]) -> str:
    """Return the text with the given secrets masked, and nothing else looked for: fast on texts of any length."""
    for value in _written_forms(secrets):
        text = text.replace(value, MASK)
    return text


def redact_mapping(mapping: Mapping[str, object], secret_keys: Collection[str] = ()) -> dict[str, object]:
    """Return a copy in which values under secret-looking or named keys are masked, at any depth."""
    named = {_normal_name(key) for key in secret_keys}
    return {key: _redact_value(key, value, named) for key, value in mapping.items()}


def is_secret_name(name: str) -> bool:
    """Tell whether a value under this name is most likely a secret."""
    return _ENDS_LIKE_A_SECRET.search(_normal_name(name)) is not None


def _redact_value(key: str, value: object, named: set[str]) -> object:
    if value is not None and (_normal_name(key) in named or is_secret_name(key)):
        return MASK
    if isinstance(value, Mapping):
        return {inner: _redact_value(str(inner), item, named) for inner, item in value.items()}
    if isinstance(value, list | tuple):
        return [_redact_value("", item, named) for item in value]
    return redact_text(value) if isinstance(value, str) else value


def _normal_name(name: str) -> str:
    return _CAMEL.sub("_", name).replace("-", "_").replace(".", "_").lower()


def _mask_assignment(match: re.Match[str]) -> str:
    name, separator, value = match.groups()
    if MASK in value:
        return match[0]
    quote_mark = value[-1] if value[-1] in "\"'" and len(value) > 1 else ""
    return f"{name}{separator}{quote_mark}{MASK}{quote_mark}"


def _written_forms(secrets: Iterable[Secret]) -> list[str]:
    """Return how each secret may appear: as it is, in a URL, in JSON, in base64; longest first."""
    forms: set[str] = set()
    for secret in secrets:
        value = secret.reveal()
        if len(value) >= _SHORTEST_VALUE:
            encoded = value.encode("utf-8", "replace")
            forms |= {value, quote(encoded, safe=""), quote(encoded), quote_plus(encoded)}
            forms |= {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1]}
            forms |= {base64.b64encode(encoded).decode(), base64.urlsafe_b64encode(encoded).decode().rstrip("=")}
    return sorted(forms, key=len, reverse=True)
