"""Redirects, each hop checked (safety §12, §25), and a client that lives as long as its loop."""

import asyncio

import pytest
from asgiref.sync import async_to_sync

from connectors.egress.client import close_client, get_client
from connectors.egress.errors import AddressRefused
from connectors.egress.policy import EgressPolicy, configure, current_policy
from connectors.errors import UpstreamFault
from tests.egress.conftest import SOON
from tests.fakes.http_server import answer, by_path, serve

KEYS = {"Authorization": "Bearer s3cret", "X-Api-Key": "k", "Accept": "text/plain"}


def to(location, status=302):
    return answer(b"", status, {"Location": location} if location else {})


async def ask(client, url, method="GET", redirects=3, **options):
    return await client.request(method, url, headers=KEYS, timeout=SOON, max_bytes=99, redirects=redirects, **options)


async def test_a_redirect_is_an_answer_unless_following_was_asked_for(client):
    async with serve(to("/next")) as server:
        got = await ask(client, server.url, redirects=0)
        assert (got.status, got.headers["location"]) == (302, "/next")
        assert len(server.received) == 1


async def test_a_redirect_on_the_same_origin_keeps_the_headers(client):
    async with serve(by_path({"/": to("/next"), "/next": answer(b"here")})) as server:
        got = await ask(client, server.url + "/")
        assert (got.body, got.url) == (b"here", server.url + "/next")
        assert server.received[1].headers["authorization"] == "Bearer s3cret"


async def test_another_origin_never_sees_a_credential(make_client):
    async with serve(answer(b"other")) as other, serve(to(other.named("other.test") + "/x")) as server:
        client = make_client(names={"other.test": ["127.0.0.1"]})
        assert (await ask(client, server.url)).body == b"other"
        headers = other.received[0].headers
        assert headers["accept"] == "text/plain"
        assert "authorization" not in headers
        assert "x-api-key" not in headers


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[fd00:ec2::254]/",
        "http://10.0.0.1/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http://user:pass@127.0.0.1/",
        "//2130706433/",
    ],
)
async def test_a_redirect_to_a_refused_address_is_refused(client, location):
    async with serve(to(location)) as server:
        with pytest.raises(AddressRefused):
            await ask(client, server.url)


async def test_a_redirect_to_a_name_on_a_refused_address_is_refused(make_client):
    async with serve(to("http://inner.test/")) as server:
        with pytest.raises(AddressRefused):
            await ask(make_client(("127.0.0.1",), names={"inner.test": ["10.0.0.1"]}), server.url)


async def test_https_is_never_left_for_http(make_client, certificates):
    async with serve(answer()) as plain, serve(to(plain.url), tls=certificates.server) as server:
        with pytest.raises(UpstreamFault) as error:
            await ask(make_client(tls=certificates.trusting), server.url)
        assert (error.value.code, error.value.parameters["reason"]) == ("redirect_refused", "downgrade")
        assert plain.connections == 0


@pytest.mark.parametrize("status", [307, 308])
async def test_a_post_is_repeated_on_its_own_origin_only_when_the_status_says_so(client, status):
    async with serve(by_path({"/mcp": to("/mcp/", status), "/mcp/": answer(b"done")})) as server:
        assert (await ask(client, server.url + "/mcp", "POST", body=b"{}")).body == b"done"
        assert server.received[1].body == b"{}"


@pytest.mark.parametrize(("status", "reason"), [(301, "method_would_change"), (303, "method_would_change")])
async def test_a_post_never_becomes_a_get(client, status, reason):
    async with serve(to("/next", status)) as server:
        with pytest.raises(UpstreamFault) as error:
            await ask(client, server.url, "POST", body=b"{}")
        assert error.value.parameters["reason"] == reason


async def test_a_post_is_not_repeated_on_another_origin(client):
    async with serve(answer()) as other, serve(to(other.url, 307)) as server:
        with pytest.raises(UpstreamFault) as error:
            await ask(client, server.url, "POST", body=b"secret")
        assert error.value.parameters["reason"] == "other_origin"
        assert other.connections == 0


@pytest.mark.parametrize(("location", "reason"), [("", "no_location"), ("http://[::1", "malformed_location")])
async def test_a_redirect_to_nowhere_is_refused(client, location, reason):
    async with serve(to(location)) as server:
        with pytest.raises(UpstreamFault) as error:
            await ask(client, server.url)
        assert error.value.parameters["reason"] == reason


@pytest.mark.parametrize(("hops", "allowed"), [(2, 2), (2, 3)])
async def test_as_many_hops_as_allowed_are_followed(client, hops, allowed):
    paths = {f"/{number}": to(f"/{number + 1}") for number in range(hops)} | {f"/{hops}": answer(b"end")}
    async with serve(by_path(paths)) as server:
        assert (await ask(client, server.url + "/0", redirects=allowed)).body == b"end"


async def test_one_hop_too_many_is_refused(client):
    async with serve(to("/")) as server:
        with pytest.raises(UpstreamFault) as error:
            await ask(client, server.url + "/", redirects=2)
        assert error.value.parameters["reason"] == "too_many"
        assert len(server.received) == 3


@pytest.fixture
def loopback_policy():
    before = current_policy()
    configure(EgressPolicy(("127.0.0.1",)))
    yield
    configure(before)


async def test_a_loop_has_one_client_until_it_is_closed(loopback_policy):
    first = get_client()
    assert get_client() is first
    async with serve(answer(b"hi")) as server:
        assert (await first.request("GET", server.url, timeout=SOON, max_bytes=9)).body == b"hi"
    await close_client()
    await close_client()
    assert first._session.closed
    assert get_client() is not first


@pytest.mark.parametrize(
    "run", [lambda main: asyncio.run(main()), lambda main: async_to_sync(main)()], ids=["run", "sync"]
)
def test_a_client_ends_with_its_loop(run, loopback_policy):
    async def main():
        async with serve(answer(b"hi")) as server:
            await get_client().request("GET", server.url, timeout=SOON, max_bytes=9)
        return get_client()

    first, second = run(main), run(main)
    assert first is not second
    assert first._session.closed
    assert second._session.closed
