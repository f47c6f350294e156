"""What is about to be sent: checked before anything opens, and again for each hop of a redirect."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from yarl import URL

from connectors.egress.errors import RequestRefused
from connectors.egress.policy import EgressPolicy
from connectors.egress.timings import Timeouts
from connectors.errors import UpstreamFault
from connectors.vault.secret import Secret

type Headers = Mapping[str, str | Secret]

_METHODS: Final = frozenset(("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"))
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}")  # RFC 9110 §5.6.2
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
# Headers that frame the message, name the host or speak to the next hop are ours alone (RFC 9110 §7.6.1, RFC 9112 §6).
_OURS: Final = frozenset(
    ("host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te")
) | {
    "trailer",
    "expect",
    "proxy-authorization",
    "proxy-connection",
}
_HARMLESS: Final = frozenset(("accept", "accept-language", "user-agent", "mcp-protocol-version"))
_SAFE_METHODS: Final = ("GET", "HEAD")
_SAME_REQUEST_AGAIN: Final = (307, 308)
REDIRECTS: Final = (301, 302, 303, 307, 308)


class Wish(NamedTuple):  # tuples: two are made a call, and a frozen dataclass costs five times as much
    """A request as its caller put it."""

    method: str
    url: str
    headers: Headers | None
    body: bytes | None
    timeouts: Timeouts
    max_bytes: int
    redirects: int


class Outgoing(NamedTuple):
    """A request as it leaves: one hop."""

    method: str
    url: URL
    headers: dict[str, str]
    body: bytes | None


def prepare_request(wish: Wish, policy: EgressPolicy) -> Outgoing:
    """Return the first hop, or raise RequestRefused or AddressRefused; secrets are revealed here only."""
    if wish.method not in _METHODS:
        raise RequestRefused(reason="method", method=wish.method[:32])
    headers = {name: _read_value(name, value) for name, value in (wish.headers or {}).items()}
    return Outgoing(wish.method, policy.check_url(wish.url), headers, wish.body)


def follow_redirect(sent: Outgoing, location: str | None, status: int, policy: EgressPolicy) -> Outgoing:
    """Return the next hop, or raise UpstreamFault("redirect_refused") or AddressRefused.

    What we were given for one origin stays with it (safety §25): another origin gets no body and no header but harmless
    ones, https never becomes http, and a request that changes something is only repeated on its own origin.
    """
    if not location:
        raise _refuse(sent, "no_location")
    target = policy.check_url(str(_join(sent, location)))
    if sent.url.scheme == "https" and target.scheme != "https":
        raise _refuse(sent, "downgrade")
    if target.origin() == sent.url.origin():
        if sent.method in _SAFE_METHODS or status in _SAME_REQUEST_AGAIN:
            return Outgoing(sent.method, target, sent.headers, sent.body)
        raise _refuse(sent, "method_would_change")
    if sent.method not in _SAFE_METHODS:
        raise _refuse(sent, "other_origin")
    kept = {name: value for name, value in sent.headers.items() if name.lower() in _HARMLESS}
    return Outgoing(sent.method, target, kept, None)


def _join(sent: Outgoing, location: str) -> URL:
    try:
        return sent.url.join(URL(location))
    except ValueError:
        raise _refuse(sent, "malformed_location") from None


def _read_value(name: str, value: str | Secret) -> str:
    _check_name(name)
    text = value.reveal() if isinstance(value, Secret) else value
    if _CONTROL.search(text):
        raise RequestRefused(reason="header_value", header=name)
    return text


@lru_cache(maxsize=512)
def _check_name(name: str) -> None:
    if not _TOKEN.fullmatch(name) or name.lower() in _OURS:
        raise RequestRefused(reason="header_name", header=name[:128])


def _refuse(sent: Outgoing, reason: str) -> UpstreamFault:
    return UpstreamFault("redirect_refused", reason=reason, host=sent.url.raw_host)
