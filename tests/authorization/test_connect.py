"""Connecting an account: verified at every server first, saved whole or not at all."""

import asyncio
import socket
import threading

import pytest
from django.db import connections

from connectors.audit.models import AdminEvent
from connectors.authorization.accounts import effective_state
from connectors.authorization.complete import connect_account, reconnect_account
from connectors.authorization.credentials import open_credential
from connectors.authorization.models import Connection, Credential
from connectors.catalogue.configuration import save_configuration
from connectors.catalogue.models import Connector
from connectors.catalogue.publication import disable_connector
from connectors.errors import Conflict, Invalid, NotFound, Refused, Unreachable, UpstreamFault
from connectors.vault.secret import Secret
from tests.builders.connectors import BEARER, make_connection, make_connector
from tests.builders.packages import PROGRAM, PROGRAM_AUTH, PROGRAM_RUNTIME
from tests.builders.people import make_user
from tests.fakes.mcp_server import McpServer

pytestmark = pytest.mark.django_db
KEY = {"token": "canary-key"}


@pytest.fixture
def person():
    return make_user()


@pytest.fixture
def server():
    with McpServer() as running:
        yield running


@pytest.fixture
def keyed():
    with McpServer(key=("Authorization", "Bearer canary-key")) as running:
        yield running


def closed_address():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{nobody.getsockname()[1]}/mcp"


def connect(person, connector, **more):
    return connect_account(person=person, connector=connector, **more)


def test_without_authorization_a_handshake_and_a_list_are_enough(person, server):
    connector = make_connector(endpoint=server.url)
    connection = connect(person, connector)
    assert (connection.state, connection.alias) == ("active", "")
    assert connection.authorization_fingerprint == connector.authorization_fingerprint
    assert connection.verified_at is not None
    assert server.hits["tools/list"] == 1
    assert not Credential.objects.exists()
    assert open_credential(connection) == {}


def test_a_key_is_sent_to_the_server_and_kept_sealed(person, keyed):
    connection = connect(person, make_connector(endpoint=keyed.url, static=True), raw_credentials=KEY)
    assert open_credential(connection) == {"token": Secret("canary-key")}
    credential = Credential.objects.get()
    assert b"canary" not in bytes(credential.sealed)
    assert (credential.version, len(credential.fingerprint)) == (1, 6)
    assert "canary" not in str(AdminEvent.objects.values())


def test_a_refused_key_names_the_stage_and_saves_nothing(person, keyed):
    connector = make_connector(endpoint=keyed.url, static=True)
    with pytest.raises(UpstreamFault) as caught:
        connect(person, connector, raw_credentials={"token": "wrong-canary"})
    assert caught.value.parameters["stage"] == "authorization"
    assert "canary" not in repr(caught.value)
    assert not Connection.objects.exists()
    assert not AdminEvent.objects.exists()


def test_a_server_that_is_not_there_names_the_stage_and_saves_nothing(person):
    with pytest.raises(Unreachable) as caught:
        connect(person, make_connector(endpoint=closed_address()))
    assert caught.value.parameters["stage"] == "tcp"
    assert not Connection.objects.exists()


def test_a_server_that_answers_a_page_is_told_apart(person):
    with McpServer(html=True) as server, pytest.raises(UpstreamFault) as caught:
        connect(person, make_connector(endpoint=server.url))
    assert caught.value.parameters["stage"] in {"http", "handshake"}
    assert not Connection.objects.exists()


@pytest.mark.parametrize("typed", [{}, {"token": ""}, {"token": "two\nlines"}])
def test_a_key_that_cannot_be_sent_is_refused_before_anything_is_sent(person, keyed, typed):
    with pytest.raises(Invalid) as caught:
        connect(person, make_connector(endpoint=keyed.url, static=True), raw_credentials=typed)
    assert [fault.where for fault in caught.value.faults] == ["token"]
    assert not keyed.hits


def several_servers(*pairs):
    servers = [{"key": key, "endpoint": {"url": url}} for key, url in pairs]
    options = {"type": "remote_mcp", "servers": servers, "credential_binding": BEARER}
    return {"adapter": "remote_mcp", "transport": "streamable_http", "options": options}


def test_of_several_servers_every_one_must_answer(person, keyed):
    with McpServer(key=("Authorization", "Bearer canary-key")) as second:
        runtime = several_servers(("documents", keyed.url), ("sheets", second.url))
        connect(person, make_connector(static=True, runtime=runtime), raw_credentials=KEY)
    assert (keyed.hits["tools/list"], second.hits["tools/list"]) == (1, 1)
    runtime = several_servers(("documents", keyed.url), ("sheets", closed_address()))
    with pytest.raises(Unreachable) as caught:
        connect(person, make_connector(static=True, runtime=runtime), raw_credentials=KEY)
    assert caught.value.parameters["server"] == "sheets"
    assert Connection.objects.count() == 1


def test_the_other_strategies_say_clearly_that_they_are_not_available(person):
    redirect = {**PROGRAM_AUTH, "interaction": "redirect"}
    connector = make_connector(auth=redirect, runtime=PROGRAM_RUNTIME, program=PROGRAM)
    with pytest.raises(Refused, match="strategy_not_available"):
        connect(person, connector)


def test_what_a_person_may_not_see_cannot_be_connected(person, server):
    for connector in (
        make_connector(endpoint=server.url, everyone=False),
        make_connector(endpoint=server.url, published=False),
    ):
        with pytest.raises(NotFound):
            connect(person, connector)
    assert not server.hits


def test_one_account_a_person_when_the_package_says_so(person, server):
    connector = make_connector(endpoint=server.url)
    connect(person, connector)
    for alias in ("", "second"):
        with pytest.raises(Conflict, match="already_connected"):
            connect(person, connector, alias=alias)
    connect(make_user(), connector)


def test_a_second_account_needs_an_alias_that_is_free_regardless_of_case(person, server):
    connector = make_connector(endpoint=server.url, policy="multiple_per_user")
    connect(person, connector)
    with pytest.raises(Invalid) as caught:
        connect(person, connector)
    assert [(fault.code, fault.where) for fault in caught.value.faults] == [("alias_needed", "alias")]
    connect(person, connector, alias="Été 工作")
    with pytest.raises(Conflict, match="alias_taken"):
        connect(person, connector, alias="ÉTÉ 工作")


@pytest.mark.parametrize("alias", ["x" * 65, "a\x00b", "\u202eevil"])
def test_an_alias_is_printable_and_not_too_long(person, server, alias):
    with pytest.raises(Invalid) as caught:
        connect(person, make_connector(endpoint=server.url, policy="multiple_per_user"), alias=alias)
    assert [fault.code for fault in caught.value.faults] == ["alias_invalid"]


def test_five_usable_accounts_are_the_most_and_a_dead_one_does_not_count(person, server):
    connector = make_connector(endpoint=server.url, policy="multiple_per_user")
    for number in range(4):
        make_connection(person, connector, alias=f"account {number}")
    make_connection(person, connector, alias="dead", state=Connection.State.REAUTHORIZATION_REQUIRED)
    connect(person, connector, alias="fifth")
    with pytest.raises(Conflict, match="too_many_accounts"):
        connect(person, connector, alias="sixth")


def test_a_dead_account_under_the_same_alias_is_replaced_in_its_place(person, keyed):
    connector = make_connector(endpoint=keyed.url, static=True, policy="multiple_per_user")
    dead = make_connection(person, connector, alias="Work", values={"token": "old"}, authorization_fingerprint="f" * 64)
    assert effective_state(dead) == "reauthorization_required"
    again = connect(person, connector, alias="work", raw_credentials=KEY)
    assert again.pk == dead.pk
    assert (again.alias, again.grant_revision, again.credential.version) == ("Work", 2, 2)
    assert effective_state(again) == "active"
    assert open_credential(again) == {"token": Secret("canary-key")}


def test_a_living_account_is_reconnected_only_where_that_is_asked_for(person, keyed):
    connector = make_connector(endpoint=keyed.url, static=True)
    connection = make_connection(person, connector, values={"token": "old"})
    with pytest.raises(UpstreamFault):
        reconnect_account(connection=connection, raw_credentials={"token": "wrong"})
    assert open_credential(connection) == {"token": Secret("old")}
    reconnect_account(connection=connection, raw_credentials=KEY)
    assert open_credential(connection) == {"token": Secret("canary-key")}
    assert AdminEvent.objects.get().act == "account_reconnected"


def test_a_credential_stays_closed_once_the_address_leads_elsewhere(person, keyed):
    connector = make_connector(endpoint=keyed.url, static=True)
    connection = connect(person, connector, raw_credentials=KEY)
    with McpServer() as elsewhere:
        save_configuration(connector=connector, raw={"endpoint": elsewhere.url}, expected_revision=1, actor=None)
        moved = Connection.objects.get(pk=connection.pk)
        assert effective_state(moved) == "reauthorization_required"
        with pytest.raises(Refused, match="reauthorization_required"):
            open_credential(moved)


class ServerWithAnAct(McpServer):
    """Does something of ours while it is asked for its tools."""

    def __init__(self, act):
        super().__init__()
        self.act = act

    async def _answer(self, message, headers, *, modern):
        if message.get("method") == "tools/list":
            await asyncio.to_thread(self._perform)
        return await super()._answer(message, headers, modern=modern)

    def _perform(self):
        try:
            self.act()
        finally:
            connections.close_all()


@pytest.mark.django_db(transaction=True)
def test_a_connector_withdrawn_while_the_server_is_asked_saves_nothing(person):
    connector = make_connector()
    with ServerWithAnAct(lambda: disable_connector(connector=connector, actor=None)) as server:
        Connector.objects.update(configuration={"endpoint": server.url})
        with pytest.raises(NotFound):
            connect(person, connector)
    assert not Connection.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_connector_configured_while_the_server_is_asked_saves_nothing(person):
    connector = make_connector()
    other = {"endpoint": "http://127.0.0.1:2/mcp"}

    def configure():
        save_configuration(connector=connector, raw=other, expected_revision=1, actor=None)

    with ServerWithAnAct(configure) as server:
        Connector.objects.update(configuration={"endpoint": server.url})
        with pytest.raises(Conflict, match="connector_changed"):
            connect(person, connector)
    assert not Connection.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_first_accounts_at_once_one_is_saved(person, server):
    connector = make_connector(endpoint=server.url)
    outcomes, start = [], threading.Barrier(4)

    def run():
        start.wait()
        try:
            outcomes.append(connect(person, connector).pk)
        except Conflict as error:
            outcomes.append(error.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    connection = Connection.objects.get()
    assert sorted(map(str, outcomes)) == sorted([str(connection.pk), *["already_connected"] * 3])
