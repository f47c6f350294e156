"""Updating and removing from a script: the same acts, told in lines."""

import pytest
from django.core.management import CommandError, call_command

from connectors.audit.models import AdminEvent
from connectors.catalogue.models import Connector
from connectors.gateway.runs import open_run
from connectors.lifecycle.models import Drain, RemovalJob
from tests.builders.connectors import make_agent, make_connection
from tests.builders.packages import ENDPOINT_FIELD
from tests.builders.people import make_user
from tests.builders.versions import Workshop

pytestmark = pytest.mark.django_db
NEW_TOOL = {"default": "deny", "rules": [{"tool": "list_records", "effect": "read", "retry": "safe"}]}
TOKEN = {"key": "token", "type": "secret", "label_key": "token", "required": True}


@pytest.fixture
def workshop(settings, tmp_path):
    settings.OBJECT_STORE_DIR = tmp_path / "objects"
    return Workshop(tmp_path)


@pytest.fixture
def run(capsys):
    def call(*arguments):
        call_command(*arguments)
        return capsys.readouterr().out

    return call


def occupy(connector):
    agent = make_agent()[0]
    open_run(agent.pk, agent.owner_id, "", {connector.key: connector.version.manifest_revision})


def test_an_update_takes_what_is_new_and_says_what_it_did(run, workshop, monkeypatch):
    workshop.install()
    monkeypatch.setenv("TOKEN", "canary-token")
    archive = workshop.pack("1.1.0", configuration={"fields": [ENDPOINT_FIELD, TOKEN]})
    with pytest.raises(CommandError, match="token"):
        run("update_package", str(archive))
    output = run("update_package", str(archive), "--set", "token=env:TOKEN")
    assert output == "Updated records to 1.1.0.\n"
    assert Connector.objects.get().secrets.get().field == "token"


def test_raised_risks_are_listed_and_accepted_one_by_one_or_all(workshop, capsys):
    workshop.install()
    archive = str(workshop.pack("1.1.0", tool_policy=NEW_TOOL))
    with pytest.raises(CommandError, match="risk_not_accepted"):
        call_command("update_package", archive)
    told = capsys.readouterr().err.strip()
    assert told.startswith("Not accepted: tool_added|list_records")
    call_command("update_package", archive, "--accept", told.removeprefix("Not accepted: "))
    assert Connector.objects.get().version.version == "1.1.0"


def test_the_same_version_is_refused_through_update(workshop):
    workshop.install()
    with pytest.raises(CommandError, match="same_version"):
        call_command("update_package", str(workshop.pack()))


def test_what_is_in_use_is_refused_or_drained(run, workshop):
    connector = workshop.install()
    occupy(connector)
    archive = str(workshop.pack("1.1.0"))
    with pytest.raises(CommandError, match="connector_occupied"):
        run("update_package", archive)
    assert "when it is no longer in use" in run("update_package", archive, "--drain")
    assert Drain.objects.get().target_version == "1.1.0"


def test_a_removal_wants_the_key_twice(run, workshop):
    make_connection(make_user(), workshop.install())
    with pytest.raises(CommandError, match="typed_key"):
        run("remove_connector", "records", "--confirm", "record")
    assert run("remove_connector", "records", "--confirm", "records").startswith("Removed records and 1 accounts")
    assert Connector.objects.get().transition == "removing"


def test_a_removal_waits_if_it_is_told_to(run, workshop):
    occupy(workshop.install())
    assert "will be removed" in run("remove_connector", "records", "--confirm", "records", "--drain")
    assert Connector.objects.get().transition == "draining"


def test_a_removal_goes_on_without_revocations_if_it_is_told_to(run, workshop):
    workshop.install()
    abandon = ("remove_connector", "records", "--confirm", "records", "--abandon-revocations")
    with pytest.raises(CommandError, match="removal_not_revoking"):
        run(*abandon)
    run("remove_connector", "records", "--confirm", "records")
    RemovalJob.objects.update(stage=RemovalJob.Stage.REVOKING)
    assert "goes on without" in run(*abandon)
    assert AdminEvent.objects.filter(act="revocations_abandoned").exists()


def test_a_drain_can_be_given_a_bound(run, workshop):
    occupy(workshop.install())
    for wrong in ("0", "-5", "soon", "9" * 30):
        with pytest.raises(CommandError, match="a whole number of minutes"):
            run("remove_connector", "records", "--confirm", "records", "--drain", f"--end-runs-after={wrong}")
    run("remove_connector", "records", "--confirm", "records", "--drain", "--end-runs-after=30")
    drain = Drain.objects.get()
    assert 29 * 60 < (drain.runs_end_at - drain.started_at).total_seconds() <= 30 * 60
