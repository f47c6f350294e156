"""Read a URL once, strictly: what is checked is the very object that is connected to."""

import re
from typing import Final

from yarl import URL

from connectors.egress.addresses import parse_address
from connectors.egress.errors import AddressRefused

LONGEST_URL: Final = 8192
_FORBIDDEN: Final = re.compile(r"[\x00-\x20\x7f\\]")
_NUMERIC_LABEL: Final = re.compile(r"(?i)(?:\d+|0x[0-9a-f]*)")
_HOST_NAME: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?")
# Ports of protocols that could be made to take an HTTP request for their own (WHATWG Fetch, "bad port").
_LISTED: Final = (
    "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 "
    "117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 "
    "601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 "
    "6679 6697 10080"
)
_BAD_PORTS: Final = frozenset(int(port) for port in _LISTED.split())


def parse_url(text: str) -> URL:
    """Return the parsed URL, or raise AddressRefused with the reason; no name is looked up."""
    if len(text) > LONGEST_URL:
        raise AddressRefused(stage="address", reason="too_long")
    if _FORBIDDEN.search(text):
        raise AddressRefused(stage="address", reason="forbidden_character")
    try:
        url = URL(text)
        port = url.port
    except ValueError:
        raise AddressRefused(stage="address", reason="malformed") from None
    if url.scheme not in ("http", "https"):
        raise AddressRefused(stage="address", reason="scheme", scheme=url.scheme[:32])
    if url.raw_user is not None or url.raw_password is not None:
        raise AddressRefused(stage="address", reason="userinfo")
    host = url.raw_host or ""
    _check_host(host)
    if port in _BAD_PORTS:
        raise AddressRefused(stage="address", reason="port", host=host, port=port)
    return url


def _check_host(host: str) -> None:
    """Refuse what is neither a canonical address nor a name: `127.1`, `0x7f000001`, zones, escapes."""
    if parse_address(host):
        return
    last = host.rstrip(".").rpartition(".")[2]
    if not _HOST_NAME.fullmatch(host) or _NUMERIC_LABEL.fullmatch(last) or ".." in host:
        raise AddressRefused(stage="address", reason="malformed_host", host=host[:255])
