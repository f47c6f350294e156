"""Ask a token endpoint for tokens, or a revocation endpoint to forget one (RFC 6749 §2.3, §5, §6; RFC 7009)."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote_plus, urlencode

from django.utils import timezone

from connectors.authorization.oauth_grant import OAuthGrant
from connectors.egress.client import Answer, get_client
from connectors.errors import OutcomeUnknown, UpstreamFault
from connectors.manifest.strict_json import JsonFault, parse_strict
from connectors.runtime.deadline import Deadline
from connectors.runtime.request_timeouts import timeouts_for
from connectors.vault.secret import Secret

MAX_ANSWER_BYTES = 1024 * 1024
LONGEST_LIFE_SECONDS = 10 * 365 * 86400
LONGEST_ERROR = 64
OK, BAD_REQUEST, TOO_MANY, SERVER_ERRORS = 200, 400, 429, 500
_ERROR_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz_")

type Form = Mapping[str, str | Secret]


class _UnreadableError(Exception):
    """An answer that holds no tokens, though it may have meant to."""


class TokenRefused(UpstreamFault):
    """The endpoint said no; `error` is its code of RFC 6749 §5.2, its description stays out of our own words."""

    code = "token_refused"

    def __init__(self, error: str, *, status: int) -> None:
        super().__init__("token_refused", error=error, status=status)
        self.error = error


@dataclass(frozen=True, slots=True)
class TokenAnswer:
    """Tokens as issued. `scopes` is None when the answer does not say: then they are the ones asked for or held."""

    access_token: Secret
    refresh_token: Secret | None = None
    expires_at: datetime | None = None
    refresh_expires_at: datetime | None = None
    scopes: tuple[str, ...] | None = None


async def request_tokens(client: OAuthGrant, secret: Secret | None, form: Form, *, deadline: Deadline) -> TokenAnswer:
    """Return what the token endpoint issues; `resource` and the client's proof are added to the form.

    Raises TokenRefused for a clear no, UpstreamFault for another failure it reports, Unreachable when nothing was sent,
    and OutcomeUnknown when tokens may have been issued that did not arrive.
    """
    asked_at = timezone.now()
    form = {**form, **({"resource": client.resource} if client.resource else {})}
    answer = await _post(client.token_endpoint, client, secret, form, deadline)
    try:
        return _read_tokens(_read_answer(answer), asked_at)
    except (JsonFault, _UnreadableError) as error:
        raise OutcomeUnknown("token_answer_unreadable", status=answer.status) from error


async def revoke_token(
    client: OAuthGrant, secret: Secret | None, token: Secret, *, hint: str, deadline: Deadline
) -> None:
    """Have one token revoked; one the service does not know counts as revoked (RFC 7009 §2.2).

    Raises TokenRefused, UpstreamFault, Unreachable or OutcomeUnknown; asking again does no harm.
    """
    form: Form = {"token": token, "token_type_hint": hint}
    answer = await _post(client.revocation_endpoint, client, secret, form, deadline)
    if answer.status == OK:
        return
    error = _error_of(answer)
    if error != "unsupported_token_type":
        raise TokenRefused(error, status=answer.status) if error else _failed(answer)


async def _post(url: str, client: OAuthGrant, secret: Secret | None, form: Form, deadline: Deadline) -> Answer:
    proof, headers = _prove_client(client, secret)
    plain = {key: value.reveal() if isinstance(value, Secret) else value for key, value in {**form, **proof}.items()}
    return await get_client().request(
        "POST",
        url,
        headers={"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json", **headers},
        body=urlencode(plain).encode(),
        timeout=timeouts_for(deadline),
        max_bytes=MAX_ANSWER_BYTES,
    )


def _prove_client(client: OAuthGrant, secret: Secret | None) -> tuple[Form, dict[str, str | Secret]]:
    """Return the form fields and headers of client authentication (RFC 6749 §2.3.1: both are form-encoded first)."""
    if client.auth_method == "client_secret_basic" and secret is not None:
        pair = f"{quote_plus(client.client_id)}:{quote_plus(secret.reveal())}"
        return {}, {"Authorization": Secret(f"Basic {base64.b64encode(pair.encode()).decode()}")}
    if client.auth_method == "client_secret_post" and secret is not None:
        return {"client_id": client.client_id, "client_secret": secret}, {}
    return {"client_id": client.client_id}, {}


def _read_answer(answer: Answer) -> dict[str, Any]:
    if answer.status != OK:
        error = _error_of(answer)
        raise TokenRefused(error, status=answer.status) if error else _failed(answer)
    found = parse_strict(answer.body, max_bytes=MAX_ANSWER_BYTES)
    if not isinstance(found, dict):
        raise _UnreadableError("no object")
    if "access_token" not in found and (error := _error_of(answer)):  # some services refuse with 200
        raise TokenRefused(error, status=answer.status)
    return found


def _error_of(answer: Answer) -> str:
    """Return the error code of a refusal, nothing when it is none: a server's own trouble says nothing of a grant."""
    if answer.status >= SERVER_ERRORS or answer.status == TOO_MANY:
        return ""
    try:
        found = parse_strict(answer.body, max_bytes=MAX_ANSWER_BYTES)
    except JsonFault:
        return ""
    error = found.get("error") if isinstance(found, dict) else None
    return (
        error if isinstance(error, str) and 0 < len(error) <= LONGEST_ERROR and set(error) <= _ERROR_CHARACTERS else ""
    )


def _failed(answer: Answer) -> UpstreamFault:
    return UpstreamFault("token_endpoint_failed", status=answer.status)


def _read_tokens(found: dict[str, Any], asked_at: datetime) -> TokenAnswer:
    """Raise for an answer that is none (RFC 6749 §5.1); a token of another kind than bearer is none."""
    if str(found.get("token_type", "bearer")).lower() != "bearer":
        raise _UnreadableError("token_type")
    access_token = _text(found, "access_token")
    if access_token is None:
        raise _UnreadableError("access_token")
    refresh_life = found.get("refresh_expires_in", found.get("refresh_token_expires_in"))
    scope = found.get("scope")
    return TokenAnswer(
        access_token=Secret(access_token),
        refresh_token=Secret(token) if (token := _text(found, "refresh_token")) else None,
        expires_at=_moment(found.get("expires_in"), asked_at),
        refresh_expires_at=_moment(refresh_life, asked_at) if refresh_life else None,
        scopes=tuple(scope.split()) if isinstance(scope, str) and scope.strip() else None,
    )


def _text(found: dict[str, Any], key: str) -> str | None:
    value = found.get(key)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise _UnreadableError(key)
    return value


def _moment(seconds: Any, asked_at: datetime) -> datetime | None:
    """Return when a lifetime ends, counted from before it was asked for; none when it is not said."""
    if isinstance(seconds, str) and seconds.isascii() and seconds.isdigit():
        seconds = int(seconds[:12])
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        return None
    return asked_at + timedelta(seconds=max(0, min(seconds, LONGEST_LIFE_SECONDS)))
