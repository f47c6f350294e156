"""Odd text in addresses, cookies and forms: a fault or nothing found, never a crash, never another site."""

from urllib.parse import urljoin

import pytest
from django.test import override_settings
from django.urls import reverse

from tests.builders.connectors import make_connector
from tests.builders.people import make_administrator, make_user

pytestmark = pytest.mark.django_db

ELSEWHERE = [
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "%2f%2fevil.example",
    "https://evil.example/",
    "https:evil.example",
    "javascript:alert(1)",
    "/\r\nLocation: https://evil.example",
    "/a\0b",
    "-1",
    "somewhere",
    "console:home",
    "/" + "a" * 10_000,
    "\U0001f600",
]


@pytest.fixture
def admin(client):
    client.force_login(make_administrator())
    return client


@pytest.mark.parametrize("wanted", ELSEWHERE)
def test_preferences_lead_back_into_the_console_only(client, wanted):
    answer = client.post(reverse("console:preferences"), {"language": "en", "next": wanted})

    assert answer.status_code == 302
    assert answer.url == reverse("console:preferences")


def test_preferences_lead_back_to_where_the_reader_was(client):
    answer = client.post(reverse("console:preferences"), {"language": "en", "next": "/my/calls/?tool=a%20b"})

    assert answer.url == "/my/calls/?tool=a%20b"


@pytest.mark.parametrize("wanted", ELSEWHERE[:8])
def test_signing_in_leads_into_the_console_only(client, wanted):
    make_user("ann", password="a long enough sentence")

    answer = client.post(
        reverse("account_login"), {"login": "ann", "password": "a long enough sentence", "next": wanted}
    )

    assert answer.status_code == 302
    arrived = urljoin("http://testserver/accounts/login/", answer.url.replace("\\", "/"))
    assert arrived.startswith("http://testserver/")


@pytest.mark.parametrize(
    "address",
    ["/connectors/?q=%00", "/people/?after=a%00b", "/icons/%00/", "/welcome/a%00b/", "/%00", "/my/calls/?x=%00"],
)
def test_a_nul_in_an_address_is_a_request_that_cannot_be_read(admin, address):
    answer = admin.get(address)

    assert answer.status_code == 400
    assert b"cannot be read" in answer.content


def test_a_cookie_with_a_nul_is_as_good_as_none(client):
    client.cookies["sessionid"] = "a\0b"

    assert client.get(reverse("console:home")).status_code == 302


@pytest.mark.parametrize("revision", ["9" * 5000, "-1", "٣", "x", ""])
def test_a_revision_that_is_none_is_an_old_one(admin, revision):
    make_connector("notebook")

    answer = admin.post(
        reverse("console:connector_configuration", args=["notebook"]),
        {"endpoint": "http://127.0.0.1:2/mcp", "seen-revision": revision},
    )

    assert answer.status_code == 409


@override_settings(TIME_ZONE="America/Los_Angeles")
@pytest.mark.parametrize("route", ["my_calls", "my_decisions", "audit_calls", "audit_decisions", "admin_events"])
@pytest.mark.parametrize("field", ["since", "until"])
@pytest.mark.parametrize(
    ("moment", "zone"),
    [
        ("9999-12-31T23:59", "America/Los_Angeles"),  # later in UTC than the last moment
        ("0001-01-01T00:00", "Asia/Shanghai"),  # earlier in UTC than the first
        ("10000-01-01T00:00", "Asia/Shanghai"),
        ("2026-99-01T00:00", "Asia/Shanghai"),
    ],
)
def test_a_log_can_be_asked_for_any_moment(admin, route, field, moment, zone):
    admin.cookies["poco_time_zone"] = zone
    assert admin.get(reverse(f"console:{route}"), {"range": "custom", field: moment}).status_code == 200


LATEST = "ffffffff-ffff-7fff-bfff-ffffffffffff"


@pytest.mark.parametrize(
    "address", [f"/runs/{LATEST}/", "/view-as/?q=ann&connector=a%2Fb", "/view-as/?connector=a%20b"]
)
def test_an_address_of_what_cannot_be_is_not_found(admin, address):
    make_user("ann")

    assert admin.get(address).status_code == 404


def test_a_page_that_cannot_be_an_address_still_gets_the_state_of_a_drain(admin):
    make_connector("notebook")
    headers = {"HX-Request": "true", "HX-Target": "drain", "HX-Current-URL": "http://["}

    assert admin.get(reverse("console:connector_drain", args=["notebook"]), headers=headers).status_code == 200


def test_numbers_of_thousands_of_digits_name_nobody(admin):
    make_connector("notebook")
    typed = {"audience": "chosen", "people": ["9" * 5000, "9" * 19]}

    answer = admin.get(
        reverse("console:connector_visibility", args=["notebook"]), typed, headers={"HX-Target": "reach"}
    )

    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("route", "sent"),
    [
        ("connector_order", {"move": "up:a\0"}),
        ("category_order", {"move": "up:a\0"}),
        ("connector_bulk", {"act": "publish", "connector": "a\0"}),
        ("unused", {"chosen": "a\0"}),
    ],
)
def test_a_nul_that_no_form_refuses_is_no_crash_on_either_database(admin, route, sent):
    assert admin.post(reverse(f"console:{route}"), sent).status_code < 500
