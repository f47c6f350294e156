"""A configuration that leads accounts elsewhere: their owners authorize again, and whoever changes it is told before."""

import pytest
from django.test import Client

from connectors.audit.models import AdminEvent
from connectors.authorization.accounts import effective_state
from connectors.catalogue.models import Connector
from connectors.errors import Conflict
from connectors.lifecycle.reconfiguration import preview_stake, reconfigure_connector
from tests.builders.connectors import make_connection, make_connector
from tests.builders.packages import build_program_manifest, build_static_manifest
from tests.builders.people import make_administrator, make_user

pytestmark = pytest.mark.django_db
HERE, PATH, ELSEWHERE = (
    {"endpoint": f"https://{place}"} for place in ("a.example/mcp", "a.example/v2", "b.example/mcp")
)
ADDRESS = "/connectors/records/configuration/"
TEXTS = {locale: {"configuration.endpoint.label": "Server"} for locale in ("en", "zh-CN")}


@pytest.fixture
def records():
    return make_connector("records", manifest=build_static_manifest(), configuration=HERE, texts=TEXTS)


@pytest.fixture
def connection(records):
    return make_connection(make_user(), records)


@pytest.fixture
def admin():
    client = Client()
    client.force_login(make_administrator())
    return client


def change(records, raw, **arguments):
    return reconfigure_connector(connector=records, raw=raw, expected_revision=1, actor=None, **arguments)


def test_accounts_granted_for_another_place_must_be_authorized_again(records, connection):
    assert change(records, ELSEWHERE).people == 1
    connection.refresh_from_db()
    assert (effective_state(connection), connection.grant_revision) == ("reauthorization_required", 2)
    assert AdminEvent.objects.get(act="configuration_saved").after["reauthorize"] == 1


def test_another_path_of_the_same_place_sends_nobody(records, connection):
    assert change(records, PATH, expected_reauthorize=0).people == 0
    connection.refresh_from_db()
    assert (effective_state(connection), connection.grant_revision) == ("active", 1)


def test_more_people_than_were_told_of_change_nothing(records, connection):
    with pytest.raises(Conflict, match="reauthorization_differs"):
        change(records, ELSEWHERE, expected_reauthorize=0)
    connection.refresh_from_db()
    assert connection.grant_revision == 1
    assert Connector.objects.get().configuration == HERE
    assert change(records, ELSEWHERE, expected_reauthorize=2).people == 1


def test_the_stake_names_who_is_connected_and_what_decides(records, connection):
    stake = preview_stake(records)
    assert (stake.people, stake.fields, stake.decided_by_program) == (1, {"endpoint"}, False)
    connection.delete()
    assert preview_stake(records) is None


def test_where_a_program_decides_any_field_may():
    records = make_connector("records", manifest=build_program_manifest(), configuration=HERE)
    make_connection(make_user(), records)
    assert preview_stake(records).decided_by_program


def test_the_page_says_how_many_before_and_after(admin, records, connection):
    page = " ".join(admin.get(ADDRESS).text.split())
    assert "1 person is connected: they must authorize again if “Server” leads elsewhere" in page
    seen = {"seen-revision": 1, "seen-reauthorize": 1}
    assert "1 person must authorize again." in admin.post(ADDRESS, ELSEWHERE | seen, follow=True).text


def test_one_who_connected_meanwhile_is_told_of_and_what_was_typed_stays(admin, records, connection):
    answer = admin.post(ADDRESS, ELSEWHERE | {"seen-revision": 1, "seen-reauthorize": 0})
    assert answer.status_code == 409
    for told in ("is 1, not 0 as the page said", 'value="https://b.example/mcp"'):
        assert told in answer.text
    assert 'value="1"' in answer.text.partition('name="seen-reauthorize"')[2][:40]
    assert Connector.objects.get().configuration == HERE
