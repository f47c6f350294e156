"""A drain waits until nothing uses the connector, then makes the change by itself, or says why it could not."""

import os
from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.audit.models import AdminEvent
from connectors.authorization.begin import begin_connecting
from connectors.authorization.refresh_lease import Lease, take_lease
from connectors.authorization.refresh_sweep import list_due
from connectors.catalogue.configuration import save_configuration
from connectors.catalogue.models import Connector, PackageVersion
from connectors.errors import Conflict, Invalid
from connectors.gateway.models import Run
from connectors.gateway.runs import open_run
from connectors.lifecycle.drain import COPIES, RemovalChange, RollbackChange, cancel_drain, start_drain
from connectors.lifecycle.drain_finishing import CLAIM, MOST_ATTEMPTS
from connectors.lifecycle.models import Drain, RemovalJob
from connectors.lifecycle.queries import failure_of, find_drain
from connectors.lifecycle.removal import remove_connector
from connectors.lifecycle.tasks import finish_drains, sweep_copies
from connectors.packages.storage import get_object_store
from tests.builders.connectors import make_agent
from tests.builders.oauth_accounts import make_oauth_connection, make_oauth_connector
from tests.builders.packages import ENDPOINT_FIELD
from tests.builders.people import make_administrator, make_user
from tests.builders.versions import named_keys, stored_keys, update, update_change
from tests.fakes.token_server import TokenServer

pytestmark = pytest.mark.django_db
TOKEN = {"key": "token", "type": "secret", "label_key": "configuration.token.label", "required": True}


@pytest.fixture
def connector(workshop):
    return update(workshop.install(), workshop.pack("1.1.0"))


@pytest.fixture
def run(connector):
    agent = make_agent()[0]
    return open_run(agent.pk, agent.owner_id, "", {connector.key: connector.version.manifest_revision})


@pytest.fixture
def server():
    with TokenServer() as running:
        yield running


def end(run):
    Run.objects.filter(pk=run.id).update(idle_ends_at=timezone.now() - timedelta(seconds=1))


def now_due():
    Drain.objects.update(due_at=timezone.now())


def test_an_update_is_made_when_the_last_run_has_ended(connector, run, workshop):
    admin = make_administrator()
    archive = workshop.pack("1.2.0", configuration={"fields": [ENDPOINT_FIELD, TOKEN]})
    change = update_change(archive, raw_configuration={"token": "canary-typed"})
    drain = start_drain(connector=connector, change=change, actor=admin)
    archive.unlink()  # the upload is gone after an hour
    connector.refresh_from_db()
    assert (connector.transition, drain.state, drain.target_version) == ("draining", "waiting", "1.2.0")
    assert b"canary" not in bytes(Drain.objects.get().sealed)

    assert finish_drains() == 0
    assert find_drain(connector).state == "waiting"

    end(run)
    assert finish_drains() == 1
    connector.refresh_from_db()
    assert (connector.version.version, connector.transition) == ("1.2.0", "")
    assert connector.secrets.get().set_by == admin
    ended = find_drain(connector)
    assert (ended.state, ended.sealed, ended.failure) == ("done", None, "")
    assert stored_keys() == named_keys()
    event = AdminEvent.objects.get(act="connector_updated", after__version="1.2.0")
    assert event.actor_name == admin.name
    assert "canary" not in str(AdminEvent.objects.values())


def test_a_roll_back_waits_as_well(connector, run):
    first = PackageVersion.objects.get(version="1.0.0")
    start_drain(connector=connector, change=RollbackChange(first), actor=None)
    end(run)
    assert finish_drains() == 1
    assert Connector.objects.get().version == first


def test_so_does_a_removal(connector, run):
    start_drain(connector=connector, change=RemovalChange("records"), actor=make_administrator())
    assert finish_drains() == 0
    end(run)
    assert finish_drains() == 1
    assert Connector.objects.get().transition == "removing"
    assert RemovalJob.objects.get().removed_by_name != ""


def test_nothing_else_is_changed_while_it_waits(connector, run, workshop):
    start_drain(connector=connector, change=update_change(workshop.pack("1.2.0")), actor=None)
    acts = (
        lambda: update(connector, workshop.pack("1.3.0")),
        lambda: remove_connector(connector=connector, typed_key="records", actor=None),
        lambda: start_drain(connector=connector, change=RemovalChange("records"), actor=None),
        lambda: save_configuration(
            connector=connector, raw={"endpoint": "https://other.example"}, expected_revision=1, actor=None
        ),
    )
    for act in acts:
        with pytest.raises(Conflict, match="connector_draining"):
            act()


def test_nobody_begins_to_sign_in_while_it_waits(server):
    connector = make_oauth_connector(server.url)
    start_drain(connector=connector, change=RemovalChange(connector.key), actor=None)
    with pytest.raises(Conflict, match="connector_draining"):
        begin_connecting(person=make_user(), connector=connector, browser="b")


def test_cancelling_leaves_everything_as_it_was(connector, run, workshop):
    start_drain(connector=connector, change=update_change(workshop.pack("1.2.0")), actor=None)
    drain = cancel_drain(connector=connector, actor=make_administrator())
    assert (drain.state, drain.sealed) == ("cancelled", None)
    end(run)
    assert finish_drains() == 0
    connector.refresh_from_db()
    assert (connector.version.version, connector.transition) == ("1.1.0", "")
    with pytest.raises(Conflict, match="drain_not_waiting"):
        cancel_drain(connector=connector, actor=None)


def test_what_can_be_refused_is_refused_at_the_beginning(connector, workshop):
    required = {"fields": [ENDPOINT_FIELD, TOKEN]}
    refusals = (
        (update_change(workshop.pack("1.1.0")), Conflict, "same_version"),
        (update_change(workshop.pack("1.2.0", configuration=required)), Invalid, "invalid"),
        (RollbackChange(connector.version), Conflict, "same_version"),
        (RemovalChange("other"), Invalid, "invalid"),
    )
    for change, kind, code in refusals:
        with pytest.raises(kind, match=code):
            start_drain(connector=connector, change=change, actor=None)
    connector.refresh_from_db()
    assert connector.transition == ""
    assert not Drain.objects.exists()
    assert stored_keys() == named_keys()


def test_a_change_that_fails_at_the_end_says_why_and_opens_the_connector(connector, run, workshop):
    start_drain(connector=connector, change=update_change(workshop.pack("1.2.0")), actor=None)
    get_object_store().delete(Drain.objects.get().object_key)
    end(run)
    assert finish_drains() == 0
    drain = find_drain(connector)
    assert (drain.state, failure_of(drain).code) == ("failed", "object_missing")
    connector.refresh_from_db()
    assert (connector.version.version, connector.transition) == ("1.1.0", "")
    assert AdminEvent.objects.get(act="drain_failed").after["failure"] == "object_missing"
    assert start_drain(connector=connector, change=update_change(workshop.pack("1.2.0")), actor=None).state == "waiting"


def test_faults_found_at_the_end_are_kept_one_by_one(connector, run, workshop):
    start_drain(connector=connector, change=update_change(workshop.pack("1.2.0")), actor=None)
    Connector.objects.update(configuration={})  # as nobody should
    end(run)
    finish_drains()
    error = failure_of(find_drain(connector))
    assert isinstance(error, Invalid)
    assert [(fault.code, fault.where) for fault in error.faults] == [("value_required", "endpoint")]


def test_what_may_pass_is_tried_again_but_not_for_ever(connector, run, workshop, object_folder):
    start_drain(connector=connector, change=update_change(workshop.pack("1.2.0")), actor=None)
    end(run)
    object_folder.rename(object_folder.with_name("away"))
    object_folder.write_text("a file where the folder should be")
    for attempt in range(1, MOST_ATTEMPTS):
        now_due()
        assert finish_drains() == 0
        drain = find_drain(connector)
        assert (drain.state, drain.attempts, drain.failure) == ("waiting", attempt, "store_unavailable")
    object_folder.unlink()
    object_folder.with_name("away").rename(object_folder)
    now_due()
    assert finish_drains() == 1
    assert find_drain(connector).failure == ""
    assert Connector.objects.get().version.version == "1.2.0"


def test_a_store_that_stays_away_ends_it(connector, run, workshop, object_folder):
    start_drain(connector=connector, change=update_change(workshop.pack("1.2.0")), actor=None)
    end(run)
    object_folder.rename(object_folder.with_name("away"))
    object_folder.write_text("a file where the folder should be")
    Drain.objects.update(attempts=MOST_ATTEMPTS - 1)
    finish_drains()
    assert find_drain(connector).state == "failed"
    assert Connector.objects.get().transition == ""


def test_a_worker_that_died_over_it_delays_it_by_minutes(connector, run, workshop):
    start_drain(connector=connector, change=update_change(workshop.pack("1.2.0")), actor=None)
    end(run)
    Drain.objects.update(due_at=timezone.now() + CLAIM)  # claimed, and never given back
    assert finish_drains() == 0
    now_due()
    assert finish_drains() == 1


def test_copies_whose_drains_have_ended_are_swept(connector, workshop, settings, object_folder):
    start_drain(connector=connector, change=update_change(workshop.pack("1.2.0")), actor=None)
    store, archive = get_object_store(), workshop.pack("1.3.0")
    store.put_if_absent(f"{COPIES}left.zip", archive)
    for key in (f"{COPIES}left.zip", Drain.objects.get().object_key):
        os.utime(object_folder / key, (0, 0))
    assert sweep_copies() == 1
    assert store_has(Drain.objects.get().object_key)


def store_has(key):
    return key in stored_keys()


def test_how_a_drain_ended_is_forgotten_with_the_next_change(connector, workshop):
    start_drain(connector=connector, change=RemovalChange("records"), actor=None)
    cancel_drain(connector=connector, actor=None)
    update(connector, workshop.pack("1.2.0"))
    assert find_drain(connector) is None


def test_what_a_run_needs_is_refreshed_and_nothing_else(server):
    connector = make_oauth_connector(server.url)
    connection = make_oauth_connection(connector)
    assert [each for each, _version in list_due(timezone.now())] == [connection.pk]
    start_drain(connector=connector, change=RemovalChange(connector.key), actor=None)
    assert list_due(timezone.now()) == []
    assert isinstance(take_lease(connection.pk, 1), Lease)
