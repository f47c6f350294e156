"""Discovery believes nothing it was not told by the package: safety §12, §13, §14, §15, §20 as tables."""

import socket
from contextlib import suppress

import pytest
from asgiref.sync import async_to_sync

from connectors.authorization.authorization_server import find_server
from connectors.authorization.discovery import (
    discover_server,
    resource_metadata_addresses,
    server_metadata_addresses,
)
from connectors.authorization.server_metadata import covers
from connectors.egress import policy
from connectors.errors import ConnectorError, Refused, UpstreamFault
from connectors.manifest.auth import OAuthOptions, StaticDiscovery
from connectors.runtime.deadline import Deadline
from tests.builders.oauth import describe_resource, guarded, oauth_options, static_discovery
from tests.fakes.authorization_server import AuthorizationServer, as_json, redirect_to

METADATA = "/.well-known/oauth-authorization-server/tenant"
RESOURCE = "/.well-known/oauth-protected-resource/mcp"
ROOT = "/.well-known/oauth-protected-resource"


@pytest.fixture
def issuer():
    with AuthorizationServer() as running:
        yield running


@pytest.fixture
def server(issuer):
    with guarded() as running:
        describe_resource(running, issuer)
        yield running


@pytest.fixture
def canary():
    """A port that must never see a connection."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        listening.setblocking(False)
        yield listening


def connections_to(canary):
    count = 0
    with suppress(BlockingIOError):
        while True:
            canary.accept()[0].close()
            count += 1
    return count


def discover(server, issuer, *, expected="", seconds=10.0):
    deadline = Deadline.after(seconds)
    return async_to_sync(discover_server)(server.url, expected_issuer=expected or issuer.issuer, deadline=deadline)


def code_of(server, issuer, **more):
    with pytest.raises(ConnectorError) as caught:
        discover(server, issuer, **more)
    return caught.value.code


def test_the_address_in_the_refusal_is_read_first(server, issuer):
    found = discover(server, issuer)
    assert (found.issuer, found.resource, found.names_itself) == (issuer.issuer, server.url, True)
    assert server.hits[RESOURCE] == 1
    assert not server.hits[ROOT]


@pytest.mark.parametrize(("path", "asked"), [(RESOURCE, {RESOURCE: 1}), (ROOT, {RESOURCE: 1, ROOT: 1})])
def test_without_it_the_well_known_addresses_are_tried_path_first(server, issuer, path, asked):
    server.knobs.challenge = "Bearer"
    server.knobs.documents = {path: server.knobs.documents[RESOURCE]}
    assert discover(server, issuer).resource == server.url
    assert {name: server.hits[name] for name in asked} == asked


def test_a_server_without_any_metadata_is_told_as_such(server, issuer):
    server.knobs.challenge, server.knobs.documents = "Bearer", {}
    assert code_of(server, issuer) == "resource_metadata_missing"


@pytest.mark.parametrize(
    ("issuer_of", "addresses"),
    [
        ("https://id.example.com", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]),
        (
            "https://id.example.com/a/b",
            [
                "/.well-known/oauth-authorization-server/a/b",
                "/.well-known/openid-configuration/a/b",
                "/a/b/.well-known/openid-configuration",
            ],
        ),
    ],
)
def test_server_metadata_is_looked_for_by_both_rules(issuer_of, addresses):
    assert list(server_metadata_addresses(issuer_of)) == [f"https://id.example.com{path}" for path in addresses]


def test_resource_metadata_of_a_root_address_has_one_place():
    assert list(resource_metadata_addresses("https://a.example/")) == [f"https://a.example{ROOT}"]


@pytest.mark.parametrize(
    "place", ["/.well-known/openid-configuration/tenant", "/tenant/.well-known/openid-configuration"]
)
def test_openid_addresses_serve_as_well(server, issuer, place):
    issuer.pages = {METADATA: (404, {}, b""), place: as_json(issuer.describe())}
    assert discover(server, issuer).token_endpoint == f"{issuer.issuer}/token"


@pytest.mark.parametrize("change", ["/", "/other", "", "?x"])
def test_another_issuer_is_refused_whatever_it_differs_in(server, issuer, change):
    issuer.metadata = {"issuer": issuer.origin + change if change in ("", "/other") else issuer.issuer + change}
    assert code_of(server, issuer) == "issuer_mismatch"


def test_a_resource_that_trusts_another_issuer_is_refused_before_that_one_is_asked(server, issuer):
    describe_resource(server, issuer, authorization_servers=[f"{issuer.origin}/evil"])
    assert code_of(server, issuer) == "issuer_unexpected"
    assert not issuer.hits


@pytest.mark.parametrize("offered", [None, [], ["plain"], ["s256"]])
def test_a_server_without_s256_is_refused(server, issuer, offered):
    issuer.metadata = {"code_challenge_methods_supported": offered}
    assert code_of(server, issuer) == "pkce_not_offered"


@pytest.mark.parametrize(
    ("resource", "asked", "same"),
    [
        ("http://a.example/mcp", "http://a.example/mcp", True),
        ("http://a.example/mcp/", "http://a.example/mcp", True),
        ("http://A.example:80/mcp", "http://a.example/mcp", True),
        ("http://a.example", "http://a.example/mcp", True),
        ("http://a.example/mc", "http://a.example/mcp", False),
        ("http://a.example/mcp/other", "http://a.example/mcp", False),
        ("https://a.example/mcp", "http://a.example/mcp", False),
        ("http://a.example:8080/mcp", "http://a.example/mcp", False),
        ("http://b.example/mcp", "http://a.example/mcp", False),
        ("http://a.example/mcp#x", "http://a.example/mcp", False),
        ("http://a.example/mcp?tenant=2", "http://a.example/mcp?tenant=1", False),
    ],
)
def test_a_resource_is_the_address_or_stands_above_it_on_its_origin(resource, asked, same):
    assert covers(resource, asked) == same


def test_another_resource_is_refused(server, issuer):
    describe_resource(server, issuer, resource=f"{server.origin}/other")
    assert code_of(server, issuer) == "resource_mismatch"


NEVER = [
    "javascript:alert(1)",
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://[fe80::1]/",
    "http://user:pass@127.0.0.1/",
    "http://0x7f000001/",
]


@pytest.mark.parametrize("url", NEVER)
def test_no_connection_is_made_to_an_address_a_refusal_names(server, issuer, url):
    server.knobs.challenge = f'Bearer resource_metadata="{url}"'
    assert code_of(server, issuer) == "address_refused"
    assert not server.hits[RESOURCE]


@pytest.mark.parametrize("url", NEVER)
@pytest.mark.parametrize("name", ["authorization_endpoint", "token_endpoint", "revocation_endpoint"])
def test_an_endpoint_at_such_an_address_is_refused_before_anybody_is_sent_there(server, issuer, url, name):
    issuer.metadata = {name: url}
    assert code_of(server, issuer) == "address_refused"


@pytest.mark.parametrize("url", NEVER)
def test_a_redirect_to_such_an_address_is_not_followed(server, issuer, url):
    issuer.pages = {METADATA: redirect_to(url)}
    assert code_of(server, issuer) == "address_refused"


def test_a_private_address_is_refused_where_it_is_not_listed(server, issuer, canary, monkeypatch):
    listed = policy.EgressPolicy(("127.0.0.1",))
    monkeypatch.setattr(policy, "_current", listed)
    server.knobs.challenge = f'Bearer resource_metadata="http://127.0.0.2:{canary.getsockname()[1]}/x"'
    assert code_of(server, issuer) == "address_refused"
    assert connections_to(canary) == 0


def loop(_server):
    return {METADATA: redirect_to(METADATA)}


def page(_server):
    return {METADATA: (200, {"Content-Type": "text/html"}, b"<!doctype html><title>Sign in</title>")}


def truncated(_server):
    def begin_and_close(handler):
        handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"issuer"')
        handler.close_connection = True

    return {METADATA: begin_and_close}


def too_large(_server):
    return {METADATA: (200, {}, b'{"a": "' + b"x" * 300_000 + b'"}')}


def doubled(server):
    return {METADATA: (200, {}, b'{"issuer": "x", "issuer": "' + server.issuer.encode() + b'"}')}


def list_of_things(_server):
    return {METADATA: as_json(["issuer"])}


def broken(_server):
    return {METADATA: (500, {}, b"")}


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (loop, "redirect_refused"),
        (page, "metadata_unreadable"),
        (truncated, "unavailable"),
        (too_large, "response_too_large"),
        (doubled, "metadata_unreadable"),
        (list_of_things, "metadata_unreadable"),
        (broken, "server_metadata_missing"),
    ],
)
def test_a_faulty_answer_is_told_apart(server, issuer, fault, code):
    issuer.pages = fault(issuer)
    assert code_of(server, issuer) == code


def test_a_slow_server_takes_no_longer_than_the_deadline(server, issuer):
    def dawdle(handler):
        with suppress(OSError):
            handler.connection.recv(1)  # until the other side gives up
        handler.close_connection = True

    issuer.pages = {METADATA: dawdle}
    assert code_of(server, issuer, seconds=0.5) == "unavailable"


@pytest.mark.parametrize(
    "url",
    [
        "https://identity.example.com:8443/token",
        "http://identity.example.com/token",
        "https://evil@identity.example.com/token",
        "https://identity.example.com./token",
        "https://identity.example.com.evil.example/token",
        "https://identitу.example.com/token",
    ],
)
def test_static_endpoints_share_the_issuers_origin_also_when_used(issuer, url):
    discovery = static_discovery(issuer, issuer="https://identity.example.com", token_url=url)
    discovery["authorization_url"] = "https://IDENTITY.example.com:443/authorize"
    options = OAuthOptions.model_construct(discovery=_construct(discovery))
    with pytest.raises(UpstreamFault, match="endpoint_elsewhere"):
        async_to_sync(find_server)(options, {}, deadline=Deadline.after(5))


def _construct(discovery):
    return StaticDiscovery.model_construct(**{"revocation_url": None, "resource": None, **discovery})


def test_a_resource_that_is_not_configured_is_told_as_such(issuer):
    discovery = {"type": "mcp", "resource_configuration_field": "endpoint", "expected_issuer": issuer.issuer}
    options = OAuthOptions.model_validate(oauth_options(discovery, method="none", scopes=()))
    with pytest.raises(Refused, match="configuration_incomplete"):
        async_to_sync(find_server)(options, {}, deadline=Deadline.after(5))
