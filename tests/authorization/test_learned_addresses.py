"""Every address a service tells us goes through the one gate (safety §11, §12): a bad one is never connected to.

Metadata of a resource and of a server, authorize, token, registration, revocation, launch and avatar addresses; schemes
that are no web, metadata and private addresses, a redirect to one, and names that lead there at the first, the second
or every look-up.
"""

import socket
from contextlib import suppress

import pytest
from django.db import transaction
from django.urls import reverse

from connectors.authorization import avatars
from connectors.authorization.accounts import disconnect
from connectors.authorization.avatars import fetch_avatar
from connectors.authorization.models import AuthorizationSession, Connection, RevocationJob
from connectors.authorization.tasks import revoke_due
from connectors.egress import policy
from tests.builders.oauth import describe_resource, guarded, make_oauth_connector, mcp_discovery, oauth_options
from tests.builders.oauth_accounts import grant_of, make_oauth_connection
from tests.builders.oauth_accounts import make_oauth_connector as make_static_connector
from tests.builders.people import make_user
from tests.fakes.authorization_server import AuthorizationServer, redirect_to

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "127.0.0.2"])  # the tests' own wall must not stand before the gate
CALLBACK = "/api/v1/connectors/oauth/callback"
PRIVATE = "127.0.0.2"  # loopback, and not listed
NEVER = {
    "javascript": "javascript:alert(1)",
    "file": "file:///etc/passwd",
    "metadata": "http://169.254.169.254/latest/meta-data",
    "private": "http://127.0.0.2:{port}/x",
    "first": "http://first.test:{port}/x",
    "flips": "http://flips.test:{port}/x",
    "always": "http://always.test:{port}/x",
}
LOOKED_UP = {
    "first.test": [PRIVATE, "127.0.0.1"],
    "flips.test": ["127.0.0.1", PRIVATE],
    "always.test": [PRIVATE, PRIVATE],
}
_system = socket.getaddrinfo


class Canary:
    """A port at the private address; whoever connects to it has been fooled."""

    def __init__(self, listening: socket.socket) -> None:
        self.listening, self.port = listening, listening.getsockname()[1]

    def url(self, kind: str) -> str:
        return NEVER[kind].format(port=self.port)

    @property
    def connections(self) -> int:
        count = 0
        with suppress(BlockingIOError):
            while True:
                self.listening.accept()[0].close()
                count += 1
        return count


@pytest.fixture
def canary(monkeypatch):
    """Only 127.0.0.1 is listed; the system's resolver answers these names in turn, and loopback has nobody there."""
    turns = dict.fromkeys(LOOKED_UP, 0)

    def resolve(host, port, *args, **kwargs):
        if host not in LOOKED_UP:
            return _system(host, port, *args, **kwargs)
        address = LOOKED_UP[host][turns[host] % 2]
        turns[host] += 1
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(policy, "_current", policy.EgressPolicy(("127.0.0.1/32",)))
    with socket.socket() as listening:
        listening.bind((PRIVATE, 0))
        listening.listen()
        listening.setblocking(False)
        yield Canary(listening)


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
def ann(client, db):
    person = make_user("ann")
    client.force_login(person)
    return person


def go_through(client, server, issuer, *, client_id="console"):
    """The whole dance, as far as it goes."""
    connector = make_oauth_connector(server, oauth_options(mcp_discovery(issuer)), client_id=client_id)
    page = client.post(reverse("console:connect", args=[connector.key]), {})
    if page.status_code == 200:
        client.get(CALLBACK, issuer.consent(page.context["url"]), follow=True)


@pytest.mark.parametrize("kind", NEVER)
def test_the_address_of_the_resources_metadata(client, ann, server, issuer, canary, kind):
    server.knobs.challenge = f'Bearer resource_metadata="{canary.url(kind)}"'

    go_through(client, server, issuer)

    assert canary.connections == 0
    assert not Connection.objects.exists()


@pytest.mark.parametrize("kind", NEVER)
def test_a_redirect_of_the_servers_metadata(client, ann, server, issuer, canary, kind):
    issuer.pages[f"/.well-known/oauth-authorization-server{issuer.path}"] = redirect_to(canary.url(kind))

    go_through(client, server, issuer)

    assert canary.connections == 0
    assert not AuthorizationSession.objects.exists()


@pytest.mark.parametrize("kind", NEVER)
def test_the_token_endpoint(client, ann, server, issuer, canary, kind):
    issuer.metadata = {"token_endpoint": canary.url(kind)}

    go_through(client, server, issuer)

    assert canary.connections == 0
    assert not Connection.objects.exists()


@pytest.mark.parametrize("kind", NEVER)
def test_the_registration_endpoint(client, ann, server, issuer, canary, kind):
    issuer.metadata = {"registration_endpoint": canary.url(kind)}

    go_through(client, server, issuer, client_id="")

    assert canary.connections == 0
    assert not AuthorizationSession.objects.exists()


@pytest.mark.parametrize("kind", ["javascript", "file", "metadata", "private"])
def test_nobody_is_sent_to_an_authorize_address_that_is_refused(client, ann, server, issuer, canary, kind):
    """We never connect to it ourselves; where a name leads a browser is the browser's to see."""
    issuer.metadata = {"authorization_endpoint": canary.url(kind)}

    go_through(client, server, issuer)

    assert canary.connections == 0
    assert not AuthorizationSession.objects.exists()


@pytest.mark.parametrize("kind", NEVER)
@pytest.mark.django_db(transaction=True)
def test_the_revocation_endpoint(issuer, canary, kind):
    connector = make_static_connector(issuer.issuer)
    grant = grant_of(connector, revocation_endpoint=canary.url(kind))
    connection = make_oauth_connection(connector, grant=grant)
    with transaction.atomic():
        disconnect(connection=connection, actor=connection.person)

    assert revoke_due() == 0

    assert canary.connections == 0
    assert RevocationJob.objects.get().failure in {"address_refused", "unavailable"}


@pytest.mark.parametrize("kind", NEVER)
def test_an_avatar(canary, kind):
    assert fetch_avatar(canary.url(kind)) is None
    assert canary.connections == 0


@pytest.mark.parametrize("kind", NEVER)
def test_a_redirect_of_an_avatar(issuer, canary, kind):
    issuer.pages["/face"] = redirect_to(canary.url(kind))

    assert fetch_avatar(f"{issuer.origin}/face") is None
    assert (issuer.hits["/face"], canary.connections) == (1, 0)


def test_the_canary_sings_when_it_is_reached(canary, monkeypatch):
    monkeypatch.setattr(policy, "_current", policy.EgressPolicy(("127.0.0.0/8",)))
    monkeypatch.setattr(avatars, "FETCH_SECONDS", 0.3)
    fetch_avatar(canary.url("always"))
    assert canary.connections == 1
