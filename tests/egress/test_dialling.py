"""The checked address is the connected one, over every way a name can lie (safety §11)."""

import asyncio
import socket

import pytest

from connectors.egress.client import Timeouts
from connectors.egress.dialling import look_up
from connectors.egress.errors import AddressRefused
from connectors.errors import Unreachable
from tests.egress.conftest import SOON, make_certificates
from tests.fakes.http_server import answer, hang, serve, serve_raw

OK = {"timeout": SOON, "max_bytes": 1000}


async def test_a_name_that_flips_after_the_check_is_not_looked_up_again(make_client):
    """DNS rebinding: the first answer passes, the second would not; only the first is ever asked for."""
    async with serve(answer(b"right")) as server:
        answers = [["127.0.0.1"], ["10.0.0.1"]]

        async def flip(_host, _port):
            return answers.pop(0)

        client = make_client(("127.0.0.1",), resolve=flip)
        got = await client.request("GET", server.named("flip.test"), **OK)
        assert (got.body, got.remote_address) == (b"right", "127.0.0.1")
        assert answers == [["10.0.0.1"]]


async def test_a_name_that_turns_private_is_refused_when_it_is_looked_up_again(make_client):
    async with serve(answer(b"right", headers={"Connection": "close"})) as server:
        answers = [["127.0.0.1"], ["127.0.0.2"]]

        async def flip(_host, _port):
            return answers.pop(0)

        client = make_client(("127.0.0.1",), resolve=flip)
        await client.request("GET", server.named("flip.test"), **OK)
        client._session.connector.clear_dns_cache()
        with pytest.raises(AddressRefused) as refused:
            await client.request("GET", server.named("flip.test"), **OK)
        assert refused.value.parameters["address"] == "127.0.0.2"
        assert len(server.received) == 1


@pytest.mark.parametrize(
    "bad", ["10.0.0.1", "169.254.169.254", "::1", "64:ff9b::a00:1", "::ffff:10.0.0.1", "fe80::1%1"]
)
async def test_one_refused_address_among_good_ones_refuses_the_name(make_client, bad):
    async with serve(answer()) as server:
        client = make_client(("127.0.0.1",), names={"mixed.test": ["127.0.0.1", bad]})
        with pytest.raises(AddressRefused):
            await client.request("GET", server.named("mixed.test"), **OK)
        assert server.connections == 0


@pytest.mark.parametrize("name", ["named.test", "Named.Test", "named.test."])
async def test_a_listed_name_may_be_on_loopback_and_a_different_name_may_not(make_client, name):
    async with serve(answer(b"in")) as server:
        names = {"named.test": ["127.0.0.1"], "named.test.": ["127.0.0.1"], "other.test": ["127.0.0.1"]}
        client = make_client(("named.test",), names=names)
        assert (await client.request("GET", server.named(name), **OK)).body == b"in"
        with pytest.raises(AddressRefused):
            await client.request("GET", server.named("other.test"), **OK)


async def test_a_listed_name_never_leads_to_metadata(make_client):
    client = make_client(("named.test",), names={"named.test": ["169.254.169.254"]})
    with pytest.raises(AddressRefused):
        await client.request("GET", "http://named.test/", **OK)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254"])
async def test_an_address_literal_is_checked_too(make_client, host):
    with pytest.raises(AddressRefused):
        await make_client(()).request("GET", f"http://{host}:9/", **OK)


async def test_the_last_check_stands_where_the_socket_is_made(make_client):
    """Even a pool whose cache of names was told another address does not get past it."""
    async with serve(answer(headers={"Connection": "close"})) as server:
        client = make_client(("127.0.0.1",), names={"cached.test": ["127.0.0.1"]})
        await client.request("GET", server.named("cached.test"), **OK)
        cache, key = client._session.connector._cached_hosts, ("cached.test", server.port)
        cache.add(key, [{**cache.next_addrs(key)[0], "host": address} for address in ("127.0.0.2", "127.0.0.3")])
        with pytest.raises(AddressRefused) as refused:
            await client.request("GET", server.named("cached.test"), **OK)
        assert refused.value.parameters["address"] in {"127.0.0.2", "127.0.0.3"}
        assert server.connections == 1


async def test_a_name_without_an_address_is_unreachable_at_dns(make_client):
    async def nothing(_host, _port):
        return []

    async def fails(_host, _port):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    for resolve in (nothing, fails):
        with pytest.raises(Unreachable) as error:
            await make_client(resolve=resolve).request("GET", "http://gone.test/", **OK)
        assert error.value.parameters == {"stage": "dns", "reason": "name_not_found", "host": "gone.test"}


async def test_a_name_server_that_hangs_is_unreachable_at_dns(make_client):
    async def never(_host, _port):
        await asyncio.Event().wait()

    with pytest.raises(Unreachable) as error:
        await make_client(resolve=never).request(
            "GET", "http://slow.test/", timeout=Timeouts(total=5, connect=0.05), max_bytes=1
        )
    assert (error.value.parameters["stage"], error.value.parameters["reason"]) == ("dns", "timed_out")


async def test_a_closed_port_is_unreachable_at_tcp(client):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Unreachable) as error:
        await client.request("GET", f"http://127.0.0.1:{port}/", **OK)
    assert error.value.parameters == {"stage": "tcp", "reason": "refused", "host": "127.0.0.1"}


async def test_a_second_address_is_tried_when_the_first_does_not_answer(make_client):
    async with serve(answer(b"second")) as server:
        client = make_client(names={"two.test": ["127.0.0.9", "127.0.0.1"]})
        got = await client.request("GET", server.named("two.test"), **OK)
        assert (got.body, got.remote_address) == (b"second", "127.0.0.1")


async def test_the_wait_for_a_free_connection_is_told_from_the_network(make_client):
    async with serve(hang) as server:
        client = make_client()
        client._session.connector._limit_per_host = 1
        first = asyncio.create_task(client.request("GET", server.url, timeout=SOON, max_bytes=1))
        await server.first_request.wait()
        with pytest.raises(Unreachable) as error:
            await client.request("GET", server.url, timeout=Timeouts(total=5, connect=0.05), max_bytes=1)
        assert (error.value.parameters["stage"], error.value.parameters["reason"]) == ("http", "no_free_connection")
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)


async def test_a_trusted_certificate_connects_and_every_phase_is_timed(make_client, certificates):
    async with serve(answer(b"safe"), tls=certificates.server) as server:
        client = make_client(names={"tls.test": ["127.0.0.1"]}, tls=certificates.trusting)
        got = await client.request("GET", server.named("tls.test"), **OK)
        assert got.body == b"safe"
        assert all(
            part is not None and 0 <= part < 5 for part in (got.timings.dns, got.timings.connect, got.timings.tls)
        )
        again = (await client.request("GET", server.named("tls.test"), **OK)).timings
        assert (again.dns, again.connect, again.tls) == (None, None, None)
        assert again.first_byte is not None
        assert server.connections == 1


async def test_a_literal_over_plain_http_has_no_dns_and_no_tls_to_time(client):
    async with serve(answer()) as server:
        timings = (await client.request("GET", server.url, **OK)).timings
        assert (timings.dns, timings.tls) == (None, None)
        assert timings.connect is not None


@pytest.mark.parametrize(
    ("name", "days", "reason"),
    [
        ("tls.test", 1, "certificate_untrusted"),
        ("other.test", 1, "certificate_name"),
        ("tls.test", -1, "certificate_expired"),
    ],
)
async def test_a_bad_certificate_is_unreachable_at_tls(make_client, tmp_path, name, days, reason):
    made = make_certificates(tmp_path, days=days)
    async with serve(answer(), tls=made.server) as server:
        client = make_client(
            names={name: ["127.0.0.1"]}, tls=None if reason == "certificate_untrusted" else made.trusting
        )
        with pytest.raises(Unreachable) as error:
            await client.request("GET", server.named(name), **OK)
        assert (error.value.parameters["stage"], error.value.parameters["reason"]) == ("tls", reason)
        assert server.received == []


async def test_a_server_that_speaks_no_tls_is_unreachable_at_tls(client):
    async def speak_plainly(reader, writer):
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with serve_raw(speak_plainly) as server:
        with pytest.raises(Unreachable) as error:
            await client.request("GET", server.url.replace("http:", "https:"), **OK)
        assert (error.value.parameters["stage"], error.value.parameters["reason"]) == ("tls", "handshake")


async def test_a_server_that_hangs_up_in_the_handshake_is_unreachable_at_tls(client):
    async def hang_up(reader, writer):
        await reader.read(1)

    async with serve_raw(hang_up) as server:
        with pytest.raises(Unreachable) as error:
            await client.request("GET", server.url.replace("http:", "https:"), **OK)
        assert error.value.parameters["stage"] == "tls"


async def test_a_server_that_stalls_in_the_handshake_is_unreachable_at_tls(client):
    async with serve(hang) as server:
        url = server.url.replace("http:", "https:")
        with pytest.raises(Unreachable) as error:
            await client.request("GET", url, timeout=Timeouts(total=5, connect=0.1), max_bytes=1)
        assert (error.value.parameters["stage"], error.value.parameters["reason"]) == ("tls", "timed_out")


async def test_the_system_resolves_localhost():
    assert set(await look_up("localhost", 80)) <= {"127.0.0.1", "::1"}
