"""What a program call costs over starting Python bare, in the same run, and what two hundred at once cost.

    make bench-programs            all figures
    python benchmarks/programs.py 40   rounds of each (default 25)

Bare starts and calls take turns, so that whatever else the machine does falls on both. `bare` is `python -I -B` on the
same file with the same request, once with the interpreter of this environment and once with the one programs get.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import UUID

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from connectors.runtime.containment import describe_containment
from connectors.runtime.deadline import Deadline
from connectors.runtime.keeper_client import get_keeper, stop_keeper
from connectors.runtime.operations import TOOL_INVOKE
from connectors.runtime.program import ProgramSource, invoke_program
from connectors.runtime.program_context import Configuration, ToolInvoke
from connectors.runtime.protocol import PackageName, build_request

PACKAGE = PackageName("bench", "1.0.0")
ANSWER = '{"protocol_version": 1, "ok": true, "result": {"content": [{"type": "text", "text": "done"}]}}'
SMALL = f"import json, sys\njson.load(sys.stdin)\nprint('{ANSWER}')\n"
WITH_HTTPX = f"import httpx\n{SMALL}"
LARGE_FILES, LARGE_BYTES = 4, 5_000_000
AIM, LARGE_AIM = 1.3, 1.5


def make_provider(folder: Path, source: str, *, large: bool = False) -> ProgramSource:
    provider = folder / "provider"
    provider.mkdir(parents=True)
    (provider / "main.py").write_text(source)
    for number in range(LARGE_FILES if large else 0):
        (provider / f"vendor-{number}.bin").write_bytes(os.urandom(LARGE_BYTES))
    return ProgramSource(folder, "provider/main.py", PACKAGE)


def make_context() -> ToolInvoke:
    return ToolInvoke(
        configuration=Configuration(),
        options={"type": "program"},
        transport="program",
        credentials={},
        connection_metadata={},
        definition_id=UUID(int=1),
        connection_id=UUID(int=2),
        configuration_revision=1,
        authorization_fingerprint="",
        grant_revision=1,
        credential_version=1,
        tool_name="t",
        arguments={},
    )


async def bare(python: str, program: ProgramSource) -> None:
    request = build_request("tool_invoke", PACKAGE, make_context().wire())
    await asyncio.to_thread(
        subprocess.run,
        [python, "-I", "-B", program.folder / program.entrypoint],
        input=request,
        check=True,
        capture_output=True,
    )


async def call(program: ProgramSource) -> None:
    await invoke_program(program, TOOL_INVOKE, make_context(), deadline=Deadline.after(100))


async def timed(act: Callable[[], Awaitable[None]]) -> float:
    started = time.perf_counter()
    await act()
    return (time.perf_counter() - started) * 1000


async def compare(rounds: int, acts: dict[str, Callable[[], Awaitable[None]]]) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in acts}
    for act in acts.values():
        await act()
    for _ in range(rounds):
        for name, act in acts.items():
            times[name].append(await timed(act))
    return {name: statistics.median(values) for name, values in times.items()}


def show(title: str, medians: dict[str, float], aims: dict[str, float]) -> bool:
    print(f"\n{title}")
    base = medians["bare, this environment"]
    reached = True
    for name, median in medians.items():
        aim = aims.get(name)
        note = ""
        if aim is not None:
            reached = reached and median / base <= aim
            note = f"   aim ≤ {aim}×: {'reached' if median / base <= aim else 'MISSED'}"
        print(f"  {name:28s} {median:8.1f} ms   {median / base:5.2f}×{note}")
    return reached


async def crowd(program: ProgramSource, calls: int) -> None:
    us = psutil.Process()
    keeper = psutil.Process(get_keeper()._process.pid)  # noqa: SLF001 - a measurement looks inside
    before, keeper_before = us.memory_info().rss, keeper.memory_info().rss
    seconds = await timed(lambda: gather(program, calls)) / 1000
    await asyncio.sleep(0.5)  # a minder that has reported takes a moment to be gone itself
    grown = (us.memory_info().rss - before, keeper.memory_info().rss - keeper_before)
    print(f"\n{calls} calls at once")
    print(f"  {calls / seconds:.0f} calls a second on {os.cpu_count()} processors")
    print(f"  our memory grew by {grown[0] / 2**20:.1f} MiB, the keeper's by {grown[1] / 2**20:.1f} MiB")
    print(f"  left: {len(keeper.children())} processes, {len(list(get_keeper().base.iterdir()))} folders")


async def gather(program: ProgramSource, calls: int) -> None:
    await asyncio.gather(*(call(program) for _ in range(calls)))


async def main(rounds: int) -> bool:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        small = make_provider(folder / "small", SMALL)
        large = make_provider(folder / "large", SMALL, large=True)
        httpx = make_provider(folder / "httpx", WITH_HTTPX)
        ours, theirs = sys.executable, str(get_keeper().python)
        active = [layer.name for layer in describe_containment() if layer.active]
        print(json.dumps({"layers": active, "load": os.getloadavg()[0], "rounds": rounds}))
        plain = {
            "bare, this environment": lambda: bare(ours, small),
            "bare, the programs' own": lambda: bare(theirs, small),
            "call": lambda: call(small),
            "call, 20 MB provider": lambda: call(large),
        }
        reached = show(
            "standard library only", await compare(rounds, plain), {"call": AIM, "call, 20 MB provider": LARGE_AIM}
        )
        heavy = {
            "bare, this environment": lambda: bare(ours, httpx),
            "bare, the programs' own": lambda: bare(theirs, httpx),
            "call": lambda: call(httpx),
        }
        reached &= show("with httpx imported", await compare(max(5, rounds // 3), heavy), {"call": AIM})
        await crowd(small, 200)
        return reached


if __name__ == "__main__":
    try:
        done = asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 25))
    finally:
        stop_keeper()
    sys.exit(0 if done else 1)
