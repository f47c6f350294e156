"""What the pages say of programs: the layers that hold on this machine, and tools that differ from the package."""

from html import unescape

import pytest
from django.urls import reverse

from connectors.console.containment_words import LAYERS, REASONS
from connectors.gateway.models import Toolset
from connectors.runtime import containment, keeper_client
from connectors.runtime.containment import describe_containment
from tests.builders.connectors import make_connection, make_connector
from tests.builders.people import make_administrator, make_user
from tests.fakes.mcp_server import tool

pytestmark = pytest.mark.django_db


@pytest.fixture
def health(client):
    client.force_login(make_administrator())
    return lambda: unescape(client.get("/health/").content.decode())


def rows(page):
    return {title: page.split(f"<strong>{title}</strong>")[1].split("</tr>")[0] for title, _purpose in LAYERS.values()}


def test_health_says_of_every_layer_whether_it_is_active_and_why_not(health):
    shown = rows(health())
    for layer in describe_containment():
        row = shown[LAYERS[layer.name][0]]
        assert ("Active" in row, "Not active" in row) == (layer.active, not layer.active)
        assert layer.active or str(REASONS[layer.reason]) in row


@pytest.mark.parametrize("reason", ["not_installed", "namespaces_forbidden"])
def test_health_says_that_a_chosen_bubblewrap_cannot_be_used(health, monkeypatch, tmp_path, reason):
    if reason == "namespaces_forbidden":
        wrapper = tmp_path / "bwrap"
        wrapper.write_text("#!/bin/sh\nexit 1\n")
        wrapper.chmod(0o755)
    keeper_client.stop_keeper()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(containment, "_bubblewrap_chosen", True)
    row = rows(health())["bubblewrap"]
    keeper_client.stop_keeper()
    assert "Not active" in row
    assert str(REASONS[reason]) in row


def test_health_says_that_programs_cannot_be_run_where_the_keeper_does_not_start(health, monkeypatch, tmp_path):
    keeper_client.stop_keeper()
    monkeypatch.setattr(keeper_client, "_parent_folder", tmp_path / "missing")
    assert "Programs cannot be run here" in health()


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("tool_effect_differs", "The program states another effect than the package."),
        ("tool_retry_differs", "The program states another retry rule than the package."),
        ("tool_confirmation_differs", "The program states another confirmation than the package."),
        ("tool_repeated", "The program lists it twice."),
        ("tool_not_in_policy", "The package does not allow it."),
        ("tool_not_discovered", "The package allows it, and the program does not offer it."),
    ],
)
def test_a_tool_that_differs_from_the_package_is_named_on_the_connections_page(client, reason, sentence):
    person = make_user()
    client.force_login(person)
    connection = make_connection(person, make_connector())
    Toolset.objects.create(
        connection=connection,
        tools={"": [tool("search_notes")]},
        malformed=[{"server": "", "name": "book_table", "reason": reason}],
        digest="",
        manifest_revision="",
        configuration_revision=1,
        discovered_at=connection.created_at,
    )
    page = unescape(client.get(reverse("console:connection", args=[connection.pk])).content.decode())
    assert f"<code>book_table</code> {sentence}" in page
