"""Telling people: in the console at once, by e-mail once a day, and only of what they can mend."""

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from connectors.authorization.expiry import find_expiry
from connectors.authorization.models import Connection, Credential
from connectors.authorization.tasks import notify_owners
from tests.builders.oauth_accounts import make_oauth_connection, make_oauth_connector
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db(transaction=True)
DAY = timedelta(days=1)


@pytest.fixture
def ann():
    return make_user("ann", email="ann@example.com", language="en")


@pytest.fixture
def connector():
    return make_oauth_connector("http://127.0.0.1:1")


@pytest.fixture(autouse=True)
def _mail(settings):
    settings.MAIL_FROM = "poco@example.com"
    settings.MAILERS = {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}}


def make(connector, person, *, refresh_token="r1", ends=timedelta(hours=1), refresh_ends=None, **fields):
    now = timezone.now()
    connection = make_oauth_connection(
        connector,
        person,
        refresh_token=refresh_token,
        expires_at=now + ends,
        refresh_expires_at=now + refresh_ends if refresh_ends else None,
        **fields,
    )
    Credential.objects.filter(connection=connection).update(changed_at=now - 2 * DAY)
    return Connection.objects.select_related("connector", "credential").get(pk=connection.pk)


@pytest.mark.parametrize(
    ("fields", "of"),
    [
        ({}, None),
        ({"refresh_ends": 6 * DAY}, "renewal"),
        ({"refresh_ends": 8 * DAY}, None),
        ({"refresh_token": "", "ends": 6 * DAY}, "credential"),
        ({"refresh_token": "", "ends": 8 * DAY}, None),
        ({"refresh_token": "", "ends": DAY, "state": "reauthorization_required"}, None),
    ],
)
def test_an_end_is_told_a_week_ahead(connector, ann, fields, of):
    expiry = find_expiry(make(connector, ann, **fields))

    assert (expiry.of if expiry else None) == of


def test_the_connection_page_and_home_say_when_an_account_ends(client, connector, ann):
    connection = make(connector, ann, refresh_token="", ends=2 * DAY)
    client.force_login(ann)

    for address in ("/", f"/connections/{connection.pk}/", "/connections/"):
        page = client.get(address).content.decode()
        assert "Ends soon" in page
        assert "the service offers no renewal" in page


def test_the_pages_say_until_when_an_account_can_be_renewed(client, connector, ann):
    connection = make(connector, ann, refresh_ends=3 * DAY)
    client.force_login(ann)

    for address in ("/", f"/connections/{connection.pk}/", "/connections/"):
        page = client.get(address).content.decode()
        assert "The service lets this sign-in be renewed until" in page
        assert f"/connections/{connection.pk}/reconnect/" in page


def test_the_console_says_that_a_renewal_was_interrupted(client, connector, ann):
    connection = make(connector, ann, state="reauthorization_required")
    connection.refresh_lease.failure = "refresh_interrupted"
    connection.refresh_lease.save()
    client.force_login(ann)

    assert "this console was interrupted" in client.get(f"/connections/{connection.pk}/").content.decode()


def test_one_letter_a_day_names_all_accounts_that_need_their_owner(connector, ann):
    make(connector, ann, alias="one", state="reauthorization_required")
    make(connector, ann, alias="two", refresh_ends=2 * DAY)
    make(connector, ann, alias="fine")

    assert notify_owners() == 1
    assert notify_owners() == 0

    letter = mail.outbox[0]
    assert letter.to == ["ann@example.com"]
    assert "Notebook · one: does not work any more" in letter.body
    assert "Notebook · two: works until" in letter.body
    assert "fine" not in letter.body
    assert letter.body.endswith("/connections/")

    Connection.objects.update(noticed_at=timezone.now() - DAY)
    assert notify_owners() == 1


def test_nobody_is_written_to_without_need_address_or_server(connector, ann, settings):
    make(connector, make_user("bob"), state="reauthorization_required")
    make(connector, make_user("eve", email="eve@example.com", is_active=False), state="reauthorization_required")
    make(connector, ann)
    assert notify_owners() == 0

    Connection.objects.update(state="reauthorization_required")
    settings.MAIL_FROM = ""
    assert notify_owners() == 0


def test_an_account_that_only_ever_lives_for_hours_is_no_news(connector, ann):
    make(connector, ann, refresh_token="")
    Credential.objects.update(changed_at=timezone.now())

    assert notify_owners() == 0


def test_a_withdrawn_connector_is_not_its_owners_to_mend(connector, ann):
    make(connector, ann, state="reauthorization_required")
    connector.status = "disabled"
    connector.save()

    assert notify_owners() == 0


def test_a_mail_server_that_is_down_costs_the_letter_only(connector, ann, settings):
    smtp = "django.core.mail.backends.smtp.EmailBackend"
    settings.MAILERS = {"default": {"BACKEND": smtp, "OPTIONS": {"host": "127.0.0.1", "port": 1}}}
    make(connector, ann, state="reauthorization_required")

    assert notify_owners() == 0
