"""Limits hold however the answer comes (safety §29), and a failure says whether it may have happened."""

import asyncio
import gzip
import time
import tracemalloc
import zlib

import pytest

from connectors.egress.client import Timeouts, _finishing
from connectors.egress.errors import BrokenAfterSending, RequestRefused
from connectors.errors import OutcomeUnknown, UpstreamFault
from connectors.vault.secret import Secret
from tests.egress.conftest import SOON
from tests.fakes.http_server import answer, answer_chunked, hang, hang_up, head, serve, serve_raw

LIMIT = 1000
GZIP = {"Content-Encoding": "gzip"}


def without_length(body):
    async def handle(_request, writer):
        writer.write(head(200) + body)
        writer.close()

    return handle


WAYS = {
    "with a length": answer,
    "chunked": lambda body: answer_chunked([body[:400], body[400:]]),
    "until the end": without_length,
    "gzip": lambda body: answer(gzip.compress(body), headers=GZIP),
    "gzip chunked": lambda body: answer_chunked([gzip.compress(body)], headers=GZIP),
    "deflate": lambda body: answer(zlib.compress(body), headers={"Content-Encoding": "deflate"}),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT])
async def test_an_answer_up_to_the_limit_is_read_whole(client, way, size):
    async with serve(WAYS[way](b"x" * size)) as server:
        got = await client.request("GET", server.url, timeout=SOON, max_bytes=LIMIT)
        assert got.body == b"x" * size


@pytest.mark.parametrize("way", WAYS)
async def test_one_byte_over_the_limit_is_too_large(client, way):
    async with serve(WAYS[way](b"x" * (LIMIT + 1))) as server:
        with pytest.raises(UpstreamFault) as error:
            await client.request("GET", server.url, timeout=SOON, max_bytes=LIMIT)
        assert error.value.code == "response_too_large"
        assert error.value.parameters["limit"] == LIMIT


async def test_inflated_bytes_are_counted_and_a_bomb_is_never_inflated(client):
    bomb = gzip.compress(bytes(64 * 1024 * 1024), 1)
    async with serve(answer(bomb, headers=GZIP)) as server:
        tracemalloc.start()
        with pytest.raises(UpstreamFault):
            await client.request("GET", server.url, timeout=SOON, max_bytes=LIMIT)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 16 * 1024 * 1024


async def test_an_endless_answer_ends_at_the_limit(client):
    async def endless(_request, writer):
        writer.write(head(200))
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()

    async with serve(endless) as server:
        with pytest.raises(UpstreamFault):
            await client.request("GET", server.url, timeout=SOON, max_bytes=1_000_000)


async def test_a_stream_gives_chunks_as_they_come_and_counts_them(client):
    go_on = asyncio.Event()

    async def slowly(_request, writer):
        writer.write(head(200, {"Transfer-Encoding": "chunked", "X-Kind": "slow"}) + b"3\r\none\r\n")
        await go_on.wait()
        writer.write(b"3\r\ntwo\r\n0\r\n\r\n")

    async with serve(slowly) as server:
        async with client.stream("GET", server.url, timeout=SOON, max_bytes=6) as streamed:
            assert (streamed.status, streamed.headers["x-kind"], streamed.remote_address) == (200, "slow", "127.0.0.1")
            assert streamed.timings.first_byte is not None
            chunks = aiter(streamed)
            assert await anext(chunks) == b"one"
            go_on.set()
            assert [chunk async for chunk in chunks] == [b"two"]
        async with client.stream("GET", server.url, timeout=SOON, max_bytes=5) as streamed:
            with pytest.raises(UpstreamFault):
                await streamed.read()


async def test_a_connection_is_used_again_after_an_answer_that_was_read(client):
    async with serve(answer_chunked([b"one", b"two"])) as server:
        for _ in range(3):
            async with client.stream("GET", server.url, timeout=SOON, max_bytes=99) as streamed:
                await streamed.read()
        assert server.connections == 1


async def test_a_connection_is_used_again_when_the_rest_comes_right_after_we_leave(client):
    """An event stream that ends after its one message: its reader has left by then."""
    left, ended = asyncio.Event(), asyncio.Event()

    async def message_then_end(_request, writer):
        writer.write(head(200, {"Transfer-Encoding": "chunked"}) + b"3\r\none\r\n")
        await left.wait()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        ended.set()

    async with serve(message_then_end) as server:
        async with client.stream("GET", server.url, timeout=SOON, max_bytes=99) as streamed:
            assert await anext(aiter(streamed)) == b"one"
        left.set()
        await ended.wait()
        await asyncio.gather(*_finishing)
        async with client.stream("GET", server.url, timeout=SOON, max_bytes=99) as streamed:
            await streamed.read()
        assert server.connections == 1


@pytest.mark.parametrize("rest", ["silence", "flood"])
async def test_a_connection_is_dropped_when_the_rest_does_not_come_or_does_not_end(client, rest):
    async def go_on(_request, writer):
        writer.write(head(200) + b"one")
        while rest == "flood":
            writer.write(b"x" * 10_000)
            await writer.drain()
        await asyncio.Event().wait()

    async with serve(go_on) as server:
        for _ in range(2):
            async with client.stream("GET", server.url, timeout=SOON, max_bytes=100_000_000) as streamed:
                await anext(aiter(streamed))
            await asyncio.gather(*_finishing)
        assert server.connections == 2


@pytest.mark.parametrize(("handler", "reason"), [(hang_up, "disconnected"), (hang, "timed_out")])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
async def test_a_request_without_an_answer_may_have_happened_and_is_not_sent_again(client, method, handler, reason):
    async with serve(handler) as server:
        with pytest.raises(BrokenAfterSending) as error:
            await client.request(method, server.url, body=b"x", timeout=Timeouts(total=0.2), max_bytes=1)
        assert isinstance(error.value, OutcomeUnknown)
        assert error.value.parameters == {"reason": reason, "host": "127.0.0.1", "started": False}
        assert len(server.received) == 1


async def test_a_kept_connection_that_dies_under_a_request_is_not_silently_replaced(client):
    """aiohttp would send an idempotent request a second time."""

    async def once(reader, writer):
        for _ in range(2):
            await reader.readuntil(b"\r\n\r\n")
            requests.append(1)
            if len(requests) != 2:
                writer.write(head(200, {"Content-Length": "0"}))

    requests: list[int] = []
    async with serve_raw(once) as server:
        await client.request("DELETE", server.url, timeout=SOON, max_bytes=1)
        with pytest.raises(BrokenAfterSending):
            await client.request("DELETE", server.url, timeout=SOON, max_bytes=1)
        assert len(requests) == 2


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (head(200, {"Content-Length": "9"}) + b"abc", "disconnected"),
        (head(200, {"Transfer-Encoding": "chunked"}) + b"5\r\nab", "disconnected"),
    ],
)
async def test_an_answer_that_breaks_off_may_have_happened(client, sent, reason):
    async def break_off(_request, writer):
        writer.write(sent)
        writer.close()

    async with serve(break_off) as server:
        with pytest.raises(BrokenAfterSending) as error:
            await client.request("POST", server.url, timeout=SOON, max_bytes=100)
        assert (error.value.parameters["reason"], error.value.parameters["started"]) == (reason, True)


@pytest.mark.parametrize("sent", [b"SSH-2.0-OpenSSH\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", head(200, {"A": "x" * 9000})])
async def test_an_answer_that_is_no_http_is_malformed(client, sent):
    async def nonsense(_request, writer):
        writer.write(sent)

    async with serve(nonsense) as server:
        with pytest.raises(BrokenAfterSending) as error:
            await client.request("POST", server.url, timeout=SOON, max_bytes=100)
        assert error.value.parameters["reason"] == "malformed"


async def test_a_body_that_does_not_inflate_breaks_off(client):
    async with serve(answer(b"no gzip at all", headers=GZIP)) as server:
        with pytest.raises(BrokenAfterSending):
            await client.request("GET", server.url, timeout=SOON, max_bytes=100)


async def test_one_deadline_holds_through_an_answer_that_drips(client):
    async def drip(_request, writer):
        writer.write(head(200))
        while True:
            writer.write(b".")
            await asyncio.sleep(0.02)

    async with serve(drip) as server:
        started = time.monotonic()
        with pytest.raises(BrokenAfterSending) as error:
            await client.request("GET", server.url, timeout=Timeouts(total=0.3), max_bytes=10_000)
        assert 0.25 < time.monotonic() - started < 2
        assert (error.value.parameters["reason"], error.value.parameters["started"]) == ("timed_out", True)


async def test_a_silence_within_an_answer_is_bounded_even_without_a_deadline(client):
    async def fall_silent(_request, writer):
        writer.write(head(200) + b"first")
        await writer.drain()
        await asyncio.Event().wait()

    async with serve(fall_silent) as server:
        with pytest.raises(BrokenAfterSending) as error:
            await client.request("GET", server.url, timeout=Timeouts(total=None, read=0.1), max_bytes=100)
        assert error.value.parameters["reason"] == "timed_out"


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\nb", "a\x00b", "a\x7fb", "a\x1bb"])
async def test_a_control_character_in_a_header_is_refused_before_anything_opens(client, value):
    async with serve(answer()) as server:
        for given in (value, Secret(value)):
            with pytest.raises(RequestRefused) as error:
                await client.request("GET", server.url, headers={"X-Key": given}, timeout=SOON, max_bytes=1)
            assert error.value.parameters == {"reason": "header_value", "header": "X-Key"}
        assert server.connections == 0


@pytest.mark.parametrize(
    "name", ["Host", "content-length", "Transfer-Encoding", "Connection", "a b", "a:", "", "名", "X\r\n"]
)
async def test_a_header_that_frames_the_message_or_is_no_token_is_refused(client, name):
    with pytest.raises(RequestRefused) as error:
        await client.request("GET", "http://127.0.0.1:9/", headers={name: "x"}, timeout=SOON, max_bytes=1)
    assert error.value.parameters["reason"] == "header_name"


async def test_an_unknown_method_is_refused(client):
    with pytest.raises(RequestRefused):
        await client.request("CONNECT", "http://127.0.0.1:9/", timeout=SOON, max_bytes=1)


async def test_what_arrives_is_what_was_asked_for(client):
    async with serve(answer(b"ok", 201, {"X-A": "1"})) as server:
        headers = {"Authorization": Secret("Bearer s3cret"), "Content-Type": "application/json", "X-名": "值"}
        del headers["X-名"]
        got = await client.request(
            "POST", server.url + "/a?b=c", headers=headers, body=b"{}", timeout=SOON, max_bytes=9
        )
        received = server.received[0]
        assert (received.method, received.target, received.body) == ("POST", "/a?b=c", b"{}")
        assert received.headers["authorization"] == "Bearer s3cret"
        assert "python" not in received.headers["user-agent"].lower()
        assert (got.status, got.headers["x-a"], got.body, got.url) == (201, "1", b"ok", server.url + "/a?b=c")


async def test_cookies_are_never_kept_and_proxies_never_heeded(client, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    async with serve(answer(headers={"Set-Cookie": "a=b; Path=/"})) as server:
        for _ in range(2):
            await client.request("GET", server.url, timeout=SOON, max_bytes=1)
        assert all("cookie" not in request.headers for request in server.received)
