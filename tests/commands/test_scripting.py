"""The commands that script a set-up: packages, people, agents."""

import pytest
from django.core.management import CommandError, call_command

from connectors.access.models import Agent, User
from connectors.access.people import role_of
from connectors.access.queries import authenticate_agent
from connectors.access.sign_in import redeem_sign_in_link
from connectors.access.tokens import digest_token
from connectors.authorization.models import Connection
from connectors.catalogue.configuration import open_configuration
from connectors.catalogue.models import Connector
from connectors.policy.models import Grant
from connectors.vault.secret import Secret
from tests.builders.connectors import make_connection, make_connector
from tests.builders.packages import CLIENT_FIELDS, ENDPOINT_FIELD, build_manifest, build_package
from tests.builders.people import make_user
from tests.fakes.mcp_server import McpServer

pytestmark = pytest.mark.django_db
ENDPOINT = "endpoint=https://tools.example.com/mcp"


@pytest.fixture(autouse=True)
def object_folder(settings, tmp_path):
    settings.OBJECT_STORE_DIR = tmp_path / "objects"


@pytest.fixture
def archive(tmp_path):
    manifest = build_manifest(configuration={"fields": [ENDPOINT_FIELD, *CLIENT_FIELDS]})
    return str(build_package(tmp_path / "records.zip", manifest=manifest))


@pytest.fixture
def run(capsys):
    def call(*arguments):
        call_command(*arguments)
        return capsys.readouterr().out

    return call


def test_a_package_is_installed_and_published_with_secrets_from_file_and_environment(
    run, archive, tmp_path, monkeypatch
):
    (tmp_path / "secret").write_text("canary-file\n")
    monkeypatch.setenv("CLIENT", "poco")
    secret = f"client_secret=@{tmp_path / 'secret'}"
    output = run("install_package", archive, "--set", ENDPOINT, "--set", "client_id=poco", "--set", secret, "--publish")
    connector = Connector.objects.get()
    assert connector.status == "published"
    assert open_configuration(connector).secrets == {"client_secret": Secret("canary-file")}
    assert "Installed records 1.0.0." in output
    assert "canary" not in output
    again = run("install_package", archive, "--publish")
    assert "installed already" in again


def test_a_secret_comes_from_the_environment(run, archive, monkeypatch):
    monkeypatch.setenv("CLIENT_SECRET", "canary-env")
    run(
        "install_package",
        archive,
        "--set",
        ENDPOINT,
        "--set",
        "client_id=a=b",
        "--set",
        "client_secret=env:CLIENT_SECRET",
    )
    configuration = open_configuration(Connector.objects.get())
    assert configuration.secrets == {"client_secret": Secret("canary-env")}
    assert configuration.public["client_id"] == "a=b"


@pytest.mark.parametrize("source", ["canary", "env:NOT_THERE_AT_ALL", "@/not/there", ""])
def test_an_inline_or_missing_secret_is_refused_without_repeating_it(run, archive, source):
    with pytest.raises(CommandError) as caught:
        run("install_package", archive, "--set", ENDPOINT, "--set", f"client_secret={source}")
    assert "client_secret" in str(caught.value)
    assert "canary" not in str(caught.value)
    assert not Connector.objects.exists()


def test_every_fault_is_told_with_its_place(run, archive):
    with pytest.raises(CommandError) as caught:
        run("install_package", archive, "--set", "endpoint=nowhere")
    assert {line.split(":")[0] for line in str(caught.value).splitlines()} == {"endpoint", "client_id", "client_secret"}


def test_a_file_that_is_missing_or_no_package_is_told_in_words(run, tmp_path):
    with pytest.raises(CommandError, match=r"nothing\.zip"):
        run("install_package", str(tmp_path / "nothing.zip"))
    (tmp_path / "text.zip").write_text("not a ZIP")
    with pytest.raises(CommandError):
        run("install_package", str(tmp_path / "text.zip"))
    with pytest.raises(CommandError, match="FIELD=VALUE"):
        run("install_package", str(build_package(tmp_path / "p.zip")), "--set", "endpoint")


def test_a_person_is_created_with_a_role_and_a_link_that_signs_them_in(run, settings):
    output = run("new_person", "mei", "--role", "auditor", "--display-name", "Mei")
    link = output.strip().splitlines()[-1]
    assert link.startswith(settings.BACKEND_URL)
    person = redeem_sign_in_link(token=link.rstrip("/").rsplit("/", 1)[-1])
    assert (person.username, role_of(person)) == ("mei", "auditor")
    with pytest.raises(CommandError, match="mei"):
        run("new_person", "mei")
    assert User.objects.count() == 1


def test_an_agent_gets_a_grant_of_everything_on_a_connection_made_for_it(run):
    owner = make_user("mei")
    with McpServer() as server:
        connector = make_connector("notebook", endpoint=server.url)
        output = run("new_agent", "--owner", "mei", "--name", "Scribe", "--grant", "notebook", "--grant", "notebook")
    token = output.split()[-1]
    found = authenticate_agent(digest_token(token))
    assert (found.agent_name, found.owner_id) == ("Scribe", owner.pk)
    grant = Grant.objects.get()
    assert (grant.agent_id, grant.breadth, grant.access) == (found.agent_id, "all", "read_write")
    assert (grant.connection.connector, grant.connection.person) == (connector, owner)


def test_a_connection_that_exists_is_used(run):
    owner = make_user("mei")
    connection = make_connection(owner, make_connector("notebook", static=True))
    run("new_agent", "--owner", "mei", "--name", "Scribe", "--grant", "notebook")
    assert Grant.objects.get().connection == connection


def test_nothing_is_made_when_a_grant_cannot_be(run):
    owner = make_user("mei")
    make_connector("keyed", static=True)
    several = make_connector("several", policy="multiple_per_user")
    make_connection(owner, several, alias="one")
    make_connection(owner, several, alias="two")
    for key, reason in (("absent", "absent"), ("keyed", "not connected"), ("several", "several accounts")):
        with pytest.raises(CommandError, match=reason):
            run("new_agent", "--owner", "mei", "--name", "Scribe", "--grant", key)
    with pytest.raises(CommandError, match="nobody"):
        run("new_agent", "--owner", "nobody", "--name", "Scribe")
    assert not Agent.objects.exists()
    assert Connection.objects.count() == 2
