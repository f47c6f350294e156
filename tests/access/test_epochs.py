"""Every act that can change an answer raises the right epoch, in its own transaction, and leaves an event."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from connectors.access import agents, people, teams
from connectors.access.models import Epoch, User
from connectors.access.roles import AUDITOR
from connectors.audit.models import AdminEvent
from connectors.authorization import accounts, complete
from connectors.catalogue import configuration, installation, publication, visibility
from connectors.policy import grants
from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant
from tests.builders.packages import build_package
from tests.builders.people import make_administrator, make_team, make_user
from tests.fakes.mcp_server import McpServer

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Act:
    """`concerns` is everybody ("catalogue") or the one person whose agents see something else afterwards."""

    concerns: str
    name: str
    run: Callable[[SimpleNamespace], object]


ACTS = [
    Act("catalogue", "connector_installed", lambda it: it.install()),
    Act(
        "catalogue", "connector_published", lambda it: publication.publish_connector(connector=it.draft, actor=it.admin)
    ),
    Act("catalogue", "connector_disabled", lambda it: publication.disable_connector(connector=it.used, actor=it.admin)),
    Act("catalogue", "visibility_set", lambda it: it.see(everyone=False)),
    Act("catalogue", "configuration_saved", lambda it: it.configure("http://127.0.0.1:3/mcp")),
    Act("person", "account_connected", lambda it: complete.connect_account(person=it.person, connector=it.offered)),
    Act("person", "account_reconnected", lambda it: it.reconnect()),
    Act("person", "account_renamed", lambda it: it.rename("other")),
    Act("person", "account_disconnected", lambda it: accounts.disconnect(connection=it.connection, actor=it.person)),
    Act("person", "", lambda it: accounts.end_authorization(connection_id=it.connection.pk, credential_version=0)),
    Act("person", "grant_set", lambda it: it.grant("read_only")),
    Act("person", "grant_removed", lambda it: grants.remove_grant(grant=it.granted, actor=it.person)),
    Act("person", "agent_created", lambda it: agents.create_agent(owner=it.person, name="Another")),
    Act("person", "agent_retired", lambda it: agents.retire_agent(agent=it.agent)),
    Act("person", "token_added", lambda it: agents.add_token(agent=it.agent)),
    Act("person", "token_revoked", lambda it: agents.revoke_token(token=it.agent.tokens.get())),
    Act("person", "team_members_set", lambda it: it.fill()),
    Act("person", "team_members_set", lambda it: it.fill(it.member)),
    Act("person", "team_deleted", lambda it: teams.delete_team(team=it.filled, actor=it.admin)),
    Act("person", "team_created", lambda it: teams.create_team(name="New", members=[it.person], actor=it.admin)),
    Act("person", "role_set", lambda it: people.set_role(person=it.person, role=AUDITOR, actor=it.admin)),
    Act("person", "person_deactivated", lambda it: people.deactivate_person(person=it.person, actor=it.admin)),
    Act("person", "person_activated", lambda it: it.return_after_leave()),
]


@pytest.fixture
def it(tmp_path, settings):
    settings.OBJECT_STORE_DIR = tmp_path / "objects"
    with McpServer() as server:
        yield lay_out(tmp_path, server)


def lay_out(tmp_path, server):
    it = SimpleNamespace(admin=make_administrator(), person=make_user(), member=make_user())
    it.draft, it.used = make_connector(published=False), make_connector(endpoint=server.url)
    it.offered = make_connector(endpoint=server.url)
    it.connection = make_connection(it.person, it.used, alias="mine")
    it.agent, _token = make_agent(it.person)
    it.granted = make_grant(it.agent, it.connection)
    it.filled = make_team("Filled", it.person)
    it.left = make_user(is_active=False)

    def install():
        archive = build_package(tmp_path / "records.zip")
        digest = installation.inspect_package(archive).archive_sha256
        return installation.install_package(
            archive=archive, expected_sha256=digest, raw_configuration={"endpoint": server.url}, actor=it.admin
        )

    def return_after_leave():
        User.objects.filter(pk=it.person.pk).update(is_active=False)
        people.activate_person(person=it.person, actor=it.admin)

    it.install, it.return_after_leave = install, return_after_leave
    it.see = lambda **more: visibility.set_visibility(
        connector=it.used, teams=[], people=[it.person], actor=it.admin, **more
    )
    it.configure = lambda url: configuration.save_configuration(
        connector=it.used, raw={"endpoint": url}, expected_revision=1, actor=it.admin
    )
    it.reconnect = lambda: complete.reconnect_account(connection=it.connection)
    it.rename = lambda alias: accounts.rename_connection(connection=it.connection, alias=alias, actor=it.person)
    it.grant = lambda access: grants.set_grant(
        agent=it.agent, connection=it.connection, breadth="all", access=access, actor=it.person
    )
    it.fill = lambda *members: teams.set_members(team=it.filled, people=members, actor=it.admin)
    return it


def epochs(it):
    catalogue = Epoch.objects.filter(scope=Epoch.CATALOGUE).values_list("value", flat=True).first() or 0
    by_id = dict(User.objects.values_list("pk", "epoch"))
    return {"catalogue": catalogue, "person": by_id[it.person.pk], "somebody else": by_id[it.left.pk]}


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name or "authorization ended")
def test_an_act_raises_the_epoch_of_whom_it_concerns_and_leaves_one_event(it, act):
    before = epochs(it)
    act.run(it)
    after = epochs(it)
    assert after.pop(act.concerns) > before.pop(act.concerns)
    assert after == before
    assert list(AdminEvent.objects.values_list("act", flat=True)) == ([act.name] if act.name else [])


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name or "authorization ended")
def test_an_act_that_is_rolled_back_takes_its_epoch_and_its_event_with_it(it, act):
    before = epochs(it)
    with transaction.atomic():
        act.run(it)
        transaction.set_rollback(True)
    assert epochs(it) == before
    assert not AdminEvent.objects.exists()


@pytest.mark.parametrize("act", [act for act in ACTS if act.name], ids=lambda act: act.name)
def test_an_act_asks_for_nothing_more_once_it_holds_the_chain_of_events(it, act):
    """Else two acts could wait for each other: one for the chain, one for a row of the other's."""
    with CaptureQueriesContext(connection) as captured:
        act.run(it)
    statements = [query["sql"] for query in captured.captured_queries]
    event = next(at for at, text in enumerate(statements) if text.startswith('INSERT INTO "connectors_adminevent"'))
    later = [text for text in _until_its_transaction_ends(statements, event) if "connectors_chaintip" not in text]
    assert not [text for text in later if text.startswith(("INSERT", "UPDATE", "DELETE")) or "FOR UPDATE" in text]


def _until_its_transaction_ends(statements: list[str], event: int) -> Iterator[str]:
    """What follows the event in the same transaction, which is a savepoint in a test's own."""
    depth = 0
    for at, text in enumerate(statements):
        depth += text.startswith("SAVEPOINT") - text.startswith("RELEASE SAVEPOINT")
        if at > event:
            if depth == 0:
                return
            yield text
