"""Who we are at an authorization server: configured, described by a document, or registered."""

from datetime import timedelta
from functools import partial
from itertools import count

import pytest
from django.urls import reverse
from django.utils import timezone

from connectors.authorization.client_registration import is_public_https, redirect_uri
from connectors.authorization.models import AuthorizationSession, Connection, RegisteredClient
from connectors.authorization.oauth_grant import open_grant
from connectors.catalogue.models import Connector
from tests.builders.booking import install
from tests.builders.oauth import describe_resource, guarded, make_oauth_connector, mcp_discovery, oauth_options
from tests.builders.packages import PROGRAM_AUTH, build_oauth_manifest, build_package, build_program_manifest
from tests.builders.people import make_administrator, make_user
from tests.fakes.authorization_server import AuthorizationServer, as_json

pytestmark = pytest.mark.django_db
CALLBACK = "/api/v1/connectors/oauth/callback"
DOCUMENT = "/api/v1/connectors/oauth/client.json"
SECRET = "canary-registered-77aa"
NUMBERS = count(1)


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


def press(client, connector):
    return client.post(reverse("console:connect", args=[connector.key]))


def unregistered(server, issuer, **changes):
    return make_oauth_connector(server, oauth_options(mcp_discovery(issuer), **changes), client_id="")


def test_without_a_client_id_the_console_registers_itself_once(client, ann, server, issuer):
    issuer.registration_answer = {"client_secret": SECRET, "token_endpoint_auth_method": "client_secret_basic"}
    connector = unregistered(server, issuer)

    press(client, connector)
    client.get(CALLBACK, issuer.consent(press(client, connector).context["url"]))

    assert len(issuer.registrations) == 1
    wish = issuer.registrations[0]
    assert (wish["redirect_uris"], wish["response_types"]) == ([redirect_uri()], ["code"])
    assert wish["grant_types"] == ["authorization_code", "refresh_token"]
    assert issuer.token_headers[0]["Authorization"].startswith("Basic ")
    grant = open_grant(Connection.objects.get().credential)
    assert (grant.client_id, grant.auth_method) == ("registered-1", "client_secret_basic")


def test_what_was_registered_is_sealed_and_kept_for_its_issuer_alone(client, ann, server, issuer):
    issuer.registration_answer = {"client_secret": SECRET}
    press(client, unregistered(server, issuer))
    row = RegisteredClient.objects.get()
    assert row.issuer == issuer.issuer
    assert SECRET not in str([*RegisteredClient.objects.values(), *AuthorizationSession.objects.values()])
    with AuthorizationServer(path="/elsewhere") as other, guarded() as guarded_elsewhere:
        describe_resource(guarded_elsewhere, other)
        options = oauth_options(mcp_discovery(other))
        press(client, make_oauth_connector(guarded_elsewhere, options, client_id="", key="other"))
        assert len(other.registrations) == 1
    assert RegisteredClient.objects.count() == 2


def test_an_expired_registration_is_made_anew(client, ann, server, issuer):
    connector = unregistered(server, issuer)
    press(client, connector)
    RegisteredClient.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    press(client, connector)
    assert RegisteredClient.objects.get().client_id == "registered-2"


@pytest.mark.parametrize(
    "answer", [as_json({"error": "x"}, 400), (201, {}, b"<html>"), as_json({}, 201), (500, {}, b"")]
)
def test_a_registration_that_fails_says_who_can_mend_it(client, ann, server, issuer, answer):
    issuer.pages = {f"{issuer.path}/register": answer}
    page = press(client, unregistered(server, issuer))
    assert page.status_code == 422
    assert "An administrator has to register it there" in page.content.decode()


def test_without_any_way_to_be_a_client_the_callback_address_is_named(client, ann, server, issuer):
    issuer.metadata = {"registration_endpoint": None}
    page = press(client, unregistered(server, issuer)).content.decode()
    assert "is not registered at" in page
    assert redirect_uri() in page


def test_a_confidential_client_without_its_secret_goes_nowhere(client, ann, server, issuer):
    connector = make_oauth_connector(server, oauth_options(mcp_discovery(issuer)))
    connector.secrets.all().delete()
    page = press(client, connector)
    assert page.status_code == 422
    assert "client_secret" in page.content.decode()


def test_registering_does_not_change_what_connections_are_granted_for(client, ann, server, issuer):
    connector = unregistered(server, issuer)
    press(client, connector)
    assert Connector.objects.get(pk=connector.pk).authorization_fingerprint == connector.authorization_fingerprint


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("https://connectors.example.com", True),
        ("http://connectors.example.com", False),
        ("https://localhost", False),
        ("https://console.internal", False),
        ("https://10.0.0.1", False),
        ("https://127.0.0.1:8000", False),
        ("https://intranet", False),
    ],
)
def test_a_document_is_offered_only_where_others_can_fetch_it(url, public, settings, client):
    settings.BACKEND_URL = url
    assert is_public_https(url) == public
    assert client.get(DOCUMENT).status_code == (200 if public else 404)


def test_a_server_that_reads_documents_is_told_our_address(client, ann, server, issuer, settings):
    settings.BACKEND_URL = "https://connectors.example.com"
    issuer.metadata = {"client_id_metadata_document_supported": True}

    page = press(client, unregistered(server, issuer))

    document = client.get(DOCUMENT).json()
    assert document["client_id"] == f"https://connectors.example.com{DOCUMENT}"
    assert document["redirect_uris"] == [f"https://connectors.example.com{CALLBACK}"]
    assert document["token_endpoint_auth_method"] == "none"
    assert "client_id=https%3A%2F%2Fconnectors.example.com" in page.context["url"]
    assert not issuer.registrations


def test_the_callback_address_is_shown_with_a_copy_button_where_a_client_id_is_asked(client, server, issuer):
    client.force_login(make_administrator())
    connector = make_oauth_connector(server, oauth_options(mcp_discovery(issuer)))
    page = client.get(reverse("console:connector_configuration", args=[connector.key])).content.decode()
    assert f'data-copy="{redirect_uri()}"' in page


def test_installing_and_updating_show_it_too(client, tmp_path):
    """A program that signs in by redirect asks for a client of its own, and is shown it as well."""
    client.force_login(make_administrator())
    redirect = {**PROGRAM_AUTH, "interaction": "redirect"}
    for build in (build_oauth_manifest, partial(build_program_manifest, auth=redirect)):
        archive = build_package(tmp_path / "package.zip", manifest=build(key=f"k{next(NUMBERS)}"))
        preview = upload(client, reverse("console:install"), archive)
        assert f'data-copy="{redirect_uri()}"' in client.get(f"{preview}configure/").content.decode()

    older, newer = (
        build_package(tmp_path / f"{version}.zip", manifest=build_oauth_manifest(key="moving", package_version=version))
        for version in ("1.0.0", "1.1.0")
    )
    configuration = {"endpoint": "https://a.example", "client_id": "console", "client_secret": "s"}
    install(older, configuration)
    decide = upload(client, reverse("console:connector_update", args=["moving"]), newer)
    assert f'data-copy="{redirect_uri()}"' in client.get(decide).content.decode()


def upload(client, address, archive):
    with archive.open("rb") as file:
        answer = client.post(address, {"package": file})
    assert answer.status_code == 302, answer.content.decode()
    return answer.url
