"""A fast MCP upstream for measurements: one asyncio protocol over httptools, JSON answers, both eras, no sessions.

python benchmarks/upstream.py PORT [TOOLS]
"""

import asyncio
import contextlib
import sys
from typing import Any

import httptools
import orjson
import uvloop

MODERN = "2026-07-28"


def make_tools(count: int) -> list[dict[str, Any]]:
    schema = {"type": "object", "properties": {"message": {"type": "string", "description": "What to say back."}}}
    names = ["echo", *(f"tool_{number:03d}" for number in range(1, count))]
    return [{"name": name, "description": f"Says back what {name} was told.", "inputSchema": schema} for name in names]


class Answering(asyncio.Protocol):
    """Counts nothing, keeps nothing; answers in one write."""

    tools = b"[]"

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.parser = httptools.HttpRequestParser(self)
        self.body = b""

    def data_received(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            self.transport.close()

    def on_body(self, part: bytes) -> None:
        self.body += part

    def on_message_complete(self) -> None:
        body, self.body = self.body, b""
        if self.parser.get_method() != b"POST":
            self._write(b"405 Method Not Allowed", b"{}")
            return
        message = orjson.loads(body)
        if "id" not in message:
            self._write(b"202 Accepted", b"")
            return
        result = self._result(message["method"], message.get("params") or {})
        answer = b'{"jsonrpc":"2.0","id":' + orjson.dumps(message["id"]) + b',"result":' + result + b"}"
        self._write(b"200 OK", answer)

    def _result(self, method: str, params: dict[str, Any]) -> bytes:
        if method == "tools/call":
            text = params.get("arguments", {}).get("message", "")
            content = [{"type": "text", "text": text}]
            return orjson.dumps({"content": content, "isError": False, "resultType": "complete"})
        if method == "tools/list":
            return b'{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":' + self.tools + b"}"
        about = {"name": "upstream", "version": "1"}
        versions = {"protocolVersion": "2025-11-25", "supportedVersions": [MODERN], "serverInfo": about}
        return orjson.dumps({**versions, "capabilities": {"tools": {}}, "resultType": "complete"})

    def _write(self, status: bytes, body: bytes) -> None:
        head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (status, len(body))
        self.transport.write(head + body)


async def serve(port: int, tools: int) -> None:
    Answering.tools = orjson.dumps(make_tools(tools))
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        uvloop.run(serve(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10))
