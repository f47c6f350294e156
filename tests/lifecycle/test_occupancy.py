"""What is in use is not changed: who uses it and since when is said, and what has ended does not count."""

from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.authorization.complete import connect_account, reconnect_account
from connectors.authorization.models import RefreshLease
from connectors.authorization.processing import processing
from connectors.catalogue.models import PackageVersion
from connectors.catalogue.publication import publish_connector
from connectors.errors import Conflict
from connectors.gateway.models import Run
from connectors.gateway.runs import IDLE, OpenRun, join_run, open_run
from connectors.lifecycle.drain import RemovalChange, cancel_drain, start_drain
from connectors.lifecycle.occupancy import Occupant, Occupied, find_occupants
from connectors.lifecycle.removal import remove_connector
from connectors.lifecycle.rollback import roll_back
from tests.builders.attempts import make_attempt
from tests.builders.connectors import make_agent, make_connection
from tests.builders.people import make_user
from tests.builders.versions import named_keys, stored_keys, update

pytestmark = pytest.mark.django_db


def enter(connector, agent, conversation="") -> OpenRun:
    versions = {connector.key: connector.version.manifest_revision}
    return open_run(agent.pk, agent.owner_id, conversation, versions)


@pytest.fixture
def connector(workshop):
    return update(workshop.install(), workshop.pack("1.1.0"))


@pytest.fixture
def agent():
    return make_agent(make_user("mara", display_name="Mara"), "Desk")[0]


def occupy_by_run(connector, agent):
    run = Run.objects.get(pk=enter(connector, agent).id)
    return Occupant("run", "Mara", run.started_at, "Desk", run.pk, last_call=run.idle_ends_at - IDLE)


def occupy_by_authorization(connector, agent):
    attempt = make_attempt(connector, agent.owner, "exchanging", used_at=timezone.now())
    return Occupant("authorization", "Mara", attempt.used_at)


def occupy_by_refresh(connector, agent):
    connection = make_connection(agent.owner, connector, alias="work")
    now = timezone.now()
    RefreshLease.objects.create(
        connection=connection, owner=connection.pk, held_since=now, expires_at=now + timedelta(minutes=2)
    )
    return Occupant("refresh", "Mara", now, "work")


@pytest.mark.parametrize("occupy", [occupy_by_run, occupy_by_authorization, occupy_by_refresh])
def test_nothing_is_changed_under_what_uses_it_and_the_refusal_says_who(connector, agent, workshop, occupy):
    expected = occupy(connector, agent)
    first = PackageVersion.objects.get(version="1.0.0")
    acts = (
        lambda: update(connector, workshop.pack("1.2.0")),
        lambda: roll_back(connector=connector, version=first, actor=None),
        lambda: remove_connector(connector=connector, typed_key=connector.key, actor=None),
    )
    for act in acts:
        with pytest.raises(Occupied) as caught:
            act()
        assert caught.value.occupants == (expected,)
    connector.refresh_from_db()
    assert (connector.version.version, connector.status, connector.transition) == ("1.1.0", "published", "")
    assert stored_keys() == named_keys()


def test_what_has_ended_does_not_count(connector, agent):
    enter(connector, agent)
    Run.objects.update(idle_ends_at=timezone.now() - timedelta(seconds=1))
    make_attempt(connector, agent.owner, "pending")
    make_attempt(connector, agent.owner, "done")
    occupy_by_refresh(connector, agent)
    RefreshLease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert find_occupants(connector) == ()


def test_the_longest_user_comes_first(connector, agent):
    enter(connector, agent, "old")
    Run.objects.update(started_at=timezone.now() - timedelta(hours=1))
    enter(connector, agent, "new")
    assert [one.kind for one in find_occupants(connector)] == ["run", "run"]
    assert find_occupants(connector)[0].since < find_occupants(connector)[1].since


def test_an_update_ends_runs_whose_time_is_up_so_that_none_wakes_up_behind_it(connector, agent, workshop):
    run = enter(connector, agent)
    Run.objects.update(idle_ends_at=timezone.now() - timedelta(seconds=1))
    updated = update(connector, workshop.pack("1.2.0"))
    assert Run.objects.get(pk=run.id).ended_at is not None
    again = enter(updated, agent)
    assert again.id != run.id
    assert again.connector_versions == {"records": updated.version.manifest_revision}


def test_a_run_never_names_a_version_that_has_been_replaced(connector, agent, workshop):
    update(connector, workshop.pack("1.2.0"))
    run = enter(connector, agent)  # what it saw was compiled before the update
    assert run.connector_versions == {}
    assert join_run(run, connector.pk, connector.key, connector.version.manifest_revision) == "changed"


def test_a_connector_that_was_granted_since_a_run_began_joins_it_and_is_held(connector, agent, workshop):
    run = open_run(agent.pk, agent.owner_id, "", {})
    assert join_run(run, connector.pk, connector.key, connector.version.manifest_revision) == "free"
    assert run.connector_versions == {"records": connector.version.manifest_revision}
    with pytest.raises(Occupied):
        update(connector, workshop.pack("1.2.0"))


def test_a_conversation_that_begins_during_a_drain_goes_on_without_the_connector_until_it_is_over(connector, agent):
    before = enter(connector, agent, "before")
    start_drain(connector=connector, change=RemovalChange(connector.key), actor=None)
    revision = connector.version.manifest_revision
    begun = enter(connector, agent, "begun since")
    assert begun.connector_versions == {}
    assert join_run(begun, connector.pk, connector.key, revision) == "draining"
    assert enter(connector, agent, "before").id == before.id
    assert enter(connector, agent, "before").connector_versions == {"records": revision}
    cancel_drain(connector=connector, actor=None)
    assert join_run(begun, connector.pk, connector.key, revision) == "free"


def test_a_removed_connector_joins_no_run(connector, agent):
    run = open_run(agent.pk, agent.owner_id, "", {})
    remove_connector(connector=connector, typed_key=connector.key, actor=None)
    assert join_run(run, connector.pk, connector.key, connector.version.manifest_revision) == "changed"


def test_whoever_changes_a_removed_connector_is_told(connector):
    remove_connector(connector=connector, typed_key=connector.key, actor=None)
    with pytest.raises(Conflict, match="connector_removing"):
        publish_connector(connector=connector, actor=None)


def test_a_run_lasts_fifteen_idle_minutes(connector, agent):
    run = enter(connector, agent)
    assert run.idle_ends_at - timezone.now() < IDLE


def test_an_account_that_is_being_verified_occupies_its_connector(connector, agent):
    with processing(connector, agent.owner, "connect", alias="work"):
        found = find_occupants(connector)
    assert [(one.kind, one.who, one.detail) for one in found] == [("authorization", "Mara", "work")]
    assert find_occupants(connector) == ()


def test_nobody_connects_or_reconnects_while_it_drains(connector, agent):
    connection = make_connection(agent.owner, connector)
    start_drain(connector=connector, change=RemovalChange(connector.key), actor=None)
    with pytest.raises(Conflict, match="connector_draining"):
        connect_account(person=make_user(), connector=connector)
    with pytest.raises(Conflict, match="connector_draining"):
        reconnect_account(connection=connection)
