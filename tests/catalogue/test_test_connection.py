"""Test connection: how far it gets, stage by stage, with nothing stored."""

import pytest

from connectors.authorization.models import Connection
from connectors.catalogue import connection_test
from connectors.catalogue.configuration import OpenConfiguration
from connectors.errors import Refused
from connectors.manifest.reading import load_manifest
from connectors.vault.secret import Secret
from tests.builders.packages import (
    BEARER,
    build_manifest,
    build_program_manifest,
    build_static_manifest,
    remote_runtime,
)
from tests.fakes.mcp_server import McpServer, tool

pytestmark = pytest.mark.django_db
KEY = ("Authorization", "Bearer canary-key")


def run(document, url="", key=""):
    return connection_test.test_connection(
        manifest=load_manifest(document),
        configuration=OpenConfiguration(public={"endpoint": url}),
        one_off={"api_key": Secret(key)} if key else {},
    )


def test_a_good_server_passes_every_stage_and_names_its_tools():
    with McpServer(tools=[tool("search"), tool("查询")]) as server:
        report = run(build_manifest(), server.url)
    assert report.ok
    assert report.tools == ("search", "查询")
    assert report.stages[-1].name == "list_tools"
    assert all(stage.seconds >= 0 for stage in report.stages)


def test_without_a_key_it_ends_at_authorization_and_says_the_server_was_reached():
    with McpServer(key=KEY) as server:
        report = run(build_static_manifest(), server.url)
    assert report.reached
    assert (report.stages[-1].name, report.stages[-1].ok) == ("authorization", False)


def test_a_one_off_key_goes_all_the_way_and_is_stored_nowhere():
    with McpServer(key=KEY) as server:
        report = run(build_static_manifest(), server.url, "canary-key")
    assert report.ok
    assert "canary" not in repr(report)
    assert not Connection.objects.exists()


def test_of_several_servers_the_failing_one_is_named():
    with McpServer() as good, McpServer(key=KEY) as keyed:
        servers = [
            {"key": "documents", "endpoint": {"url": good.url}},
            {"key": "sheets", "endpoint": {"url": keyed.url}},
        ]
        document = build_static_manifest(runtime=remote_runtime(servers=servers, credential_binding=BEARER))
        failed, passed = run(document), run(document, key="canary-key")
    assert failed.stages[-1].name == "authorization"
    assert failed.stages[-1].detail.startswith("sheets")
    assert passed.ok
    assert passed.tools == ("documents/echo", "sheets/echo")


def test_a_program_has_no_server_to_test():
    with pytest.raises(Refused, match="nothing_to_test"):
        run(build_program_manifest())
