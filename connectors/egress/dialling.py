"""Resolve, check, connect: the addresses that were checked are the ones connected to (safety §11)."""

import asyncio
import errno
import socket
import ssl
import weakref
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from aiohttp import AddrInfoType, ClientRequest, ClientTimeout, TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

from connectors.egress.attempt import current_attempt
from connectors.egress.errors import AddressRefused, BrokenAfterSending

type Resolve = Callable[[str, int], Awaitable[list[str]]]

# Node and uvicorn drop idle connections after 5 s: staying below, a request hardly ever meets one being dropped, which
# would leave its outcome unknown.
_KEEP_IDLE: Final = 4.0
_KEEP_NAMES: Final = 10
_CONNECTIONS: Final = 1024
_CONNECTIONS_A_HOST: Final = 64
# Its own threads: name servers that hang must not take those of the rest of the process.
_LOOKUPS: Final = ThreadPoolExecutor(max_workers=16, thread_name_prefix="egress-dns")


async def look_up(host: str, port: int) -> list[str]:
    """Return the addresses of a name, as the system resolves it."""
    loop = asyncio.get_running_loop()
    found = await loop.run_in_executor(_LOOKUPS, _getaddrinfo, host, port)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _getaddrinfo(host: str, port: int) -> list[Any]:
    return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))


@lru_cache(maxsize=1)
def shared_tls_context() -> ssl.SSLContext:
    """Return the one TLS context of the process: making one costs tens of milliseconds."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


class CheckedResolver(AbstractResolver):
    """Refuses a name as a whole when one of its addresses may not be connected to."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses = await self._resolve(host, port)
        if not addresses:
            raise OSError(errno.EADDRNOTAVAIL, "no address")
        policy = current_attempt.get().policy
        for address in addresses:
            policy.check_address(host, address)
        numeric = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
        return [
            ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=numeric)
            for address in addresses
        ]

    async def close(self) -> None:
        """Nothing to close: the threads serve every loop."""


class Dialler(TCPConnector):
    """aiohttp's pool of connections, with every address checked where its socket is made and each stage marked."""

    def __init__(self, *, resolve: Resolve, tls_context: ssl.SSLContext) -> None:
        super().__init__(
            resolver=CheckedResolver(resolve),
            ssl=tls_context,
            ttl_dns_cache=_KEEP_NAMES,
            keepalive_timeout=_KEEP_IDLE,
            limit=_CONNECTIONS,
            limit_per_host=_CONNECTIONS_A_HOST,
            socket_factory=_make_checked_socket,
        )
        self._remote_addresses: weakref.WeakKeyDictionary[ResponseHandler, str] = weakref.WeakKeyDictionary()
        self._make_protocol = self._factory
        self._factory = self._make_marked_protocol  # type: ignore[assignment]  # called once TCP stands, before TLS

    async def connect(
        self,
        req: ClientRequest,
        traces: list[Trace],
        timeout: ClientTimeout,  # noqa: ASYNC109 - aiohttp's own signature
    ) -> Connection:
        attempt = current_attempt.get()
        if attempt.handed_over:  # aiohttp would send an idempotent request again; whether to is the caller's decision
            raise BrokenAfterSending(reason="disconnected", host=attempt.host, started=False)
        connection = await super().connect(req, traces, timeout)
        assert connection.protocol is not None
        attempt.mark_handed_over(self._remote_addresses.get(connection.protocol, ""))
        return connection

    async def _create_connection(
        self,
        req: ClientRequest,
        traces: list[Trace],
        timeout: ClientTimeout,  # noqa: ASYNC109 - aiohttp's own signature
    ) -> ResponseHandler:
        attempt = current_attempt.get()
        attempt.mark_dialling()
        protocol = await super()._create_connection(req, traces, timeout)
        attempt.mark_ready()
        assert protocol.transport is not None
        peer = protocol.transport.get_extra_info("peername")
        self._remote_addresses[protocol] = str(peer[0]) if peer else ""
        attempt.certificate_expires_at = _read_expiry(protocol.transport.get_extra_info("peercert"))
        return protocol

    def _make_marked_protocol(self) -> ResponseHandler:
        current_attempt.get().mark_established()
        return self._make_protocol()


def _read_expiry(certificate: Any) -> datetime | None:
    """Return when the server's certificate ends (RFC 5280 §4.1.2.5); plain HTTP has none."""
    if not certificate:
        return None
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(certificate["notAfter"]), UTC)


def _make_checked_socket(info: AddrInfoType) -> socket.socket:
    """Make a socket for exactly this address; the last check, which no cache and no literal gets around."""
    family, kind, proto, _, address = info
    attempt = current_attempt.get()
    try:
        attempt.policy.check_address(attempt.host, str(address[0]))
    except AddressRefused as refusal:
        attempt.refusal = refusal
        raise PermissionError(errno.EACCES, "address refused") from refusal  # an OSError is what the caller can handle
    attempt.mark_named()
    return socket.socket(family, kind, proto)
