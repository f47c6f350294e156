"""Waiting for a call in a task of its own, so that cancelling it is our decision and ends in the log."""

import asyncio
from typing import Any

_running: "set[asyncio.Task[Any]]" = set()


async def wait_for(
    call: "asyncio.Task[Any]", *others: "asyncio.Task[Any]", seconds: float | None = None
) -> tuple[set["asyncio.Task[Any]"], set["asyncio.Task[Any]"]]:
    """Return when the call or one of the others is done. When we are cancelled ourselves, because the server stops,
    so is the call, and it has written its ending before we go."""
    if not call.done():
        _running.add(call)
        call.add_done_callback(_running.discard)
    try:
        return await asyncio.wait({call, *others}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        call.cancel()
        await asyncio.wait({call})
        raise


async def finish_calls(seconds: float) -> None:
    """Return when every call of this loop has ended, or after `seconds`. A server that stops cancels what runs and
    does not wait for it: without this the log would be closed before those endings reach it."""
    loop = asyncio.get_running_loop()
    running = {call for call in _running if call.get_loop() is loop}
    if running:
        await asyncio.wait(running, timeout=seconds)
