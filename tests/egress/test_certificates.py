"""When a server's certificate ends is known from the connection that was dialled."""

from datetime import UTC, datetime, timedelta

from tests.egress.conftest import SOON
from tests.fakes.http_server import answer, serve


async def test_an_answer_tells_when_the_certificate_ends(make_client, certificates):
    client = make_client(tls=certificates.trusting)
    async with (
        serve(answer(b"hello"), tls=certificates.server) as server,
        client.stream("GET", server.url + "/", timeout=SOON, max_bytes=10) as streamed,
    ):
        ends = streamed.certificate_expires_at
        await streamed.read()
    assert ends is not None
    assert abs(ends - datetime.now(UTC) - timedelta(days=1)) < timedelta(minutes=5)


async def test_plain_http_has_no_certificate(client):
    async with (
        serve(answer(b"hello")) as server,
        client.stream("GET", server.url + "/", timeout=SOON, max_bytes=10) as streamed,
    ):
        assert streamed.certificate_expires_at is None
        await streamed.read()
