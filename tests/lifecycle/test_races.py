"""Two acts at the same moment: either the one or the other, never half of both. Run on SQLite and on PostgreSQL."""

import os
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from connectors.audit.models import AdminEvent
from connectors.authorization import sessions
from connectors.authorization.models import RefreshLease
from connectors.authorization.refresh_lease import Lease, take_lease
from connectors.catalogue.configuration import save_configuration
from connectors.catalogue.models import Connector, PackageVersion
from connectors.gateway.models import Run
from connectors.gateway.runs import join_run, open_run
from connectors.lifecycle.drain import RemovalChange, cancel_drain, start_drain
from connectors.lifecycle.drain_finishing import finish_drains
from connectors.lifecycle.models import Drain, RemovalJob
from connectors.lifecycle.removal import remove_connector
from connectors.lifecycle.removal_steps import advance_removals
from connectors.lifecycle.rollback import roll_back
from connectors.lifecycle.run_ending import end_runs
from tests.builders.agreement import check_agreement
from tests.builders.attempts import make_attempt
from tests.builders.connectors import make_agent
from tests.builders.oauth_accounts import make_oauth_connection, make_oauth_manifest
from tests.builders.people import make_user
from tests.builders.together import codes, run_together
from tests.builders.versions import update, update_change
from tests.fakes.token_server import TokenServer

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = int(os.environ.get("POCO_RACES", "3"))


def enter(connector, agent, conversation=""):
    return open_run(agent.pk, agent.owner_id, conversation, {connector.key: connector.version.manifest_revision})


def test_of_eight_updates_to_one_version_one_is_made(workshop):
    connector, archive = workshop.install(), workshop.pack("1.1.0")
    results = run_together(*[partial(update, connector, archive)] * 8)
    assert codes(results).count("") == 1
    assert set(codes(results)) <= {"", "installed_version_changed", "same_version"}
    assert PackageVersion.objects.count() == 2
    assert AdminEvent.objects.filter(act="connector_updated").count() == 1
    check_agreement()


def test_updates_to_different_versions_never_go_back(workshop):
    connector = workshop.install()
    archives = [workshop.pack(f"1.{minor}.0") for minor in range(1, 5)]
    results = run_together(*[partial(update, connector, archive) for archive in archives])
    made = [result.version.version for result in results if isinstance(result, Connector)]
    assert made
    connector.refresh_from_db()
    assert connector.version.version == max(made)
    assert PackageVersion.objects.count() == 1 + len(made)
    check_agreement()


def test_a_run_either_stops_an_update_or_meets_the_new_version(workshop):
    connector = workshop.install()
    agents = [make_agent()[0] for _ in range(4)]
    for number in range(1, ROUNDS + 1):
        connector.refresh_from_db()
        archive, conversation = workshop.pack(f"1.{number}.0"), str(number)
        runs = [partial(enter, connector, agent, conversation) for agent in agents]
        results = run_together(*runs, partial(update, connector, archive))
        named = [run for run in results[:-1] if run.connector_versions]
        assert codes(results)[-1] == ("connector_occupied" if named else "")
        check_agreement()
        Run.objects.update(ended_at=timezone.now())


def test_a_run_that_wakes_up_as_its_time_ends_never_holds_an_old_version(workshop):
    connector, agent = workshop.install(), make_agent()[0]
    for number in range(1, ROUNDS + 1):
        connector.refresh_from_db()
        enter(connector, agent)
        Run.objects.filter(ended_at=None).update(idle_ends_at=timezone.now() + timedelta(milliseconds=number))
        archive = workshop.pack(f"1.{number}.0")
        run_together(partial(enter, connector, agent), partial(update, connector, archive))
        check_agreement()
        Run.objects.update(ended_at=timezone.now())


def test_a_connector_that_joins_a_run_is_held_or_new(workshop):
    connector, agent = workshop.install(), make_agent()[0]
    revision = connector.version.manifest_revision
    run, archive = open_run(agent.pk, agent.owner_id, "", {}), workshop.pack("1.1.0")
    results = run_together(
        lambda: join_run(run, connector.pk, connector.key, revision), lambda: update(connector, archive)
    )
    assert (results[0], codes(results)[1]) in {("free", "connector_occupied"), ("changed", "")}
    check_agreement()


def test_a_callback_is_either_processed_or_cancelled_by_the_update(workshop):
    connector = workshop.install()
    for number in range(1, ROUNDS + 1):
        connector.refresh_from_db()
        attempt, archive = make_attempt(connector, make_user()), workshop.pack(f"1.{number}.0")
        results = run_together(partial(sessions.claim, attempt), partial(update, connector, archive))
        attempt.refresh_from_db()
        if codes(results)[1]:
            assert (results[0], attempt.status, codes(results)[1]) == (True, "exchanging", "connector_occupied")
        else:
            assert (results[0], attempt.status, attempt.sealed) == (False, "cancelled", None)
        check_agreement()
        attempt.delete()


def test_a_refresh_either_stops_a_removal_or_is_not_begun(workshop):
    with TokenServer() as server:
        values = {"endpoint": server.url, "client_id": "poco", "client_secret": "s"}
        document = make_oauth_manifest("records", server.url)
        files = {"locales/en.json": TEXTS, "locales/zh-CN.json": TEXTS}
        connector = workshop.install(values=values, document=document, files=files)
        connection = make_oauth_connection(connector)
        results = run_together(
            lambda: take_lease(connection.pk, 1),
            lambda: remove_connector(connector=connector, typed_key="records", actor=None),
        )
        if isinstance(results[0], Lease):
            assert codes(results)[1] == "connector_occupied"
            assert RefreshLease.objects.get().owner is not None
        else:
            assert codes(results)[0] in {"connector_removing", "connection_not_found"}
        check_agreement()


TEXTS = '{"name": "Records", "description": "…", "endpoint": "Address", "token": "Token"}'


def test_of_two_editors_one_is_told_that_the_other_was_first(workshop):
    connector = workshop.install()
    for revision in range(1, ROUNDS + 1):
        results = run_together(
            *[
                partial(
                    save_configuration,
                    connector=connector,
                    raw={"endpoint": f"https://{host}.example/{revision}"},
                    expected_revision=revision,
                    actor=None,
                )
                for host in ("one", "two")
            ]
        )
        assert sorted(codes(results)) == ["", "configuration_changed"]
        connector.refresh_from_db()
        assert connector.configuration_revision == revision + 1
        check_agreement()


def test_an_update_and_a_saved_configuration_do_not_overwrite_each_other(workshop):
    connector = workshop.install()
    for number in range(1, ROUNDS + 1):
        connector.refresh_from_db()
        revision, archive = connector.configuration_revision, workshop.pack(f"1.{number}.0")
        typed = {"endpoint": f"https://typed.example/{number}"}
        results = run_together(
            partial(save_configuration, connector=connector, raw=typed, expected_revision=revision, actor=None),
            partial(update, connector, archive, expected_revision=revision),
        )
        assert codes(results) in (["", "configuration_changed"], ["installed_version_changed", ""], ["", ""])
        connector.refresh_from_db()
        assert (connector.configuration == typed) == (codes(results)[0] == "")
        check_agreement()


def test_two_workers_make_a_drained_change_once(workshop):
    connector = workshop.install()
    hold = enter(connector, make_agent()[0])
    start_drain(connector=connector, change=update_change(workshop.pack("1.1.0")), actor=None)
    Run.objects.filter(pk=hold.id).update(ended_at=timezone.now())
    assert sorted(run_together(finish_drains, finish_drains)) == [0, 1]
    assert AdminEvent.objects.filter(act="connector_updated").count() == 1
    check_agreement()


def test_a_drain_is_either_cancelled_or_finished(workshop):
    connector = workshop.install()
    for number in range(1, ROUNDS + 1):
        hold = enter(connector, make_agent()[0])
        start_drain(connector=connector, change=update_change(workshop.pack(f"1.{number}.0")), actor=None)
        Run.objects.filter(pk=hold.id).update(ended_at=timezone.now())
        results = run_together(finish_drains, partial(cancel_drain, connector=connector, actor=None))
        ended, connector = Drain.objects.get(), Connector.objects.get()
        made = connector.version.version == f"1.{number}.0"
        assert ended.state == ("done" if made else "cancelled")
        assert codes(results)[1] == ("drain_not_waiting" if made else "")
        check_agreement()


def test_a_drain_and_a_run_that_begins_do_not_miss_each_other(workshop):
    connector, agent = workshop.install(), make_agent()[0]
    results = run_together(
        lambda: enter(connector, agent),
        lambda: start_drain(connector=connector, change=RemovalChange("records"), actor=None),
    )
    connector = Connector.objects.filter(pk=connector.pk).first()
    if results[0].connector_versions:
        assert connector is not None
        assert connector.transition == "draining"
    check_agreement()


def test_removing_and_rolling_back_exclude_each_other(workshop):
    connector = update(workshop.install(), workshop.pack("1.1.0"))
    first = PackageVersion.objects.get(version="1.0.0")
    results = run_together(
        lambda: roll_back(connector=connector, version=first, actor=None),
        lambda: remove_connector(connector=connector, typed_key="records", actor=None),
    )
    assert codes(results)[1] == ""
    assert codes(results)[0] in {"", "connector_removing", "connector_not_found"}
    advance_removals()
    assert not Connector.objects.exists()
    check_agreement()


def test_two_workers_end_a_removal_once(workshop):
    connector = update(workshop.install(), workshop.pack("1.1.0"))
    remove_connector(connector=connector, typed_key="records", actor=None)
    run_together(advance_removals, advance_removals)
    assert AdminEvent.objects.filter(act="connector_removal_finished").count() == 1
    check_agreement()


def test_of_two_who_remove_it_at_the_same_moment_one_does(workshop):
    connector = workshop.install()
    results = run_together(*[partial(remove_connector, connector=connector, typed_key="records", actor=None)] * 3)
    assert codes(results).count("") == 1
    assert set(codes(results)) <= {"", "connector_removing", "connector_not_found"}
    assert RemovalJob.objects.count() == 1


def test_a_run_is_ended_once_and_nothing_is_called_in_it_afterwards(workshop):
    """An agent's calls, two administrators who end its run and a worker at the same moment."""
    connector, agent = workshop.install(), make_agent()[0]
    versions = {connector.key: connector.version.manifest_revision}
    open_run(agent.pk, agent.owner_id, "", versions)
    start_drain(connector=connector, change=update_change(workshop.pack("1.1.0")), actor=None)
    calls = [partial(open_run, agent.pk, agent.owner_id, "", versions)] * 3
    ends = [partial(end_runs, connector=connector, actor=None)] * 2
    results = run_together(*calls, *ends, finish_drains)
    entered = [open_run(agent.pk, agent.owner_id, "", versions), *results[:3]]
    assert sum(run.stopped for run in entered) == 1
    assert sum(results[3:5]) == 1
    assert Connector.objects.get().version.version == "1.0.0"
    assert Run.objects.get(ended_at=None).connector_versions == {}
