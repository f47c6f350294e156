"""What to paste into an MCP client so that it speaks to this gateway as one agent."""

import json
import re
import shlex
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext

TOKEN_PLACEHOLDER = "<token>"  # noqa: S105 - stands where the token goes once it can no longer be shown


@dataclass(frozen=True, slots=True)
class Snippet:
    key: str
    title: str
    where: str
    text: str


def endpoint_url() -> str:
    return f"{settings.BACKEND_URL}/mcp"


def write_snippets(agent_name: str, token: str = TOKEN_PLACEHOLDER) -> list[Snippet]:
    """Settings for clients people have; every client that takes a URL and a header can use the general form."""
    name = server_name(agent_name)
    url = endpoint_url()
    header = f"Authorization: Bearer {token}"
    general = {"mcpServers": {name: {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {token}"}}}}
    code = {"servers": {name: {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {token}"}}}}
    claude = ["claude", "mcp", "add", "--transport", "http", name, url, "--header", header]
    return [
        Snippet("claude-code", "Claude Code", gettext("Run once in a terminal."), shlex.join(claude)),
        Snippet(
            "json",
            gettext("Any MCP client (JSON)"),
            gettext("Cursor, Claude Code's .mcp.json and most others read this form."),
            json.dumps(general, indent=2, ensure_ascii=False),
        ),
        Snippet(
            "vscode", "VS Code", gettext("Save as .vscode/mcp.json."), json.dumps(code, indent=2, ensure_ascii=False)
        ),
        Snippet(
            "curl",
            gettext("Check with curl"),
            gettext("Lists the tools this agent may use."),
            _curl(url, header),
        ),
    ]


def server_name(agent_name: str) -> str:
    """A name clients accept: letters, digits, hyphens."""
    return "poco-" + (re.sub(r"[^a-z0-9]+", "-", agent_name.lower()).strip("-") or "agent")


def _curl(url: str, header: str) -> str:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    parts = [
        f"curl {shlex.quote(url)}",
        f"-H {shlex.quote(header)}",
        "-H 'Content-Type: application/json'",
        "-H 'Accept: application/json, text/event-stream'",
        f"-d {shlex.quote(body)}",
    ]
    return " \\\n  ".join(parts)
