"""Our own ASGI application behind uvicorn, in a thread of the test process, and ways to talk to it."""

import asyncio
import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import uvicorn
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass
class HttpAnswer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def result(self) -> Any:
        return self.json["result"]

    @property
    def error(self) -> Any:
        return self.json["error"]


@dataclass
class Gateway:
    """The address of a running application, with one client's token."""

    port: int
    token: str = ""
    stop: Callable[[], None] = lambda: None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def holding(self, token: str) -> "Gateway":
        return Gateway(self.port, token)

    def request(self, method: str, path: str = "/mcp", body: bytes | None = None, **headers: str) -> HttpAnswer:
        """One HTTP request; header names are written with underscores, None leaves a default out."""
        sent: dict[str, Any] = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, body, {name: value for name, value in sent.items() if value is not None})
            answer = connection.getresponse()
            return HttpAnswer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())

    def post(self, message: Any, **headers: str) -> HttpAnswer:
        return self.request("POST", body=json.dumps(message).encode(), **headers)

    def modern(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> HttpAnswer:
        """A 2026-07-28 request as it should be; `headers` override."""
        params = {**(params or {})}
        params["_meta"] = {**ENVELOPE, **params.get("_meta", {})}
        told = {"MCP_Protocol_Version": MODERN, "Mcp_Method": method}
        if isinstance(params.get("name"), str):
            told["Mcp_Name"] = params["name"]
        return self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, **{**told, **headers})

    def legacy(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> HttpAnswer:
        headers.setdefault("MCP_Protocol_Version", "2025-11-25")
        return self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}, **headers)

    def call(self, name: str, arguments: dict[str, Any] | None = None, **meta: Any) -> HttpAnswer:
        return self.modern("tools/call", {"name": name, "arguments": arguments or {}, "_meta": meta})

    def tool_names(self) -> list[str]:
        return [tool["name"] for tool in self.modern("tools/list").result["tools"]]

    def with_sdk[T](self, use: Callable[[Client], Awaitable[T]], *, mode: str = "auto") -> T:
        """Run something with the SDK's own client."""

        async def run() -> T:
            headers = {"Authorization": f"Bearer {self.token}"}
            async with httpx2.AsyncClient(headers=headers, timeout=30) as http_client:
                transport = streamable_http_client(self.url, http_client=http_client)
                async with Client(transport, mode=mode) as client:
                    return await use(client)

        return asyncio.run(run())


@contextlib.contextmanager
def running_gateway() -> Iterator[Gateway]:
    """Serve `poco.asgi` on a free port of loopback, lifespan and all."""
    from poco.asgi import application  # noqa: PLC0415 - after Django's set-up

    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        application, log_level="error", access_log=False, lifespan="on", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    started = threading.Event()
    original = server.startup

    async def startup(sockets: list[socket.socket] | None = None) -> None:
        await original(sockets)
        started.set()

    def stop() -> None:
        server.should_exit = True
        thread.join(15)

    server.startup = startup  # type: ignore[method-assign]  # uvicorn has no other sign that it listens
    thread.start()
    try:
        assert started.wait(20)
        yield Gateway(listener.getsockname()[1], stop=stop)
    finally:
        stop()
        listener.close()
