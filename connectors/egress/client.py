"""The only door out: one HTTP client per event loop, for life.

Every address is checked (`policy`, `dialling`), cookies are never kept, proxies and netrc of the environment are not
looked at, and a failure says whether the request may have happened (`errors`).
"""

import asyncio
import ssl
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from types import TracebackType
from typing import Final

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout, DummyCookieJar

from connectors.egress.addresses import parse_address
from connectors.egress.answers import Answer, StreamedAnswer
from connectors.egress.attempt import Attempt, current_attempt
from connectors.egress.dialling import Dialler, Resolve, look_up, shared_tls_context
from connectors.egress.failures import translate_failure
from connectors.egress.metering import current_meter
from connectors.egress.outgoing import REDIRECTS, Headers, Outgoing, Wish, follow_redirect, prepare_request
from connectors.egress.policy import EgressPolicy, current_policy
from connectors.egress.timings import Timeouts, Timings
from connectors.errors import UpstreamFault

__all__ = ["Answer", "EgressClient", "Headers", "StreamedAnswer", "Timeouts", "Timings", "close_client", "get_client"]

_USER_AGENT: Final = "Poco-Connectors"
_NEVER_ROUNDED: Final = float("inf")  # aiohttp would round a deadline of more than 5 s up to whole seconds


class EgressClient:
    """Sends requests from the event loop it was made in.

    `policy`, `resolve` and `tls_context` are the process's unless given.
    """

    def __init__(
        self,
        *,
        policy: EgressPolicy | None = None,
        resolve: Resolve = look_up,
        tls_context: ssl.SSLContext | None = None,
    ) -> None:
        self._policy = policy
        self._session = ClientSession(
            connector=Dialler(resolve=resolve, tls_context=tls_context or shared_tls_context()),
            cookie_jar=DummyCookieJar(),
            headers={"User-Agent": _USER_AGENT},
            trust_env=False,
            auto_decompress=True,
        )

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Headers | None = None,
        body: bytes | None = None,
        timeout: Timeouts,  # noqa: ASYNC109 - one deadline through DNS, TCP, TLS, hops and body, told apart by stage
        max_bytes: int,
        redirects: int = 0,
    ) -> Answer:
        """Send one request and return its whole answer, inflated and at most `max_bytes` long.

        `redirects` is how many hops may be followed; with none, a redirect is an answer like any other. Raises
        AddressRefused, RequestRefused, Unreachable, BrokenAfterSending, UpstreamFault.
        """
        streamed = await self._open(Wish(method, url, headers, body, timeout, max_bytes, redirects))
        try:
            content = await streamed.read()
        finally:
            streamed.close()
        return Answer(
            streamed.status, streamed.headers, content, streamed.url, streamed.remote_address, streamed.timings
        )

    def stream(
        self,
        method: str,
        url: str,
        *,
        headers: Headers | None = None,
        body: bytes | None = None,
        timeout: Timeouts,
        max_bytes: int,
        redirects: int = 0,
    ) -> AbstractAsyncContextManager[StreamedAnswer]:
        """Send one request and give its answer as soon as the headers are in; the body comes as it is iterated."""
        return _Stream(self._open, Wish(method, url, headers, body, timeout, max_bytes, redirects))

    async def close(self) -> None:
        """Close every connection."""
        await self._session.close()

    async def _open(self, wish: Wish) -> StreamedAnswer:
        policy = self._policy or current_policy()
        outgoing = prepare_request(wish, policy)
        url, total = wish.url, wish.timeouts.total
        deadline = None if total is None else time.monotonic() + total
        for hops_left in range(wish.redirects, -1, -1):
            attempt, response = await self._send(outgoing, policy, wish.timeouts, deadline)
            if response.status not in REDIRECTS or not wish.redirects:
                return StreamedAnswer(response, attempt, url=url, max_bytes=wish.max_bytes)
            response.close()
            if hops_left:
                outgoing = follow_redirect(outgoing, response.headers.get("Location"), response.status, policy)
                url = str(outgoing.url)
        raise UpstreamFault("redirect_refused", reason="too_many", host=outgoing.url.raw_host)

    async def _send(
        self, outgoing: Outgoing, policy: EgressPolicy, timeouts: Timeouts, deadline: float | None
    ) -> tuple[Attempt, ClientResponse]:
        host = outgoing.url.raw_host or ""
        attempt = Attempt(
            host, policy, is_literal=parse_address(host) is not None, is_secure=outgoing.url.scheme == "https"
        )
        token = current_attempt.set(attempt)
        try:
            response = await self._session.request(
                outgoing.method,
                outgoing.url,
                headers=outgoing.headers,
                data=outgoing.body,
                allow_redirects=False,
                timeout=ClientTimeout(
                    total=None if deadline is None else max(deadline - time.monotonic(), 0.001),
                    connect=timeouts.connect,
                    sock_read=timeouts.read,
                    ceil_threshold=_NEVER_ROUNDED,
                ),
            )
        except (ClientError, OSError) as error:
            raise translate_failure(error, attempt) from error
        finally:
            current_attempt.reset(token)
            if (meter := current_meter.get()) is not None:
                attempt.add_to(meter)
        attempt.mark_answered()
        return attempt, response


class _Stream(AbstractAsyncContextManager[StreamedAnswer]):
    """Opens an answer and closes it; a class, for it runs once a call."""

    __slots__ = ("_answer", "_open_answer", "_wish")

    def __init__(self, open_answer: Callable[[Wish], Awaitable[StreamedAnswer]], wish: Wish) -> None:
        self._open_answer = open_answer
        self._wish = wish

    async def __aenter__(self) -> StreamedAnswer:
        self._answer = await self._open_answer(self._wish)
        return self._answer

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and not self._answer.is_finished:
            task = asyncio.get_running_loop().create_task(self._answer.finish())
            _finishing.add(task)
            task.add_done_callback(_finishing.discard)
        else:
            self._answer.close()


_finishing: Final[set[asyncio.Task[None]]] = set()  # a loop alone would not keep them
_clients: Final[dict[asyncio.AbstractEventLoop, tuple[EgressClient, AsyncGenerator[None]]]] = {}


def get_client() -> EgressClient:
    """Return the running event loop's client, made on first use; it ends with the loop."""
    loop = asyncio.get_running_loop()
    if (entry := _clients.get(loop)) is None:
        entry = _clients[loop] = _begin_life()
    return entry[0]


async def close_client() -> None:
    """Close the running loop's client, when there is one; the next use makes another."""
    if entry := _clients.get(asyncio.get_running_loop()):
        await entry[1].aclose()


def _begin_life() -> tuple[EgressClient, AsyncGenerator[None]]:
    """Make a client and a generator that the loop knows: a loop that ends finishes its generators first."""
    client = EgressClient()
    life = _close_at_the_end(client)
    with suppress(StopIteration):  # how a first step that does not wait says that it is done
        life.asend(None).send(None)
    return client, life


async def _close_at_the_end(client: EgressClient) -> AsyncGenerator[None]:
    loop = asyncio.get_running_loop()
    try:
        yield
    finally:
        _clients.pop(loop, None)
        await client.close()
