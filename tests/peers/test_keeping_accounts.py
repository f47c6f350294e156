"""Our own refresh, disconnect and revocation against authorization servers by others, one after the other."""

import asyncio
import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client

from connectors.audit.database_lanes import close_lane_connections
from connectors.authorization.accounts import disconnect
from connectors.authorization.credentials import open_credential
from connectors.authorization.models import Connection, Credential, RefreshLease, RevocationJob
from connectors.authorization.oauth_grant import client_secret_of, open_grant
from connectors.authorization.refresh import renew_credential
from connectors.authorization.refresh_sweep import refresh_due
from connectors.authorization.revocation import revoke_due
from connectors.authorization.token_endpoint import TokenRefused, request_tokens
from connectors.errors import Refused
from connectors.runtime.deadline import Deadline
from tests.peers import test_django_oauth_toolkit as toolkit
from tests.peers import test_oidc_provider as provider
from tests.peers.oidc import TokenGuarded, run_provider

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _lanes_closed() -> Iterator[None]:
    yield
    close_lane_connections()


@pytest.fixture(params=["oidc-provider", "django-oauth-toolkit"])
def connection(request: Any, client: Client, tmp_path: Path) -> Iterator[Connection]:
    """An account connected through the peer's own pages."""
    with TokenGuarded() as guard:
        if request.param == "oidc-provider":
            with run_provider(callback=provider.redirect_uri(), resource=guard.url) as issuer:
                guard.trust(issuer)
                yield provider.connect(client, guard, issuer, client_id="basic", method="client_secret_basic")
        else:
            with toolkit.run_toolkit(tmp_path) as issuer:
                guard.trust(issuer)
                yield toolkit.connect(client, guard, issuer, client_id="console", method="client_secret_basic")


def fresh(connection: Connection) -> Connection:
    return Connection.objects.select_related("connector__version", "credential").get(pk=connection.pk)


def tokens_of(connection: Connection) -> dict[str, str]:
    return {name: value.reveal() for name, value in open_credential(fresh(connection)).items()}


def is_dead(connection: Connection, refresh_token: str) -> bool:
    grant = open_grant(connection.credential)
    assert grant is not None
    form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
    secret = client_secret_of(grant, connection.connector)
    try:
        async_to_sync(request_tokens)(grant, secret, form, deadline=Deadline.after(20))
    except TokenRefused as refused:
        return refused.error == "invalid_grant"
    return False


def renew(connection: Connection, version: int) -> bool:
    return async_to_sync(renew_credential)(connection.pk, seen_version=version, deadline=Deadline.after(30))


def test_the_worker_rotates_what_is_due_and_the_new_tokens_work(connection: Connection) -> None:
    before = tokens_of(connection)
    RefreshLease.objects.update(due_at="2001-01-01T00:00:00Z")

    assert refresh_due() == 1

    after = tokens_of(connection)
    assert after["access_token"] != before["access_token"]
    assert after["refresh_token"] != before["refresh_token"]
    assert fresh(connection).state == "active"
    assert renew(connection, 2)  # and once more, with the token that came


def test_a_refreshed_token_is_still_for_the_same_resource(connection: Connection) -> None:
    assert renew(connection, 1)

    access = tokens_of(connection)["access_token"]
    grant = open_grant(fresh(connection).credential)
    assert grant is not None
    if access.count(".") == 2:  # one of the peers issues JWTs
        payload = access.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        assert (claims["iss"], claims["aud"]) == (grant.issuer, grant.resource)
    assert fresh(connection).missing_scopes == []


def test_callers_at_once_make_one_request_that_the_server_does_not_take_for_reuse(connection: Connection) -> None:
    async def all_at_once() -> list[bool]:
        deadline = Deadline.after(30)
        return await asyncio.gather(
            *(renew_credential(connection.pk, seen_version=1, deadline=deadline) for _ in range(20))
        )

    assert async_to_sync(all_at_once)() == [True] * 20
    assert Credential.objects.get(connection=connection).version == 2
    assert renew(connection, 2)


def test_a_refresh_token_that_was_stolen_and_used_ends_the_grant_and_its_owner_is_told(connection: Connection) -> None:
    assert not is_dead(connection, tokens_of(connection)["refresh_token"])  # somebody else was first

    with pytest.raises(Refused, match="reauthorization_required"):
        renew(connection, 1)

    assert fresh(connection).state == "reauthorization_required"


def test_disconnecting_revokes_both_tokens_at_the_server(connection: Connection) -> None:
    connection, held = fresh(connection), tokens_of(connection)
    disconnect(connection=connection, actor=connection.person)
    assert not Credential.objects.exists()

    assert revoke_due() == 1

    assert not RevocationJob.objects.exists()
    assert is_dead(connection, held["refresh_token"])
