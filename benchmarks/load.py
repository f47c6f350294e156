"""Load on loopback: wrk when it is there, else a loop of our own. Every body is unique and every answer is checked."""

import asyncio
import json
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

SCRIPT = """
local calls, threads = 0, {}
bad = 0
function setup(thread) table.insert(threads, thread) end
function init(args)
  head, before, after = "", "", ""
  for line in io.lines(args[1]) do
    local key, value = line:match("^(%u+) (.*)$")
    if key == "HEAD" then head = head .. value .. "\\r\\n" end
    if key == "BEFORE" then before = value end
    if key == "AFTER" then after = value end
  end
end
function request()
  calls = calls + 1
  local body = before .. calls .. after
  return head .. "Content-Length: " .. #body .. "\\r\\n\\r\\n" .. body
end
function response(status, headers, body)
  if status ~= 200 or not body:find("ping", 1, true) or body:find('"isError":true', 1, true) then bad = bad + 1 end
end
function done(summary, latency, requests)
  local wrong = 0
  for _, thread in ipairs(threads) do wrong = wrong + thread:get("bad") end
  local e = summary.errors
  wrong = wrong + e.connect + e.read + e.write + e.timeout
  io.write(string.format('\\nJSON {"calls":%d,"seconds":%.4f,"p50":%.3f,"p99":%.3f,"bad":%d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, wrong))
end
"""


@dataclass(frozen=True)
class Target:
    """Where calls go: a tools/call of 2026-07-28 whose message is unique."""

    port: int
    tool: str
    token: str = ""

    @property
    def head(self) -> list[str]:
        return [
            "POST /mcp HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            "MCP-Protocol-Version: 2026-07-28",
            "Mcp-Method: tools/call",
            f"Mcp-Name: {self.tool}",
            *([f"Authorization: Bearer {self.token}"] if self.token else []),
        ]

    @property
    def body(self) -> tuple[str, str]:
        """What stands before and after the number of the call."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "load", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"_meta": meta, "name": self.tool, "arguments": {"message": "ping-NUMBER"}}
        text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, separators=(",", ":"))
        before, after = text.split("NUMBER")
        return before, after


@dataclass(frozen=True)
class Measured:
    calls: int
    seconds: float
    p50: float  # milliseconds
    p99: float
    bad: int

    @property
    def rate(self) -> float:
        return (self.calls - self.bad) / self.seconds


def run_load(target: Target, *, clients: int, seconds: float) -> Measured:
    """Keep `clients` connections busy for some seconds."""
    if shutil.which("wrk"):
        return _run_wrk(target, clients, seconds)
    return asyncio.run(_run_loop(target, clients, seconds))


def _run_wrk(target: Target, clients: int, seconds: float) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        script, details = Path(folder) / "call.lua", Path(folder) / "details"
        script.write_text(SCRIPT)
        lines = [f"HEAD {line}" for line in target.head]
        details.write_text("\n".join([*lines, f"BEFORE {target.body[0]}", f"AFTER {target.body[1]}"]) + "\n")
        command = ["wrk", "-t1", f"-c{clients}", f"-d{max(1, round(seconds))}s", "--timeout", "30s", "-s", str(script)]
        url = f"http://127.0.0.1:{target.port}/mcp"
        done = subprocess.run(
            [*command, url, "--", str(details)], capture_output=True, text=True, timeout=seconds + 60, check=True
        )
    told = next(line for line in done.stdout.splitlines() if line.startswith("JSON "))
    return Measured(**json.loads(told[5:]))


async def _run_loop(target: Target, clients: int, seconds: float) -> Measured:
    started = time.perf_counter()
    results = await asyncio.gather(*(_one_client(target, number, started + seconds) for number in range(clients)))
    times = sorted(spent for times, _ in results for spent in times)
    at = [times[min(len(times) - 1, int(len(times) * part))] * 1000 for part in (0.5, 0.99)]
    return Measured(len(times), time.perf_counter() - started, at[0], at[1], sum(bad for _, bad in results))


async def _one_client(target: Target, number: int, until: float) -> tuple[list[float], int]:
    reader, writer = await asyncio.open_connection("127.0.0.1", target.port)
    head = "\r\n".join(target.head)
    times, bad = [], 0
    while (started := time.perf_counter()) < until:
        body = f"{number}-{len(times)}".join(target.body)
        writer.write(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in answer.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        content = await reader.readexactly(int(length.split(b":")[1]))
        bad += b" 200 " not in answer[:20] or b"ping" not in content or b'"isError":true' in content
        times.append(time.perf_counter() - started)
    writer.close()
    return times, bad
