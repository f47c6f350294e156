"""The legacy transport (2024-11-05): answers come on one event stream, requests go to the address it names first.

A stream is opened for one conversation and closed after it: these servers tie their session to the stream, so nothing
is worth keeping. The `endpoint` event must stay on the stream's own origin, or the credential would travel elsewhere.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from connectors.egress.client import StreamedAnswer, get_client
from connectors.errors import OutcomeUnknown, UpstreamFault
from connectors.runtime import mcp_wire as wire
from connectors.runtime.deadline import Deadline
from connectors.runtime.event_stream import Event, EventReader
from connectors.runtime.mcp_eras import server_info_of
from connectors.runtime.mcp_exchange import (
    CLIENT_ERRORS,
    MAX_ANSWER_BYTES,
    Exchange,
    parse_message,
    post,
    raise_for_refusal,
    result_of,
)
from connectors.runtime.mcp_sessions import agreed_version, initialize_params
from connectors.runtime.request_timeouts import timeouts_for
from connectors.runtime.upstream import JSON, UpstreamServer
from connectors.vault.secret import Secret


@dataclass(slots=True)
class LegacyConversation:
    """An open stream with its handshake done."""

    server: UpstreamServer
    endpoint: str
    events: AsyncIterator[Event]
    opened: Exchange
    deadline: Deadline
    version: str = ""
    server_info: JSON | None = None

    async def request(self, method: str, params: JSON) -> Exchange:
        """Send one request and wait on the stream for its answer."""
        request_id = wire.next_id()
        await self._send(wire.encode_message(method, params, request_id), stage=method)
        async for event in self.events:
            message = parse_message(event.data.encode())
            if message is not None and message.get("id") == request_id and "method" not in message:
                return Exchange(200, {}, message, self.opened.timings, self.opened.address)
        raise OutcomeUnknown("connector_action_outcome_unknown", reason="stream_ended")

    async def initialize(self) -> None:
        result = result_of(await self.request("initialize", initialize_params()), stage="handshake")
        self.version = agreed_version(result)
        self.server_info = server_info_of(result)
        await self._send(wire.encode_message("notifications/initialized", None, None), stage="handshake")

    async def _send(self, body: bytes, *, stage: str) -> None:
        headers = wire.handshake_headers(self.version or None, None)
        accepted = await post(self.server, body, headers, request_id=None, deadline=self.deadline, url=self.endpoint)
        if accepted.status >= CLIENT_ERRORS:
            raise_for_refusal(accepted, stage=stage)


@asynccontextmanager
async def open_conversation(server: UpstreamServer, *, deadline: Deadline) -> AsyncIterator[LegacyConversation]:
    """Open the stream, read where to send, and yield the conversation before its handshake."""
    headers: dict[str, str | Secret] = {"Accept": "text/event-stream", **server.headers}
    async with get_client().stream(
        "GET", server.url, headers=headers, timeout=timeouts_for(deadline), max_bytes=MAX_ANSWER_BYTES
    ) as stream:
        address, certificate = stream.remote_address, stream.certificate_expires_at
        opened = Exchange(stream.status, stream.headers, None, stream.timings, address, certificate)
        if opened.status >= CLIENT_ERRORS or opened.content_type != "text/event-stream":
            raise_for_refusal(opened, stage="handshake")
        events = _read_events(stream)
        endpoint = await _read_endpoint(server, events)
        yield LegacyConversation(server, endpoint, events, opened, deadline)


async def _read_events(stream: StreamedAnswer) -> AsyncIterator[Event]:
    reader = EventReader()
    async for chunk in stream:
        for event in reader.feed(chunk):
            yield event


def _join(base: str, told: str) -> str | None:
    try:
        return urljoin(base, told)
    except ValueError:  # brackets that do not close
        return None


async def _read_endpoint(server: UpstreamServer, events: AsyncIterator[Event]) -> str:
    async for event in events:
        if event.kind != "endpoint":
            continue
        endpoint = _join(server.url, event.data.strip())
        if endpoint is None or urlsplit(endpoint)[:2] != urlsplit(server.url)[:2]:
            raise UpstreamFault("endpoint_elsewhere", stage="handshake")
        return endpoint
    raise UpstreamFault("not_mcp", stage="handshake", content_type="text/event-stream")
