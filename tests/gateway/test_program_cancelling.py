"""A client that gives a call up ends its program, whichever way its era says so (handbook §8, "Limits")."""

import asyncio
import os
import socket
import time
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp.client.client import Client

from connectors.audit.models import CallRecord
from connectors.gateway.models import Invocation
from connectors.runtime.deadline import Deadline
from connectors.runtime.slots import SLOT_COUNT, SLOTS
from tests.builders.booking import Booked, install_booking


@pytest.fixture
def booking(transactional_db: None, served: Any, tmp_path: Path) -> Booked:
    return Booked(served, install_booking(tmp_path), api_key="key-1234")


@pytest.fixture
def bell() -> Iterator[socket.socket]:
    """Rung by a program that has read its request."""
    with socket.create_server(("127.0.0.1", 0)) as bell:
        bell.setblocking(False)
        yield bell


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
@pytest.mark.parametrize(("tool", "outcome"), [("find", "failed"), ("book", "unknown")])
def test_a_call_that_the_sdks_client_cancels_ends_its_program_within_two_seconds(
    booking: Booked, bell: socket.socket, mode: str, tool: str, outcome: str
):
    port = bell.getsockname()[1]
    marker = f"marker-{port}-{os.getpid()}"
    arguments = {"bell": port, "marker": marker}

    async def cancel_a_call(client: Client) -> float:
        call = asyncio.create_task(client.call_tool(f"booking__{tool}", arguments))
        async with asyncio.timeout(20):
            connection, _address = await asyncio.get_running_loop().sock_accept(bell)
        connection.close()
        began = time.monotonic()
        call.cancel()
        with suppress(asyncio.CancelledError):
            await call
        while running(marker) or not await asyncio.to_thread(CallRecord.objects.exists):
            assert time.monotonic() < began + 10
            await asyncio.sleep(0.02)
        await client.list_tools(cache_mode="bypass")  # the conversation goes on
        return time.monotonic() - began

    assert booking.gateway.with_sdk(cancel_a_call, mode=mode) < 2
    assert CallRecord.objects.get().outcome == outcome
    assert [each.state for each in Invocation.objects.all()] == (["unknown"] if tool == "book" else [])


def running(marker: str) -> list[int]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE and marker in process.cmdline():
                found.append(process.pid)
    return found


@pytest.mark.parametrize("tool", ["find", "book"])
def test_a_call_that_waits_for_a_slot_longer_than_its_budget_has_failed_plainly(
    booking: Booked, tool: str, monkeypatch: pytest.MonkeyPatch
):
    booking.gateway.tool_names()
    monkeypatch.setattr("connectors.gateway.invocation.BUDGET_SECONDS", 0.3)

    async def call_while_all_slots_are_held() -> Any:
        async with AsyncExitStack() as held:
            for _ in range(SLOT_COUNT):
                slot: AbstractAsyncContextManager[int] = SLOTS.hold(Deadline.after(5))
                await held.enter_async_context(slot)
            return await asyncio.to_thread(booking.call, f"booking__{tool}")

    result = asyncio.run(call_while_all_slots_are_held())
    assert result["_meta"]["poco.connectors/error"]["code"] == "budget_exceeded"
    assert CallRecord.objects.get().outcome == "failed"
    assert SLOTS.waiting == 0
