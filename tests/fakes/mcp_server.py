"""An upstream MCP server of any era that runs inside the test process, on loopback, in a thread of its own.

    with McpServer(tools=[tool("search")], key=("Authorization", "Bearer k")) as server:
        server.url            # streamable HTTP, /mcp
        server.sse_url        # legacy SSE, /sse
        server.calls          # every tools/call that arrived: name, arguments, headers
        server.hits["tools/call"]

Every knob may be changed while it runs: `server.knobs.delay = 1`.
"""

import asyncio
import json
import threading
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

MODERN = "2026-07-28"
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
META_VERSION = "io.modelcontextprotocol/protocolVersion"
JSON = dict[str, Any]


def tool(name: str, description: str = "", **more: Any) -> JSON:
    """A well-formed definition of a tool that takes one text."""
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    return {"name": name, "description": description or f"What {name} does.", "inputSchema": schema, **more}


@dataclass
class Call:
    name: str
    arguments: JSON
    headers: dict[str, str]
    meta: JSON


@dataclass
class Knobs:
    """How the server behaves; everything off is an obliging server of both eras."""

    modern: bool = True
    handshake: bool = True  # answers `initialize` on /mcp
    sessions: bool = True  # handshake answers carry an Mcp-Session-Id and later requests need it
    sse: bool = True  # the legacy transport on /sse
    answer_in_stream: bool = False  # answers of /mcp come as text/event-stream
    key: tuple[str, str] | None = None  # the header every request needs; else 401
    challenge: str = "Bearer"  # how that 401 says what is wanted
    documents: dict[str, Any] = field(default_factory=dict)  # path -> JSON, for whoever asks with GET
    forbid: bool = False  # 403 to everything
    page_size: int | None = None
    repeat_cursor: bool = False
    delay: float = 0.0  # before a tools/call is answered
    hang: frozenset[str] = frozenset()  # methods that are never answered
    html: bool = False  # everything is answered with a page
    status: dict[str, int] = field(default_factory=dict)  # method -> bare HTTP status
    errors: dict[str, JSON] = field(default_factory=dict)  # method -> JSON-RPC error
    drop_after_call: bool = False  # a tools/call arrives, then the connection breaks
    sse_endpoint: str = ""  # what the legacy `endpoint` event says instead of the truth
    result: JSON | Callable[[str, JSON], JSON] | None = None


class McpServer:
    """Start with `with`; stops by itself."""

    def __init__(self, tools: list[Any] | None = None, *, port: int = 0, **knobs: Any) -> None:
        self.tools: list[Any] = [tool("echo")] if tools is None else tools
        self.knobs = Knobs(**knobs)
        self.hits: Counter[str] = Counter()
        self.calls: list[Call] = []
        self.sessions: set[str] = set()
        self.call_arrived = threading.Event()
        self._streams: dict[str, asyncio.Queue[JSON]] = {}
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.port = port  # 0: a free one

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    @property
    def sse_url(self) -> str:
        return f"{self.origin}/sse"

    def forget_sessions(self) -> None:
        """As after a restart: every session id that was given out is answered 404."""
        self.sessions.clear()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.router.add_post("/mcp", self._post)
        app.router.add_route("*", "/mcp", self._not_post)
        app.router.add_get("/sse", self._open_stream)
        app.router.add_post("/messages", self._post_message)
        app.router.add_route("*", "/{path:.*}", self._document)
        runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.port)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    # Streamable HTTP ------------------------------------------------------------------------------------

    async def _not_post(self, request: web.Request) -> web.StreamResponse:
        self.hits[request.method] += 1
        if request.method == "DELETE":
            self.sessions.discard(request.headers.get("Mcp-Session-Id", ""))
            return web.Response(status=200)
        return web.Response(status=405, headers={"Allow": "POST, DELETE"})

    async def _document(self, request: web.Request) -> web.Response:
        self.hits[request.path] += 1
        known = self.knobs.documents.get(request.path)
        return web.Response(status=404) if known is None else web.json_response(known)

    async def _post(self, request: web.Request) -> web.StreamResponse:
        refusal = self._refuse(request)
        if refusal is not None:
            return refusal
        message = json.loads(await request.read())
        method = message.get("method", "")
        self.hits[method] += 1
        if method in self.knobs.status:
            return web.Response(status=self.knobs.status[method])
        if "id" not in message:
            return web.Response(status=202)
        if method in self.knobs.hang:
            await asyncio.sleep(3600)
        modern = META_VERSION in (message.get("params") or {}).get("_meta", {})
        refusal = self._refuse_modern(message) if modern else self._refuse_handshake(request, message)
        return refusal or await self._reply(request, message, modern=modern)

    def _refuse_modern(self, message: JSON) -> web.Response | None:
        if self.knobs.modern:
            return None
        return self._bad_session() if self.knobs.sessions else self._error(message, -32601, "Method not found", 400)

    def _refuse_handshake(self, request: web.Request, message: JSON) -> web.Response | None:
        if not self.knobs.handshake:
            if not self.knobs.modern:
                return web.Response(status=405)
            data = {"supported": [MODERN], "requested": request.headers.get("MCP-Protocol-Version", "")}
            return self._error(message, -32022, "Unsupported protocol version", 400, data)
        session = request.headers.get("Mcp-Session-Id")
        if not self.knobs.sessions or message.get("method") == "initialize" or session in self.sessions:
            return None
        return self._bad_session() if session is None else web.Response(status=404)

    async def _reply(self, request: web.Request, message: JSON, *, modern: bool) -> web.StreamResponse:
        answer = await self._answer(
            message, {name.lower(): value for name, value in request.headers.items()}, modern=modern
        )
        if answer is None:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        headers = {}
        if message["method"] == "initialize" and self.knobs.sessions:
            session = uuid.uuid4().hex
            self.sessions.add(session)
            headers["Mcp-Session-Id"] = session
        status = 404 if answer.get("error", {}).get("code") == -32601 else 200
        if not self.knobs.answer_in_stream:
            return web.json_response(answer, status=status, headers=headers)
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "on it"}}
        text = f": hello\r\n\r\nevent: message\r\ndata: {json.dumps(note)}\r\n\r\ndata: {json.dumps(answer)}\n\n"
        return web.Response(text=text, content_type="text/event-stream", headers=headers)

    def _refuse(self, request: web.Request) -> web.Response | None:
        if self.knobs.html:
            return web.Response(text="<!doctype html><title>Welcome</title>", content_type="text/html")
        if self.knobs.forbid:
            return web.Response(status=403, headers={"WWW-Authenticate": self.knobs.challenge})
        if self.knobs.key is not None and request.headers.get(self.knobs.key[0]) != self.knobs.key[1]:
            return web.Response(status=401, headers={"WWW-Authenticate": self.knobs.challenge})
        return None

    @staticmethod
    def _bad_session() -> web.Response:
        return web.Response(status=400, text="Bad Request: Missing session ID")

    @staticmethod
    def _error(message: JSON, code: int, text: str, status: int, data: Any = None) -> web.Response:
        error = {"code": code, "message": text, **({"data": data} if data else {})}
        return web.json_response({"jsonrpc": "2.0", "id": message.get("id"), "error": error}, status=status)

    # Legacy SSE -----------------------------------------------------------------------------------------

    async def _open_stream(self, request: web.Request) -> web.StreamResponse:
        self.hits["GET /sse"] += 1
        if not self.knobs.sse:
            return web.Response(status=404)
        refusal = self._refuse(request)
        if refusal is not None:
            return refusal
        session, queue = uuid.uuid4().hex, asyncio.Queue[JSON]()
        self._streams[session] = queue
        stream = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await stream.prepare(request)
        endpoint = self.knobs.sse_endpoint or f"/messages?session_id={session}"
        await stream.write(f"event: endpoint\ndata: {endpoint}\n\n".encode())
        try:
            while True:
                answer = await queue.get()
                await stream.write(f"event: message\ndata: {json.dumps(answer)}\n\n".encode())
        except (ConnectionError, asyncio.CancelledError):
            return stream
        finally:
            self._streams.pop(session, None)

    async def _post_message(self, request: web.Request) -> web.Response:
        refusal = self._refuse(request)
        if refusal is not None:
            return refusal
        queue = self._streams.get(request.query.get("session_id", ""))
        if queue is None:
            return web.Response(status=404)
        message = json.loads(await request.read())
        self.hits[message.get("method", "")] += 1
        if message.get("method") in self.knobs.hang:
            return web.Response(status=202)
        if "id" in message:
            answer = await self._answer(
                message, {name.lower(): value for name, value in request.headers.items()}, modern=False
            )
            if answer is not None:
                queue.put_nowait(answer)
        return web.Response(status=202)

    # Answers --------------------------------------------------------------------------------------------

    async def _answer(self, message: JSON, headers: dict[str, str], *, modern: bool) -> JSON | None:
        method, params = message["method"], message.get("params") or {}
        envelope = {"jsonrpc": "2.0", "id": message["id"]}
        if method in self.knobs.errors:
            return {**envelope, "error": self.knobs.errors[method]}
        if method == "tools/call":
            self.calls.append(Call(params["name"], params.get("arguments") or {}, headers, params.get("_meta") or {}))
            self.call_arrived.set()
            if self.knobs.drop_after_call:
                return None
            if self.knobs.delay:
                await asyncio.sleep(self.knobs.delay)
        result = self._result(method, params)
        if result is None:
            return {**envelope, "error": {"code": -32601, "message": f"Method not found: {method}"}}
        if modern:
            result["resultType"] = "complete"
        return {**envelope, "result": result}

    def _result(self, method: str, params: JSON) -> JSON | None:
        about = {"name": "fake", "version": "1"}
        if method == "initialize":
            wanted = params.get("protocolVersion")
            version = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
        if method == "server/discover":
            meta = {"io.modelcontextprotocol/serverInfo": about}
            cache = {"ttlMs": 0, "cacheScope": "private"}
            return {"supportedVersions": [MODERN], "capabilities": {"tools": {}}, "_meta": meta, **cache}
        if method == "tools/list":
            return self._page(params)
        if method == "tools/call":
            return self._call(params)
        return {} if method == "ping" else None

    def _page(self, params: JSON) -> JSON:
        cache = {"ttlMs": 0, "cacheScope": "private"}
        size = self.knobs.page_size
        if size is None:
            return {"tools": self.tools, **cache}
        start = 0 if self.knobs.repeat_cursor else int(params.get("cursor") or 0)
        page: JSON = {"tools": self.tools[start : start + size], **cache}
        if start + size < len(self.tools):
            page["nextCursor"] = str(start + size)
        return page

    def _call(self, params: JSON) -> JSON:
        result = self.knobs.result
        if callable(result):
            return dict(result(params["name"], params.get("arguments") or {}))
        if result is not None:
            return dict(result)
        text = (params.get("arguments") or {}).get("text", params["name"])
        return {"content": [{"type": "text", "text": str(text)}], "isError": False}
