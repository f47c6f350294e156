"""The code flow against a real authorization server by others: its own pages, PKCE, resource, iss, rotation, revocation."""

import base64
import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.urls import reverse

from connectors.authorization.client_registration import redirect_uri
from connectors.authorization.credentials import open_credential
from connectors.authorization.models import Connection, RegisteredClient
from connectors.authorization.oauth_grant import OAuthGrant, client_secret_of, open_grant
from connectors.authorization.token_endpoint import TokenRefused, request_tokens, revoke_token
from connectors.runtime.deadline import Deadline
from connectors.vault.secret import Secret
from tests.builders.oauth import make_oauth_connector, oauth_options
from tests.builders.people import make_user
from tests.peers.browsing import Step, sign_in
from tests.peers.oidc import SCOPES, TokenGuarded, run_provider

pytestmark = pytest.mark.django_db


def fill(url: str, text: str, *, allow: bool = True) -> Step:
    """Fill in the provider's login or consent page, or abort."""
    if not allow:
        found = re.search(r'href="([^"]+/abort)"', text)
        assert found, text
        return urljoin(url, found[1]), None
    action, prompt = re.search(r'action="([^"]+)"', text), re.search(r'name="prompt" value="(\w+)"', text)
    assert action, text
    assert prompt, text
    return urljoin(url, action[1]), {"prompt": prompt[1], "login": "ann", "password": "any"}


@pytest.fixture
def server() -> Iterator[TokenGuarded]:
    with TokenGuarded() as running:
        yield running


@pytest.fixture
def issuer(server: TokenGuarded) -> Iterator[str]:
    with run_provider(callback=redirect_uri(), resource=server.url) as found:
        yield found


@pytest.fixture
def guard(server: TokenGuarded, issuer: str) -> TokenGuarded:
    server.trust(issuer)
    return server


def learned(issuer: str, _guard: TokenGuarded) -> dict[str, Any]:
    return {"type": "mcp", "resource_configuration_field": "endpoint", "expected_issuer": issuer}


def written(issuer: str, guard: TokenGuarded) -> dict[str, Any]:
    endpoints = {"authorization_url": f"{issuer}/auth", "token_url": f"{issuer}/token"}
    return {"type": "static", "issuer": issuer, "resource": guard.url, **endpoints}


def connect(
    client: Client, guard: TokenGuarded, issuer: str, *, client_id: str, method: str, describe: Any = learned
) -> Connection:
    discovery = describe(issuer, guard)
    connector = make_oauth_connector(
        guard, oauth_options(discovery, method=method, scopes=SCOPES), client_id=client_id, key=f"records-{method}"
    )
    client.force_login(make_user())
    left = client.post(reverse("console:connect", args=[connector.key]))
    answer = sign_in(left.context["url"], fill)
    assert answer["iss"] == issuer
    client.get(urlsplit(redirect_uri()).path, answer, follow=True)
    return Connection.objects.get(connector=connector)


def refresh(grant: OAuthGrant, connection: Connection, token: Secret) -> Any:
    form = {"grant_type": "refresh_token", "refresh_token": token}
    secret = client_secret_of(grant, connection.connector)
    return async_to_sync(request_tokens)(grant, secret, form, deadline=Deadline.after(20))


@pytest.mark.parametrize(
    ("client_id", "method"), [("basic", "client_secret_basic"), ("post", "client_secret_post"), ("public", "none")]
)
def test_an_account_is_connected_through_the_providers_own_pages(
    client: Client, guard: TokenGuarded, issuer: str, client_id: str, method: str
) -> None:
    connection = connect(client, guard, issuer, client_id=client_id, method=method)
    assert connection.state == "active", (connection.granted_scopes, connection.missing_scopes)
    assert set(connection.granted_scopes) >= {"records.read"}
    access = open_credential(connection)["access_token"].reveal()
    assert guard.bearers[-1] == access
    payload = access.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert (claims["iss"], claims["aud"]) == (issuer, guard.url)


def test_endpoints_a_package_writes_itself_serve_as_well(client: Client, guard: TokenGuarded, issuer: str) -> None:
    connection = connect(client, guard, issuer, client_id="post", method="client_secret_post", describe=written)
    assert connection.state == "active"


def test_without_a_client_id_the_console_registers_itself(client: Client, guard: TokenGuarded, issuer: str) -> None:
    connection = connect(client, guard, issuer, client_id="", method="client_secret_basic")
    assert connection.state == "active"
    assert RegisteredClient.objects.get().issuer == issuer


def test_refresh_tokens_rotate_and_a_reused_one_ends_the_grant(
    client: Client, guard: TokenGuarded, issuer: str
) -> None:
    connection = connect(client, guard, issuer, client_id="basic", method="client_secret_basic")
    grant, first = open_grant(connection.credential), open_credential(connection)["refresh_token"]
    assert grant is not None
    second = refresh(grant, connection, first)
    assert second.refresh_token != first
    assert second.refresh_token is not None
    for token in (first, second.refresh_token):
        with pytest.raises(TokenRefused) as caught:
            refresh(grant, connection, token)
        assert caught.value.error == "invalid_grant"


def test_a_revoked_token_is_good_for_nothing(client: Client, guard: TokenGuarded, issuer: str) -> None:
    connection = connect(client, guard, issuer, client_id="post", method="client_secret_post")
    grant, token = open_grant(connection.credential), open_credential(connection)["refresh_token"]
    assert grant is not None
    secret = client_secret_of(grant, connection.connector)
    async_to_sync(revoke_token)(grant, secret, token, hint="refresh_token", deadline=Deadline.after(20))
    with pytest.raises(TokenRefused):
        refresh(grant, connection, token)


def test_refused_consent_ends_on_a_page(client: Client, guard: TokenGuarded, issuer: str) -> None:
    discovery = {"type": "mcp", "resource_configuration_field": "endpoint", "expected_issuer": issuer}
    options = oauth_options(discovery, method="none", scopes=SCOPES)
    connector = make_oauth_connector(guard, options, client_id="public")
    client.force_login(make_user())
    left = client.post(reverse("console:connect", args=[connector.key]))
    answer = sign_in(left.context["url"], partial(fill, allow=False))
    page = client.get(urlsplit(redirect_uri()).path, answer, follow=True).content.decode()
    assert "You did not allow it at the service" in page
    assert not Connection.objects.exists()
