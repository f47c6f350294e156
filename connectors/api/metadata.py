"""Protected-resource metadata (RFC 9728): where the endpoint is and how a token is sent.

Tokens are made in the console, so no authorization server is named.
"""

import orjson
from django.conf import settings

from connectors.api.reply import Reply, Scope, Send

METADATA_PATHS = frozenset({"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"})


async def resource_metadata(scope: Scope, send: Send) -> None:
    """Answer GET and HEAD."""
    if scope["method"] not in ("GET", "HEAD"):
        await Reply(405, headers=((b"allow", b"GET, HEAD"),)).send(send)
        return
    document = {
        "resource": f"{settings.BACKEND_URL}/mcp",
        "resource_name": "Poco Connectors",
        "bearer_methods_supported": ["header"],
        "scopes_supported": [],
    }
    await Reply(200, orjson.dumps(document), ((b"access-control-allow-origin", b"*"),)).send(send)
