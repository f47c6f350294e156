"""Signing in as another account, by form as by redirect: asked about, and the one turned away is revoked."""

from datetime import timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.urls import reverse
from django.utils import timezone

from connectors.authorization.complete import connect_account, reconnect_account
from connectors.authorization.credentials import open_credential
from connectors.authorization.models import AuthorizationSession, Connection, RevocationJob
from connectors.authorization.other_account import OtherAccount
from connectors.authorization.revocation_payload import ProgramRevocation, read_revocation
from connectors.authorization.session_sweep import sweep_sessions
from connectors.catalogue.models import Connector
from connectors.vault.fields import place_of
from connectors.vault.sealing import open_sealed
from connectors.vault.secret import Secret
from tests.builders.guests import TOKEN, install_guests
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db
CALLBACK = "/api/v1/connectors/oauth/callback"


@pytest.fixture
def ann(client):
    person = make_user("ann")
    client.force_login(person)
    return person


@pytest.fixture
def guests(tmp_path):
    return install_guests(tmp_path)


def connect(ann, guests, who, alias):
    return connect_account(person=ann, connector=guests, alias=alias, raw_credentials={"api_key": who})


def type_in(client, connection, who):
    return client.post(reverse("console:reconnect", args=[connection.pk]), {"api_key": who}, follow=True)


def told(page):
    return " ".join(page.content.decode().split())


def token_of(connection):
    return open_credential(Connection.objects.select_related("connector").get(pk=connection.pk))["token"].reveal()


def revoked_tokens():
    found = []
    for job in RevocationJob.objects.order_by("created_at"):
        revocation = read_revocation(open_sealed(job.sealed, place=place_of(job)))
        assert isinstance(revocation, ProgramRevocation)
        found.append(revocation.context.credential.values["token"].reveal())
    return found


def test_a_form_that_turns_out_another_account_asks_on_the_same_page_and_changes_nothing(client, ann, guests):
    connection = connect(ann, guests, "ann", "work")

    page = type_in(client, connection, "bob")

    question = AuthorizationSession.objects.get()
    assert page.redirect_chain[-1][0] == reverse("console:authorization", args=[question.pk])
    assert "You signed in as Bob; this connection is Ann" in told(page)
    assert reverse("console:authorization_take", args=[question.pk]) in told(page)
    assert TOKEN not in told(page)
    assert token_of(connection) == f"{TOKEN}ann"


def test_its_owner_may_take_it(client, ann, guests):
    connection = connect(ann, guests, "ann", "work")
    type_in(client, connection, "bob")
    question = AuthorizationSession.objects.get()

    client.post(reverse("console:authorization_take", args=[question.pk]), follow=True)

    connection.refresh_from_db()
    assert (connection.external_account_id, connection.alias, connection.grant_revision) == ("bob", "work", 2)
    assert token_of(connection) == f"{TOKEN}bob"
    assert revoked_tokens() == [f"{TOKEN}ann"]


def test_or_keep_the_one_there_was_and_the_others_credential_is_revoked(client, ann, guests):
    connection = connect(ann, guests, "ann", "work")
    type_in(client, connection, "bob")
    question = AuthorizationSession.objects.get()

    client.post(reverse("console:authorization_cancel", args=[question.pk]))

    question.refresh_from_db()
    assert (question.status, question.sealed) == ("cancelled", None)
    assert revoked_tokens() == [f"{TOKEN}bob"]
    assert RevocationJob.objects.get().account == "Bob"
    assert token_of(connection) == f"{TOKEN}ann"


def test_a_question_nobody_answers_is_over_and_the_credential_revoked(client, ann, guests):
    type_in(client, connect(ann, guests, "ann", "work"), "bob")
    AuthorizationSession.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert sweep_sessions() == 1

    question = AuthorizationSession.objects.get()
    assert (question.status, question.outcome, question.sealed) == ("failed", "authorization_expired", None)
    assert revoked_tokens() == [f"{TOKEN}bob"]
    assert sweep_sessions() == 0


def test_a_credential_another_connection_may_live_on_is_dropped_and_not_revoked(client, ann, guests):
    connect(ann, guests, "bob", "home")
    connection = connect(ann, guests, "ann", "work")
    type_in(client, connection, "bob")

    client.post(reverse("console:authorization_cancel", args=[AuthorizationSession.objects.get().pk]))

    assert revoked_tokens() == []
    assert AuthorizationSession.objects.get().sealed is None


def test_a_connector_changed_before_the_answer_ends_it_and_revokes(client, ann, guests):
    connection = connect(ann, guests, "ann", "work")
    type_in(client, connection, "bob")
    Connector.objects.update(configuration_revision=9)

    page = client.post(reverse("console:authorization_take", args=[AuthorizationSession.objects.get().pk]), follow=True)

    assert "The connector was changed" in told(page)
    assert revoked_tokens() == [f"{TOKEN}bob"]
    assert token_of(connection) == f"{TOKEN}ann"


def test_a_credential_for_another_place_than_the_connector_names_now_is_told_to_nobody(client, ann, guests):
    type_in(client, connect(ann, guests, "ann", "work"), "bob")
    Connector.objects.update(authorization_fingerprint="2" * 64)

    client.post(reverse("console:authorization_cancel", args=[AuthorizationSession.objects.get().pk]))

    assert revoked_tokens() == []
    assert AuthorizationSession.objects.get().sealed is None


def test_a_dead_account_is_asked_about_too_when_it_is_connected_anew(ann, guests):
    connection = connect(ann, guests, "ann", "work")
    Connection.objects.update(state=Connection.State.REAUTHORIZATION_REQUIRED)

    with pytest.raises(OtherAccount) as caught:
        connect(ann, guests, "bob", "work")

    assert caught.value.question.connection == connection
    assert caught.value.parameters == {"before": "Ann", "after": "Bob"}


def test_the_same_account_again_is_no_question(ann, guests):
    connection = connect(ann, guests, "ann", "work")

    reconnect_account(connection=connection, raw_credentials={"api_key": "ann"})

    assert not AuthorizationSession.objects.exists()
    assert revoked_tokens() == []  # the very same values: they are still in use


def test_a_redirect_that_cannot_be_saved_leaves_no_credential_behind(client, ann, tmp_path):
    guests = install_guests(tmp_path, interaction="redirect")
    first, second = (leave(client, guests, "work") for _ in range(2))
    come_back(client, first, "ann")

    page = come_back(client, second, "bob")

    assert "Another account of yours has the alias work" in told(page)
    assert revoked_tokens() == [f"{TOKEN}bob"]
    assert open_credential(Connection.objects.get()) == {"token": Secret(f"{TOKEN}ann")}


def test_a_redirect_turned_away_is_revoked_as_well(client, ann, tmp_path):
    guests = install_guests(tmp_path, interaction="redirect")
    come_back(client, leave(client, guests, "work"), "ann")
    again = client.post(reverse("console:reconnect", args=[Connection.objects.get().pk]))
    come_back(client, dict(parse_qsl(urlsplit(again.context["url"]).query)), "bob")

    client.post(reverse("console:authorization_cancel", args=[AuthorizationSession.objects.first().pk]))

    assert revoked_tokens() == [f"{TOKEN}bob"]


def leave(client, connector, alias):
    answer = client.post(reverse("console:connect", args=[connector.key]), {"connection-alias": alias})
    return dict(parse_qsl(urlsplit(answer.context["url"]).query))


def come_back(client, asked, code):
    return client.get(CALLBACK, {"state": asked["state"], "code": code}, follow=True)
