"""Waiting for a call in a task of its own, so that cancelling it is our decision and ends in the log."""

import asyncio
from typing import Any


async def wait_for(
    call: "asyncio.Task[Any]", *others: "asyncio.Task[Any]", seconds: float | None = None
) -> tuple[set["asyncio.Task[Any]"], set["asyncio.Task[Any]"]]:
    """Return when the call or one of the others is done. When we are cancelled ourselves, because the server stops,
    so is the call, and it has written its ending before we go."""
    try:
        return await asyncio.wait({call, *others}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        call.cancel()
        await asyncio.wait({call})
        raise
