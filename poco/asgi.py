"""The one ASGI application: `/mcp` beside Django, lifespan, and Django for the rest."""

import os
from typing import Any, cast

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poco.settings")
_django = get_asgi_application()

from connectors.api.body_limit import bound_body  # noqa: E402 - after Django's set-up
from connectors.api.lifespan import lifespan  # noqa: E402
from connectors.api.mcp import mcp_endpoint  # noqa: E402
from connectors.api.metadata import METADATA_PATHS, resource_metadata  # noqa: E402
from connectors.api.reply import Receive, Scope, Send  # noqa: E402

MCP_PATHS = frozenset({"/mcp", "/mcp/"})


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Route by path; what is neither lifespan nor ours goes to Django."""
    if scope["type"] == "lifespan":
        await lifespan(scope, receive, send)
    elif scope["type"] == "http" and scope["path"] in MCP_PATHS:
        await mcp_endpoint(scope, receive, send)
    elif scope["type"] == "http" and scope["path"] in METADATA_PATHS:
        await resource_metadata(scope, send)
    else:
        await _django(cast("Any", scope), cast("Any", bound_body(scope, receive)), cast("Any", send))
