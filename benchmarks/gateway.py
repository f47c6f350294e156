"""Calls per second and CPU per call of one real server process with everything logged, beside a bare aiohttp proxy.

    python benchmarks/gateway.py [--seconds 5] [--clients 1 16 64] [--server uvicorn|granian] [--database URL]

Both stand before the same upstream and are measured in turns. CPU is the server process's own; a shared machine moves
calls per second, CPU per call hardly. The last line compares the rows of the log with the calls that were answered.
"""

import argparse
import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.load import Measured, Target, run_load  # noqa: E402 - after the path

READY_SECONDS = 30


@dataclass(frozen=True)
class Row:
    name: str
    clients: int
    measured: Measured
    cpu_ms: float


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def running(command: list[str], port: int, **environment: str) -> Iterator[psutil.Process]:
    """Start a server, wait until it listens, end it and nothing else."""
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment})
    try:
        limit = time.monotonic() + READY_SECONDS
        while not _listens(port):
            if process.poll() is not None or time.monotonic() > limit:
                raise SystemExit(f"{' '.join(command[:4])} did not start")
            time.sleep(0.05)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(15)


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
        return True
    return False


def server_command(server: str, application: str, port: int) -> list[str]:
    if server == "granian":
        options = ["--interface", "asgi", "--host", "127.0.0.1", "--port", str(port), "--workers", "1", "--no-ws"]
        return [sys.executable, "-m", "granian", *options, "--loop", "uvloop", "--log-level", "warning", application]
    options = ["--host", "127.0.0.1", "--port", str(port), "--log-level", "warning", "--no-access-log", "--ws", "none"]
    return [sys.executable, "-m", "uvicorn", *options, "--loop", "uvloop", "--http", "httptools", application]


def prepare(upstream: str) -> str:
    """Install, publish, connect, grant: what a call needs. Returns the agent's token."""
    from django.core.management import call_command  # noqa: PLC0415 - after Django's set-up

    call_command("migrate", verbosity=0)
    from benchmarks.prepare import make_agent_with_tool  # noqa: PLC0415 - after Django's set-up

    return make_agent_with_tool(upstream)


def measure(name: str, process: psutil.Process, target: Target, clients: int, seconds: float) -> Row:
    before = _cpu(process)
    measured = run_load(target, clients=clients, seconds=seconds)
    return Row(name, clients, measured, (_cpu(process) - before) * 1000 / max(1, measured.calls))


def _cpu(process: psutil.Process) -> float:
    times = [each.cpu_times() for each in (process, *process.children(recursive=True))]
    return sum(each.user + each.system for each in times)


def report(rows: list[Row]) -> None:
    print(f"{'':10} {'clients':>7} {'calls/s':>9} {'CPU ms':>7} {'p50 ms':>8} {'p99 ms':>8} {'bad':>5}")
    for row in rows:
        m = row.measured
        print(f"{row.name:10} {row.clients:7} {m.rate:9.0f} {row.cpu_ms:7.3f} {m.p50:8.2f} {m.p99:8.2f} {m.bad:5}")
    for proxy, ours in zip(rows[::2], rows[1::2], strict=True):
        rate, cpu = ours.measured.rate / proxy.measured.rate, ours.cpu_ms / proxy.cpu_ms
        print(f"with {ours.clients} clients: {rate:.2f} of the bare proxy's calls/s at {cpu:.1f} times its CPU a call")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 16, 64])
    parser.add_argument("--server", choices=["uvicorn", "granian"], default="uvicorn")
    parser.add_argument("--database", default="", help="a database URL; SQLite in a temporary folder without it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"POCO_VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "poco.settings"}
        if options.database:
            os.environ["DATABASE_URL"] = options.database
        import django  # noqa: PLC0415 - after the environment

        django.setup()
        bench(options)


def bench(options: argparse.Namespace) -> None:
    upstream_port, proxy_port, port = free_port(), free_port(), free_port()
    upstream = f"http://127.0.0.1:{upstream_port}/mcp"
    with contextlib.ExitStack() as stack:
        stack.enter_context(running([sys.executable, "benchmarks/upstream.py", str(upstream_port)], upstream_port))
        token = prepare(upstream)
        proxy = stack.enter_context(
            running(
                server_command("uvicorn", "benchmarks.bare_proxy:application", proxy_port),
                proxy_port,
                UPSTREAM=upstream,
            )
        )
        ours = stack.enter_context(running(server_command(options.server, "poco.asgi:application", port), port))
        bare, logged = Target(proxy_port, "echo"), Target(port, "bench__echo", token)
        warm = [run_load(target, clients=4, seconds=1) for target in (bare, logged)]
        rows = []
        for clients in options.clients:
            rows.append(measure("proxy", proxy, bare, clients, options.seconds))
            rows.append(measure(options.server, ours, logged, clients, options.seconds))
        memory = sum(each.memory_info().rss for each in (ours, *ours.children(recursive=True))) / 2**20
    report(rows)
    from connectors.audit.models import CallRecord  # noqa: PLC0415 - after Django's set-up

    answered = warm[1].calls + sum(row.measured.calls for row in rows[1::2])
    logged_calls = CallRecord.objects.count()
    print(f"{logged_calls} calls logged, {answered} answered (the rest was cut off at the end of a round)")
    print(f"memory {memory:.0f} MiB; load average of the machine {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
