"""The authorization code flow as a person goes it: away with PKCE, back once, saved when it is proved."""

import logging
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.urls import reverse

from connectors.authorization.credentials import open_credential
from connectors.authorization.models import AuthorizationSession, Connection
from connectors.authorization.oauth_grant import open_grant
from connectors.vault.secret import Secret
from tests.builders.oauth import (
    SECRET,
    describe_resource,
    guarded,
    make_oauth_connector,
    mcp_discovery,
    oauth_options,
    static_discovery,
)
from tests.builders.people import make_user
from tests.fakes.authorization_server import ACCESS, REFRESH, AuthorizationServer

pytestmark = pytest.mark.django_db
CALLBACK = "/api/v1/connectors/oauth/callback"


@pytest.fixture
def issuer():
    with AuthorizationServer() as running:
        yield running


@pytest.fixture
def server(issuer):
    with guarded() as running:
        describe_resource(running, issuer)
        yield running


@pytest.fixture
def ann(client):
    person = make_user("ann")
    client.force_login(person)
    return person


def leave(client, connector, **fields):
    """Press Connect and return the address of the service."""
    page = client.post(reverse("console:connect", args=[connector.key]), fields)
    assert page.status_code == 200, page.content.decode()
    return page.context["url"]


def come_back(client, answer):
    """Return the page a person ends on."""
    return client.get(CALLBACK, answer, follow=True)


def asked(url):
    return dict(parse_qsl(urlsplit(url).query))


def test_an_account_is_connected_through_discovery(client, ann, server, issuer):
    connector = make_oauth_connector(server, oauth_options(mcp_discovery(issuer)))

    url = leave(client, connector)
    page = come_back(client, issuer.consent(url))

    connection = Connection.objects.get(person=ann)
    assert page.redirect_chain[-1][0] == reverse("console:connection", args=[connection.pk])
    assert (connection.state, connection.granted_scopes) == ("active", ["records.read"])
    assert open_credential(connection) == {"access_token": Secret(ACCESS), "refresh_token": Secret(REFRESH)}
    assert connection.credential.expires_at is not None
    grant = open_grant(connection.credential)
    assert (grant.issuer, grant.client_id, grant.resource) == (issuer.issuer, "console", server.url)
    assert grant.revocation_endpoint == f"{issuer.issuer}/revoke"


def test_both_requests_carry_pkce_and_the_resource(client, ann, server, issuer):
    connector = make_oauth_connector(server, oauth_options(mcp_discovery(issuer)))

    url = leave(client, connector)
    come_back(client, issuer.consent(url))

    first, second = asked(url), issuer.tokens[0]
    assert (first["code_challenge_method"], len(first["code_challenge"])) == ("S256", 43)
    assert first["redirect_uri"] == second["redirect_uri"]
    assert first["redirect_uri"].endswith(CALLBACK)
    assert first["resource"] == second["resource"] == server.url
    assert len(first["state"]) >= 43
    assert "client_secret" not in first


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post", "none"])
def test_a_client_proves_itself_as_the_package_says(client, ann, server, issuer, method):
    connector = make_oauth_connector(server, oauth_options(static_discovery(issuer), method=method))

    come_back(client, issuer.consent(leave(client, connector)))

    assert Connection.objects.filter(person=ann, state="active").exists()
    form, headers = issuer.tokens[0], issuer.token_headers[0]
    assert headers.get("Authorization", "").startswith("Basic ") == (method == "client_secret_basic")
    assert (form.get("client_secret") == SECRET) == (method == "client_secret_post")


def test_static_endpoints_are_used_as_they_stand(client, ann, server, issuer):
    discovery = static_discovery(issuer, resource="https://records.example.com")
    url = leave(client, make_oauth_connector(server, oauth_options(discovery)))

    come_back(client, issuer.consent(url))

    assert asked(url)["prompt"] == "select_account"
    assert issuer.tokens[0]["resource"] == "https://records.example.com"
    assert not issuer.hits[f"/.well-known/oauth-authorization-server{issuer.path}"]


def test_a_scope_that_was_not_granted_is_named_with_who_can_add_it(client, ann, server, issuer):
    issuer.token_answer = {"scope": "records.read"}
    options = oauth_options(mcp_discovery(issuer), scopes=["records.read", "records.write", "offline_access"])

    page = come_back(client, issuer.consent(leave(client, make_oauth_connector(server, options))))

    connection = Connection.objects.get(person=ann)
    assert (connection.state, connection.missing_scopes) == ("insufficient_scope", ["records.write"])
    text = page.content.decode()
    assert "records.write" in text
    assert "whoever manages the account there" in text
    assert reverse("console:reconnect", args=[connection.pk]) in text


def test_granting_more_asks_for_consent_again_and_mends_it(client, ann, server, issuer):
    issuer.token_answer = {"scope": "records.read"}
    options = oauth_options(mcp_discovery(issuer), scopes=["records.read", "records.write"])
    first = leave(client, make_oauth_connector(server, options))
    page = come_back(client, issuer.consent(first))
    connection = Connection.objects.get(person=ann)
    assert "Grant more scopes" in page.content.decode()
    assert connection.toolset.tools  # what it may do, it may do

    issuer.token_answer = {}
    again = client.post(reverse("console:reconnect", args=[connection.pk])).context["url"]
    come_back(client, issuer.consent(again))

    assert ("prompt" in asked(first), asked(again)["prompt"]) == (False, "consent")
    assert Connection.objects.get().state == "active"


def test_what_is_told_of_a_person_is_no_missing_permission(client, ann, server, issuer):
    issuer.token_answer = {"scope": "records.read"}
    options = oauth_options(mcp_discovery(issuer), scopes=["openid", "email", "records.read"])

    come_back(client, issuer.consent(leave(client, make_oauth_connector(server, options))))

    assert Connection.objects.get(person=ann).state == "active"


def test_a_token_that_the_server_does_not_take_saves_nothing(client, ann, server, issuer):
    server.knobs.key = ("Authorization", "Bearer another")

    page = come_back(
        client, issuer.consent(leave(client, make_oauth_connector(server, oauth_options(mcp_discovery(issuer)))))
    )

    assert "It stopped at: Authorization" in page.content.decode()
    assert not Connection.objects.exists()


@pytest.mark.parametrize(
    "case",
    [("records.read", "Begin again and allow it"), ("records.admin", "which this package does not ask for")],
)
def test_a_server_that_wants_another_scope_is_told_with_who_can_mend_it(client, ann, server, issuer, case):
    scope, words = case
    url = leave(client, make_oauth_connector(server, oauth_options(mcp_discovery(issuer))))
    server.knobs.forbid = True
    server.knobs.challenge = f'Bearer error="insufficient_scope", scope="{scope}"'

    page = come_back(client, issuer.consent(url)).content.decode()

    assert scope in page
    assert words in page
    assert not Connection.objects.exists()


def test_reconnecting_keeps_the_connection_and_its_alias(client, ann, server, issuer):
    connector = make_oauth_connector(server, oauth_options(mcp_discovery(issuer)), policy="multiple_per_user")
    come_back(client, issuer.consent(leave(client, connector, **{"connection-alias": "work"})))
    first = Connection.objects.get()

    page = client.post(reverse("console:reconnect", args=[first.pk]))
    come_back(client, issuer.consent(page.context["url"]))

    again = Connection.objects.get()
    assert (again.pk, again.alias, again.grant_revision) == (first.pk, "work", 2)
    assert again.credential.version == 2


def test_no_secret_is_on_a_page_in_a_log_or_plain_in_the_database(client, ann, server, issuer, caplog):
    caplog.set_level(logging.DEBUG)
    connector = make_oauth_connector(server, oauth_options(mcp_discovery(issuer)))
    url = leave(client, connector)
    answer = issuer.consent(url)
    session = AuthorizationSession.objects.get()
    assert session.state_digest != answer["state"]
    assert answer["state"] not in str(AuthorizationSession.objects.values())

    page = come_back(client, answer)

    verifier = issuer.tokens[0]["code_verifier"]
    told = page.content.decode() + caplog.text + str(list(AuthorizationSession.objects.values()))
    for canary in (ACCESS, REFRESH, SECRET, verifier, answer["code"]):
        assert canary not in told
    assert AuthorizationSession.objects.get().sealed is None
