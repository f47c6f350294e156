"""Who holds the token: looked up in the database for every request, so that a revoked one stops at the very next."""

import asyncio
import weakref
from collections.abc import Mapping, Sequence

from django.conf import settings

from connectors.access.queries import AuthenticatedAgent, authenticate_agent
from connectors.access.tokens import digest_token, has_token_shape
from connectors.api.reply import Reply
from connectors.audit.database_lanes import LOOKUPS
from connectors.audit.grouping import Grouping

type _Lookup = Grouping[str, AuthenticatedAgent | None]
_lookups: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Lookup]" = weakref.WeakKeyDictionary()

METADATA_PATH = "/.well-known/oauth-protected-resource/mcp"


async def authenticate(headers: Mapping[bytes, bytes]) -> AuthenticatedAgent | None:
    """Return the agent whose bearer token came along, None for a missing, wrong, expired or revoked one."""
    scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not has_token_shape(token):
        return None
    return await _lookup().submit(digest_token(token))


def challenge(headers: Mapping[bytes, bytes]) -> Reply:
    """The 401 that says where to read how to get in (RFC 9728 §5.1, RFC 6750 §3)."""
    told = f'Bearer resource_metadata="{settings.BACKEND_URL}{METADATA_PATH}"'
    if b"authorization" in headers:
        told += ', error="invalid_token", error_description="The token is unknown, expired or revoked"'
    return Reply(401, b'{"error":"invalid_token"}', ((b"www-authenticate", told.encode()),))


def _lookup() -> _Lookup:
    loop = asyncio.get_running_loop()
    if loop not in _lookups:
        _lookups[loop] = Grouping(_authenticate_group, lane=LOOKUPS)
    return _lookups[loop]


def _authenticate_group(digests: Sequence[str]) -> list[AuthenticatedAgent | Exception | None]:
    """Each distinct token of a group is looked up once; all of them arrived before the look-up."""
    found = {digest: authenticate_agent(digest) for digest in set(digests)}
    return [found[digest] for digest in digests]
