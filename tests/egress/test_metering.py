"""What a call waited for before its request was on its way."""

import asyncio

from connectors.egress.client import EgressClient, Timeouts
from connectors.egress.dialling import _CONNECTIONS_A_HOST as PLACES
from connectors.egress.metering import Meter, current_meter
from connectors.runtime.mcp_client import Deadline, UpstreamServer, call_tool
from tests.fakes.mcp_server import McpServer

DELAY = 0.1


async def ask(client: EgressClient, url: str) -> Meter:
    """In a task of its own, as every call is."""
    meter = Meter()
    current_meter.set(meter)
    await client.request("GET", url, timeout=Timeouts(5), max_bytes=10_000)
    return meter


async def test_a_new_connection_is_told_from_a_kept_one():
    with McpServer(documents={"/page": {}}) as server:
        client = EgressClient()
        first = await asyncio.create_task(ask(client, f"{server.origin}/page"))
        second = await asyncio.create_task(ask(client, f"{server.origin}/page"))
        await client.close()
    assert first.connect > 0
    assert second.connect == 0
    assert second.queue < DELAY


async def test_outside_a_call_nothing_is_metered():
    with McpServer(documents={"/page": {}}) as server:
        client = EgressClient()
        await client.request("GET", f"{server.origin}/page", timeout=Timeouts(5), max_bytes=10_000)
        await client.close()
    assert current_meter.get() is None


async def test_the_wait_for_a_free_connection_is_the_queue():
    async def call() -> Meter:
        meter = Meter()
        current_meter.set(meter)
        upstream = UpstreamServer(server.url)
        await call_tool(upstream, "echo", {}, session_key="k", deadline=Deadline.after(20))
        return meter

    with McpServer(delay=DELAY) as server:
        meters = await asyncio.gather(*[call() for _ in range(PLACES + 8)])
    queues = sorted(meter.queue for meter in meters)
    assert queues[0] < DELAY / 2
    assert queues[-1] > DELAY / 2
