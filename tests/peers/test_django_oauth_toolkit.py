"""The code flow against a second authorization server by others: RFC 8414 metadata, its consent page, rotation."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.urls import reverse

from connectors.authorization.client_registration import redirect_uri
from connectors.authorization.credentials import open_credential
from connectors.authorization.models import Connection
from connectors.authorization.oauth_grant import client_secret_of, open_grant
from connectors.authorization.token_endpoint import TokenRefused, request_tokens, revoke_token
from connectors.runtime.deadline import Deadline
from tests.builders.oauth import SECRET, make_oauth_connector, oauth_options
from tests.builders.people import make_user
from tests.flows.product import ROOT
from tests.peers.browsing import Step, sign_in
from tests.peers.oidc import TokenGuarded

pytestmark = pytest.mark.django_db
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?')


@pytest.fixture
def issuer(tmp_path: Path) -> Iterator[str]:
    with run_toolkit(tmp_path) as found:
        yield found


@contextmanager
def run_toolkit(folder: Path) -> Iterator[str]:
    command = [sys.executable, ROOT / "tests/peers/toolkit_server.py", folder / "db.sqlite3", redirect_uri(), SECRET]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build" / "peers" / "python")}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    with process:
        try:
            yield next(line for line in process.stdout if line.startswith("ready ")).split()[1]
        finally:
            process.terminate()


@pytest.fixture
def guard(issuer: str) -> Iterator[TokenGuarded]:
    with TokenGuarded() as server:
        server.trust(issuer)
        yield server


def allow(url: str, text: str) -> Step:
    return url, {name: unescape(value) for name, value in HIDDEN.findall(text)} | {"allow": "Authorize"}


def connect(client: Client, guard: TokenGuarded, issuer: str, *, client_id: str, method: str) -> Connection:
    discovery = {"type": "mcp", "resource_configuration_field": "endpoint", "expected_issuer": issuer}
    options = oauth_options(discovery, method=method)
    connector = make_oauth_connector(guard, options, client_id=client_id)
    client.force_login(make_user())
    left = client.post(reverse("console:connect", args=[connector.key]))
    assert left.status_code == 200, left.content.decode()
    answer = sign_in(left.context["url"], allow)
    client.get(urlsplit(redirect_uri()).path, answer, follow=True)
    return Connection.objects.get()


@pytest.mark.parametrize(
    ("client_id", "method"),
    [("console", "client_secret_basic"), ("console", "client_secret_post"), ("public", "none")],
)
def test_an_account_is_connected(client: Client, guard: TokenGuarded, issuer: str, client_id: str, method: str) -> None:
    connection = connect(client, guard, issuer, client_id=client_id, method=method)
    assert (connection.state, connection.granted_scopes) == ("active", ["records.read"])
    assert guard.bearers[-1] == open_credential(connection)["access_token"].reveal()


def test_refresh_tokens_rotate_and_are_revoked(client: Client, guard: TokenGuarded, issuer: str) -> None:
    connection = connect(client, guard, issuer, client_id="console", method="client_secret_basic")
    grant, first = open_grant(connection.credential), open_credential(connection)["refresh_token"]
    assert grant is not None
    secret = client_secret_of(grant, connection.connector)
    ask, revoke = async_to_sync(request_tokens), async_to_sync(revoke_token)
    deadline = Deadline.after(30)
    form = {"grant_type": "refresh_token", "refresh_token": first}
    second = ask(grant, secret, form, deadline=deadline)
    assert second.refresh_token is not None
    assert second.refresh_token != first
    revoke(grant, secret, second.refresh_token, hint="refresh_token", deadline=deadline)
    for token in (first, second.refresh_token):
        with pytest.raises(TokenRefused) as caught:
            ask(grant, secret, {**form, "refresh_token": token}, deadline=deadline)
        assert caught.value.error == "invalid_grant"
