"""A removed connector is out of use at once; the rest of it goes by itself, however often it is interrupted (§11)."""

import shutil
from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.audit.models import AdminEvent
from connectors.authorization import sessions
from connectors.authorization.credentials import open_credential
from connectors.authorization.models import AuthorizationSession, Connection, Credential, RevocationJob
from connectors.authorization.refresh_lease import take_lease
from connectors.authorization.retirement import order_revocation
from connectors.authorization.revocation_payload import find_revocation
from connectors.authorization.tasks import revoke_due
from connectors.catalogue.models import ConfigurationSecret, Connector, PackageIcon, PackageVersion
from connectors.catalogue.queries import visible_connectors
from connectors.errors import Conflict, Invalid, Refused
from connectors.lifecycle.abandoning import abandon_revocations
from connectors.lifecycle.models import RemovalJob
from connectors.lifecycle.queries import find_removal, removals_under_way, revocations_left, stuck_removals
from connectors.lifecycle.removal import preview_removal, remove_connector
from connectors.lifecycle.removal_steps import BATCH, next_try
from connectors.lifecycle.tasks import finish_removals
from connectors.packages.cache import open_package
from connectors.policy.models import Grant
from tests.builders.attempts import make_attempt
from tests.builders.connectors import make_agent, make_connection, make_grant
from tests.builders.oauth_accounts import make_oauth_connection, make_oauth_connector
from tests.builders.people import make_administrator, make_user
from tests.builders.versions import digest, named_keys, stored_keys, update
from tests.fakes.token_server import TokenServer

pytestmark = pytest.mark.django_db


def remove(connector, actor=None):
    return remove_connector(connector=connector, typed_key=connector.key, actor=actor)


def due_now():
    RemovalJob.objects.update(due_at=timezone.now())
    RevocationJob.objects.update(due_at=timezone.now())


@pytest.fixture
def server():
    with TokenServer() as running:
        running.issue("r1")
        yield running


def test_the_preview_counts_what_it_touches(workshop):
    connector = update(workshop.install(), workshop.pack("1.1.0"))
    owner = make_user()
    first, _second = make_connection(owner, connector), make_connection(owner, connector, alias="second")
    make_connection(make_user(), connector)
    make_grant(make_agent(owner)[0], first)
    preview = preview_removal(connector=connector)
    assert (preview.connections, preview.people, preview.agents, preview.versions) == (3, 2, 1, 2)
    assert (preview.runs, preview.occupants) == (0, ())


@pytest.mark.parametrize("typed", ["", "record", "RECORDS"])
def test_the_key_has_to_be_typed(workshop, typed):
    connector = workshop.install()
    with pytest.raises(Invalid) as caught:
        remove_connector(connector=connector, typed_key=typed, actor=None)
    assert [(fault.code, fault.where) for fault in caught.value.faults] == [("key_does_not_match", "typed_key")]
    assert Connector.objects.get().transition == ""


def test_accounts_and_credentials_are_gone_with_the_act_itself(workshop):
    connector = workshop.install()
    person = make_user()
    connection = make_connection(person, connector, values={"token": "canary"})
    make_grant(make_agent(person)[0], connection)
    waiting = make_attempt(connector, person)
    admin = make_administrator()

    job = remove(connector, admin)

    for table in (Connection, Credential, Grant):
        assert not table.objects.exists(), table
    assert not visible_connectors(person).exists()
    waiting = AuthorizationSession.objects.get(pk=waiting.pk)
    assert (waiting.status, waiting.sealed) == ("cancelled", None)
    assert (job.connector_key, job.connector_name, job.removed_by_name) == ("records", "name (en)", admin.name)
    event = AdminEvent.objects.get(act="connector_removed")
    assert (event.actor_name, event.target_name) == (admin.name, "records")
    assert (event.before["version"], event.before["connections"], event.before["people"]) == ("1.0.0", 1, 1)


def test_then_rows_archives_and_caches_follow_and_the_history_stays(workshop, settings):
    connector = update(workshop.install(), workshop.pack("1.1.0"))
    version = connector.version
    folder = open_package(
        object_key=version.object_key,
        archive_sha256=version.archive_sha256,
        manifest_revision=version.manifest_revision,
        key=version.key,
    )
    job = remove(connector)
    assert finish_removals() == 1
    for table in (Connector, PackageVersion, PackageIcon, ConfigurationSecret):
        assert not table.objects.exists(), table
    assert stored_keys() == []
    assert not folder.exists()
    ended = find_removal(job.pk)
    assert (ended.stage, ended.archives, ended.due_at) == ("done", [], None)
    assert ended.finished_at is not None
    assert not removals_under_way().exists()
    assert AdminEvent.objects.get(act="connector_removal_finished").before == {"versions": ["1.0.0", "1.1.0"]}
    assert AdminEvent.objects.filter(target_name="records").count() >= 4


def test_the_same_key_and_version_can_be_installed_anew(workshop):
    first = workshop.install()
    remove(first)
    finish_removals()
    again = workshop.install()
    assert again.pk != first.pk
    assert stored_keys() == named_keys()


def test_until_the_removal_has_ended_its_key_is_refused_by_name(workshop, server):
    connector = make_oauth_connector(server.url, "records")
    make_oauth_connection(connector)
    remove(connector)
    with pytest.raises(Conflict, match="connector_removing"):
        workshop.install()
    with pytest.raises(Conflict, match="connector_removing"):
        remove(connector)
    assert stored_keys() == []


@pytest.mark.django_db(transaction=True)
def test_revocations_run_to_their_end_with_the_version_they_need(server):
    connector = make_oauth_connector(server.url)
    make_oauth_connection(connector)
    job = remove(connector)
    assert (Connection.objects.count(), revocations_left(job)) == (0, 1)
    job.refresh_from_db()  # the nudge has taken it as far as it goes
    assert (job.stage, job.attempts) == ("revoking", 0)
    assert job.due_at > timezone.now()
    assert PackageVersion.objects.exists()

    assert revoke_due() == 1
    due_now()
    assert finish_removals() == 1
    assert not Connector.objects.exists()
    assert not PackageVersion.objects.exists()
    assert server.revoked == ["r1", "access-0"]


@pytest.mark.django_db(transaction=True)
def test_a_revocation_that_gives_up_holds_the_removal_no_longer(server):
    connector = make_oauth_connector(server.url)
    make_oauth_connection(connector)
    remove(connector)
    server.answers = [(500, b"")]
    RevocationJob.objects.update(gives_up_at=timezone.now() - timedelta(seconds=1))
    assert revoke_due() == 0
    due_now()
    assert finish_removals() == 1
    assert not Connector.objects.exists()
    assert RevocationJob.objects.get().gave_up_at is not None


def test_nothing_is_refreshed_at_a_connector_on_its_way_out(server):
    connector = make_oauth_connector(server.url)
    connection = make_oauth_connection(connector)
    Connector.objects.update(transition=Connector.Transition.REMOVING)
    with pytest.raises(Conflict, match="connector_removing"):
        take_lease(connection.pk, 1)


def test_many_accounts_go_in_batches(workshop):
    connector = workshop.install()
    person = make_user()
    Connection.objects.bulk_create(
        Connection(
            person=person,
            connector=connector,
            alias=str(number),
            authorization_fingerprint=connector.authorization_fingerprint,
        )
        for number in range(2 * BATCH + 1)
    )
    remove(connector)
    assert Connection.objects.count() == BATCH + 1
    assert finish_removals() == 1
    assert not Connection.objects.exists()


def test_a_store_that_is_away_is_asked_again_later_and_shows(workshop, object_folder):
    connector = workshop.install()
    remove(connector)
    archive = object_folder / connector.version.object_key
    away = object_folder.with_name("away")
    object_folder.rename(away)
    object_folder.mkdir()
    (object_folder / "connectors").write_text("a file where a folder should be")
    for attempt in (1, 2, 3):
        assert finish_removals() == 0
        job = RemovalJob.objects.get()
        assert (job.stage, job.attempts, job.failure) == ("cleaning", attempt, "store_unavailable")
        assert job.due_at > timezone.now() + timedelta(seconds=50) * 2 ** (attempt - 1)
        assert stuck_removals().exists() == (attempt == 3)
        due_now()
    shutil.rmtree(object_folder)
    away.rename(object_folder)
    assert archive.exists()
    assert finish_removals() == 1
    assert not archive.exists()
    assert not stuck_removals().exists()


def test_a_removal_nobody_takes_up_shows(workshop):
    remove(workshop.install())
    assert not stuck_removals().exists()
    RemovalJob.objects.update(due_at=timezone.now() - timedelta(minutes=11))
    assert stuck_removals().count() == 1


def test_the_wait_grows_to_six_hours():
    now = timezone.now()
    waits = [next_try(attempts, now) - now for attempts in (1, 2, 3, 20)]
    assert waits == [timedelta(minutes=1), timedelta(minutes=2), timedelta(minutes=4), timedelta(hours=6)]


def test_a_removed_one_that_was_installed_anew_keeps_its_cache(workshop):
    first = workshop.install()
    remove(first)
    archive = workshop.pack()
    RemovalJob.objects.update(
        stage=RemovalJob.Stage.CLEANING,
        archives=[{"object_key": first.version.object_key, "manifest_revision": first.version.manifest_revision}],
    )
    Connector.objects.all().delete()
    PackageVersion.objects.all().delete()
    again = workshop.install()
    assert digest(archive)
    folder = open_package(
        object_key=again.version.object_key,
        archive_sha256=again.version.archive_sha256,
        manifest_revision=again.version.manifest_revision,
        key="records",
    )
    assert finish_removals() == 1
    assert folder.exists()
    assert stored_keys() == named_keys()


def test_what_ended_a_month_ago_is_forgotten(workshop):
    remove(workshop.install())
    finish_removals()
    RemovalJob.objects.update(finished_at=timezone.now() - timedelta(days=31))
    finish_removals()
    assert not RemovalJob.objects.exists()


def test_whoever_does_not_want_to_wait_gives_the_revocations_up(workshop, server):
    connector = make_oauth_connector(server.url, "records")
    make_oauth_connection(connector, alias="work")
    job = remove(connector)
    finish_removals()
    abandon_revocations(removal=job, actor=make_administrator())
    assert finish_removals() == 1
    assert workshop.install().key == "records"
    given_up = RevocationJob.objects.get()
    assert (given_up.account, given_up.sealed, given_up.failure) == ("work", None, "abandoned")
    assert AdminEvent.objects.get(act="revocations_abandoned").after == {"revocations": 1}
    with pytest.raises(Conflict, match="removal_not_revoking"):
        abandon_revocations(removal=job, actor=None)


def test_a_credential_that_is_still_to_be_deleted_opens_for_nobody(server):
    connection = make_oauth_connection(make_oauth_connector(server.url))
    Connector.objects.update(transition=Connector.Transition.REMOVING)
    connection.refresh_from_db()
    connection.connector.refresh_from_db()
    with pytest.raises(Refused, match="connector_removing"):
        open_credential(connection)


def test_a_callback_that_comes_during_a_removal_finds_its_attempt_cancelled(workshop):
    connector = workshop.install()
    attempt = make_attempt(connector, make_user())
    remove(connector)
    assert not sessions.claim(attempt)
    assert attempt.status == "cancelled"


def test_tokens_that_come_in_after_the_package_has_gone_are_listed_as_not_revoked(workshop, server):
    connector = make_oauth_connector(server.url)
    connection = make_oauth_connection(connector)
    revocation = find_revocation(connection, connection.credential)
    version = connector.version
    Connector.objects.all().delete()
    PackageVersion.objects.all().delete()
    order_revocation(revocation, version, account="work")
    job = RevocationJob.objects.get()
    assert (job.account, job.version, job.sealed, job.failure) == ("work", None, None, "connector_removed")
    assert job.gave_up_at is not None
