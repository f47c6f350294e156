"""The floor: forwards a POST over a kept-alive aiohttp pool. No token, no policy, no log, no address rules.

UPSTREAM=http://127.0.0.1:1/mcp python -m uvicorn benchmarks.bare_proxy:application
"""

import os
from typing import Any

import aiohttp
import orjson

UPSTREAM = os.environ.get("UPSTREAM", "")
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
_pool: list[aiohttp.ClientSession] = []


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await _live(receive, send)
        return
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    if body:
        orjson.loads(body)  # even a bare gateway has to look at the tool's name
    async with _pool[0].post(UPSTREAM, data=body, headers=HEADERS) as answer:
        content = await answer.read()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(content))]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


async def _live(receive: Any, send: Any) -> None:
    await receive()
    _pool.append(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=256), auto_decompress=False))
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await _pool.pop().close()
    await send({"type": "lifespan.shutdown.complete"})
