"""Roll back: a separate act on an installed version, with the difference, ticks and occupancy of an update."""

import re

import pytest

from connectors.audit.models import AdminEvent
from connectors.catalogue.models import Connector
from connectors.lifecycle.models import Drain
from tests.builders.booking import PROVIDER, install_booking
from tests.builders.connectors import make_agent
from tests.builders.packages import ENDPOINT_FIELD, build_manifest, build_package
from tests.builders.people import make_user
from tests.builders.runs import make_run
from tests.builders.versions import Workshop, update
from tests.fakes.mcp_server import McpServer, tool

pytestmark = pytest.mark.django_db
RULES = build_manifest()["tool_policy"]["rules"]
ADDRESS = "/connectors/records/versions/1.0.0/roll-back/"
REGION = {"key": "region", "type": "text", "label_key": "configuration.region.label", "required": True}


@pytest.fixture
def connector(tmp_path):
    """On version 1.1.0, which lacks a tool that version 1.0.0 had."""
    workshop = Workshop(tmp_path)
    installed = workshop.install()
    return update(installed, workshop.pack("1.1.0", tool_policy={"default": "deny", "rules": RULES[:2]}))


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def shown(page: str) -> dict[str, str]:
    names = ("form-mark", "archive-sha256", "seen-revision", "seen-reauthorize")
    return {name: re.search(rf'name="{name}" value="([^"]*)"', page).group(1) for name in names}


def risks(page: str) -> list[str]:
    return re.findall(r'name="accepted-risk" value="([^"]*)"', page)


def current() -> str:
    return Connector.objects.select_related("version").get(key="records").version.version


def test_the_versions_tab_offers_it_for_every_version_but_the_one_in_use(admin, connector):
    page = text_of(admin.get("/connectors/records/versions/"))
    assert re.findall(r'href="([^"]*/roll-back/)"', page) == [ADDRESS]


def test_the_difference_is_told_from_where_it_stands_now(admin, connector):
    page = text_of(admin.get(ADDRESS))
    assert "Roll name (en) back to 1.0.0" in page
    assert "new tool delete_record (destructive)" in page
    assert "version 1.1.0 → 1.0.0" in page


def test_it_asks_for_the_same_ticks(admin, connector):
    page = text_of(admin.get(ADDRESS))
    assert admin.post(ADDRESS, shown(page)).status_code == 422
    assert current() == "1.1.0"


def test_it_goes_back_shows_what_changed_and_is_recorded(admin, connector):
    page = text_of(admin.get(ADDRESS))
    answer = admin.post(ADDRESS, shown(page) | {"accepted-risk": risks(page)})
    assert answer["Location"] == "/connectors/records/?since=1.1.0"
    assert "What changed from 1.1.0 to 1.0.0" in text_of(admin.get(answer["Location"]))
    assert current() == "1.0.0"
    assert AdminEvent.objects.filter(act="connector_rolled_back").count() == 1


def test_from_there_the_higher_version_is_offered_as_a_return(admin, connector):
    page = text_of(admin.get(ADDRESS))
    admin.post(ADDRESS, shown(page) | {"accepted-risk": risks(page)})
    assert "Return to it…" in text_of(admin.get("/connectors/records/versions/"))
    back = ADDRESS.replace("1.0.0", "1.1.0")
    assert "Return name (en) to 1.1.0" in text_of(admin.get(back))
    assert admin.post(back, shown(text_of(admin.get(back)))).status_code == 302
    assert current() == "1.1.0"


def test_the_version_in_use_is_refused(admin, connector):
    answer = admin.get(ADDRESS.replace("1.0.0", "1.1.0"))
    assert answer.status_code == 409
    assert "Version 1.1.0 of records is in use already." in text_of(answer)


def test_a_version_that_is_not_installed_is_not_found(admin, connector):
    assert admin.get(ADDRESS.replace("1.0.0", "3.0.0")).status_code == 404


def test_while_it_is_used_it_offers_to_drain(admin, connector):
    make_run(make_agent(make_user(display_name="Mei Chen"))[0], connector)
    page = text_of(admin.get(ADDRESS))
    assert "Mei Chen" in page
    answer = admin.post(ADDRESS, shown(page) | {"accepted-risk": risks(page), "drain-first": "yes"})
    assert answer["Location"] == "/connectors/records/"
    assert Drain.objects.get().kind == "rollback"
    assert "Draining: it rolls back to 1.0.0 by itself" in text_of(admin.get("/connectors/records/"))


def test_a_field_only_the_older_version_has_is_asked_for(admin, tmp_path):
    workshop = Workshop(tmp_path)
    old = workshop.install(
        values={"endpoint": "https://tools.example.com/mcp", "region": "eu"},
        configuration={"fields": [ENDPOINT_FIELD, REGION]},
    )
    update(old, workshop.pack("1.1.0"))
    page = text_of(admin.get(ADDRESS))
    assert "This version asks for" in page
    assert admin.post(ADDRESS, shown(page) | {"region": ""}).status_code == 422
    page = text_of(admin.get(ADDRESS))
    assert admin.post(ADDRESS, shown(page) | {"region": "us"}).status_code == 302
    assert Connector.objects.get().configuration["region"] == "us"


def test_the_older_version_is_tested_before(admin, connector):
    with McpServer(tools=[tool("search")]) as server:
        answer = admin.post(f"{ADDRESS}test/", {"endpoint": server.url}, headers={"HX-Target": "test-report"})
    assert "It works" in text_of(answer)
    assert current() == "1.1.0"


def test_an_older_versions_program_is_asked_before(admin, tmp_path):
    connector = install_booking(tmp_path)
    manifest = {**connector.version.manifest, "package_version": "1.1.0"}
    source = {"provider/main.py": f"BOOK_EFFECT = 'write'\n{PROVIDER}"}
    update(connector, build_package(tmp_path / "booking-1.1.0.zip", manifest=manifest, files=source))
    answer = admin.post(
        "/connectors/booking/versions/1.0.0/roll-back/test/",
        {"endpoint": "https://booking.example.com/wrong"},
        headers={"HX-Target": "test-report"},
    )
    assert "there is no such service" in text_of(answer)


@pytest.mark.parametrize("required", [False, True])
def test_values_that_do_not_come_back_are_named_before_anything_is_committed(admin, tmp_path, required):
    token = {"key": "token", "type": "secret", "label_key": "configuration.token.label", "required": required}
    workshop = Workshop(tmp_path)
    values = {"endpoint": "https://tools.example.com/mcp", "token": "canary"}
    installed = workshop.install(values=values, configuration={"fields": [ENDPOINT_FIELD, token]})
    update(installed, workshop.pack("1.1.0", configuration={"fields": [ENDPOINT_FIELD]}))

    page = text_of(admin.get(ADDRESS))
    assert "Going back does not bring back what version 1.1.0 dropped" in page
    assert "<ul> <li>configuration.token.label (en)</li> </ul>" in page
    assert "canary" not in page
    answer = admin.post(ADDRESS, shown(page) | {"token": "typed-again"})
    assert answer.status_code == 302
    assert [secret.field for secret in Connector.objects.get().secrets.all()] == ["token"]


def test_nothing_is_said_of_fields_the_version_in_use_has_as_well(admin, tmp_path):
    workshop = Workshop(tmp_path)
    configuration = {"fields": [ENDPOINT_FIELD, REGION | {"required": False}]}
    update(workshop.install(configuration=configuration), workshop.pack("1.1.0", configuration=configuration))
    assert "Going back does not bring back" not in text_of(admin.get(ADDRESS))
