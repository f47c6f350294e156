"""The example MCP server, "Workbench": a handful of believable tools, once open and once behind a key.

`/mcp` asks for nothing; `/keyed/mcp` wants `Authorization: Bearer <the key in the data folder's file "key">`.
Run it with `python -m connectors.examples.server --port 8765 --data DIR`; it listens on loopback only.
"""

import argparse
import asyncio
import hmac
import os
import secrets
from pathlib import Path
from typing import Annotated

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations
from pydantic import Field
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from connectors.examples.notebook import Note, Notebook

_WEATHER = {
    "北京": "晴，3 ℃，北风二级",
    "上海": "多云，11 ℃，东风三级",
    "杭州": "小雨，9 ℃，微风",
    "深圳": "晴，21 ℃，微风",
}

_READS = ToolAnnotations(read_only_hint=True)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False)
_DESTROYS = ToolAnnotations(read_only_hint=False, destructive_hint=True)


def _line(note: Note) -> str:
    return f"#{note.id} {note.title}: {note.body}"


def build_workbench(notebook: Notebook) -> MCPServer:
    """Return the server with its six tools over the given notes."""
    server = MCPServer("workbench", title="Workbench", version="1.0.0", log_level="ERROR")

    @server.tool(description="Find notes by a word in their title or text.", annotations=_READS)
    def search_notes(
        query: Annotated[str, Field(description="Word or phrase to look for; empty lists all.")] = "",
        limit: Annotated[int, Field(ge=1, le=50, description="At most this many.")] = 10,
    ) -> str:
        found = notebook.search(query, limit)
        return "\n".join(map(_line, found)) or f"No note contains {query!r}."

    @server.tool(description="Read one note by its number.", annotations=_READS)
    def read_note(note_id: Annotated[int, Field(ge=1, description="The note's number.")]) -> str:
        return _line(notebook.read(note_id))

    @server.tool(description="Write a new note.", annotations=_WRITES)
    def create_note(
        title: Annotated[str, Field(min_length=1, max_length=200)],
        body: Annotated[str, Field(max_length=10_000)],
    ) -> str:
        return f"Created {_line(notebook.create(title, body))}"

    @server.tool(description="Delete a note for good.", annotations=_DESTROYS)
    def delete_note(note_id: Annotated[int, Field(ge=1)]) -> str:
        return f"Deleted {_line(notebook.delete(note_id))}"

    @server.tool(description="Count words over all notes, slowly, as a report would.", annotations=_READS)
    async def slow_report(
        seconds: Annotated[float, Field(ge=0, le=60, description="How long to take.")] = 3.0,
    ) -> str:
        await asyncio.sleep(seconds)
        notes = notebook.search("", 1000)
        return f"{len(notes)} notes, {sum(len(note.body.split()) for note in notes)} words, in {seconds:g} s."

    @server.tool(name="查询天气", description="查询一个城市今天的天气。", annotations=_READS)
    def query_weather(城市: Annotated[str, Field(description="城市名，例如 杭州。")]) -> str:  # noqa: N803, PLC2401 - the example shows names that are not ASCII
        return f"{城市}：{_WEATHER.get(城市, '暂无数据，可查询 ' + '、'.join(_WEATHER))}"

    return server


class KeyedDoor:
    """Serves the application at its own paths, and again under `/keyed` for whoever holds the key."""

    def __init__(self, app: Starlette, key: str) -> None:
        self._app: ASGIApp = app
        self._expected = f"Bearer {key}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/keyed/"):
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._expected):
                refusal = JSONResponse(
                    {"error": "invalid_token"},
                    status_code=401,
                    headers={"WWW-Authenticate": 'Bearer realm="workbench"'},
                )
                await refusal(scope, receive, send)
                return
            path = scope["path"].removeprefix("/keyed")
            scope = {**scope, "path": path, "raw_path": path.encode()}
        await self._app(scope, receive, send)


def read_or_make_key(path: Path) -> str:
    """Return the key that the keyed door asks for, making it (mode 0600) when absent."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(f"workbench-{secrets.token_urlsafe(18)}")
    return path.read_text(encoding="ascii")


def build_application(data: Path) -> KeyedDoor:
    """Return the ASGI application whose notes and key live in the folder `data`."""
    server = build_workbench(Notebook(data / "notes.sqlite3"))
    return KeyedDoor(server.streamable_http_app(), read_or_make_key(data / "key"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the example MCP server on loopback.")
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--data", type=Path, required=True, help="folder for its notes and its key")
    options = parser.parse_args()
    uvicorn.run(build_application(options.data), host="127.0.0.1", port=options.port, log_level="warning")


if __name__ == "__main__":
    main()
