"""A program that signs people in by redirect: away, back, and who they turned out to be (handbook §8)."""

import json
import logging
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.urls import reverse

from connectors.authorization.credentials import open_credential
from connectors.authorization.launch import is_expected
from connectors.authorization.models import AuthorizationSession, Connection, Credential
from connectors.catalogue.installation import install_package
from connectors.catalogue.models import Connector
from connectors.catalogue.publication import publish_connector
from connectors.packages.inspection import inspect_package
from connectors.vault.secret import Secret
from tests.builders.packages import PROGRAM, PROGRAM_AUTH, build_package, build_program_manifest
from tests.builders.people import make_administrator, make_user
from tests.examples.service import serve
from tests.fakes.mcp_server import McpServer, tool

pytestmark = pytest.mark.django_db
CALLBACK = "/api/v1/connectors/oauth/callback"
STUDIO = Path("connectors/examples/packages/design-studio")
PRIVATE = "canary-private-91c2"
# Signs in whoever the code names; its tools are those of its rules.
PROVIDER = f"""
import hashlib, base64, json, sys
from urllib.parse import urlencode

request = json.load(sys.stdin)
context, operation = request["context"], request["operation"]
public = context.get("configuration", {{}}).get("public", {{}})
if operation == "authorization_identity":
    result = {{"identity": None}}
elif operation == "authorization_begin":
    names = ("state", "code_challenge", "redirect_uri", "intent")
    url = public["endpoint"] + "?" + urlencode({{name: context[name] for name in names}})
    context = {{"nonce": "{PRIVATE}", "challenge": context["code_challenge"]}}
    result = {{"type": "redirect", "authorize_url": url, "private_context": context}}
elif operation == "authorization_complete":
    given, kept = context["submission"], context["private_context"]
    digest = hashlib.sha256(given["code_verifier"].encode()).digest()
    proved = base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == kept["challenge"]
    if given["code"] == "refused" or not proved or kept["nonce"] != "{PRIVATE}":
        error = {{"code": "authorization_required", "message": "the code is spent", "retryable": False}}
        print(json.dumps({{"protocol_version": 1, "ok": False, "error": error}}))
        sys.exit(0)
    account, _, url = given["code"].partition(" ")
    result = {{
        "external_account_id": account, "external_account_name": account.title(), "granted_scopes": ["all"],
        "credential": {{"values": {{"token": "canary-token-" + account}}}},
        "public_metadata": {{"intent": context["intent"], "url": url or None}},
        "invalidates_existing_credential": True,
    }}
elif operation == "tools_discover":
    result = {{"tools": []}}
elif operation == "launch_url":
    result = {{"url": context["connection_metadata"]["url"]}}
else:
    result = {{}}
print(json.dumps({{"protocol_version": 1, "ok": True, "result": result}}))
"""


def install(archive, raw):
    actor = make_administrator()
    sha256 = inspect_package(archive).archive_sha256
    connector = install_package(archive=archive, expected_sha256=sha256, raw_configuration=raw, actor=actor)
    publish_connector(connector=connector, actor=actor)
    return Connector.objects.select_related("version").get(pk=connector.pk)


@pytest.fixture
def booking(tmp_path):
    manifest = build_program_manifest(
        key="booking",
        auth={**PROGRAM_AUTH, "interaction": "redirect"},
        program={**PROGRAM, "capabilities": ["launch_url"]},
        connection_policy="multiple_per_user",
    )
    archive = build_package(tmp_path / "booking.zip", manifest=manifest, files={"provider/main.py": PROVIDER})
    return install(archive, {"endpoint": "https://id.booking.example.com/authorize"})


@pytest.fixture
def ann(client):
    person = make_user("ann")
    client.force_login(person)
    return person


def leave(client, connector, alias="work"):
    answer = client.post(reverse("console:connect", args=[connector.key]), {"connection-alias": alias})
    assert answer.status_code == 200, answer.content.decode()
    return dict(parse_qsl(urlsplit(answer.context["url"]).query))


def leave_again(client, connection):
    answer = client.post(reverse("console:reconnect", args=[connection.pk]))
    return dict(parse_qsl(urlsplit(answer.context["url"]).query))


def come_back(client, asked, code):
    return client.get(CALLBACK, {"state": asked["state"], "code": code}, follow=True)


def connect(client, connector, code="ann", alias="work"):
    come_back(client, leave(client, connector, alias), code)
    return Connection.objects.get(alias=alias)


def told(page):
    return " ".join(page.content.decode().split())


def test_the_program_is_told_where_people_come_back_and_gets_its_context_back(client, ann, booking):
    asked = leave(client, booking)
    come_back(client, asked, "ann")
    connection = Connection.objects.get(person=ann)
    assert asked["redirect_uri"].endswith(CALLBACK)
    assert (connection.external_account_id, connection.external_account_name) == ("ann", "Ann")
    assert connection.public_metadata == {"intent": "connect", "url": None}
    assert open_credential(connection) == {"token": Secret("canary-token-ann")}


def test_its_context_and_credential_are_on_no_page_in_no_log_and_nowhere_plain(client, ann, booking, caplog):
    caplog.set_level(logging.DEBUG)
    asked = leave(client, booking)
    assert PRIVATE not in str(AuthorizationSession.objects.values())
    page = come_back(client, asked, "ann")
    everything = told(page) + caplog.text + str([*AuthorizationSession.objects.values(), *Credential.objects.values()])
    assert PRIVATE not in everything
    assert "canary-token" not in everything
    assert AuthorizationSession.objects.get().sealed is None


def test_a_refusal_of_the_program_ends_on_a_page_in_its_own_words(client, ann, booking):
    page = come_back(client, leave(client, booking), "refused")
    assert "did not accept the sign-in: the code is spent" in told(page)
    assert not Connection.objects.exists()


def test_a_cancelled_attempt_wipes_what_the_program_kept(client, ann, booking):
    leave(client, booking)
    attempt = AuthorizationSession.objects.get()
    client.post(reverse("console:authorization_cancel", args=[attempt.pk]))
    attempt.refresh_from_db()
    assert (attempt.status, attempt.sealed) == ("cancelled", None)


def test_reconnecting_says_so_and_keeps_the_connection(client, ann, booking):
    connection = connect(client, booking)
    asked = leave_again(client, connection)
    come_back(client, asked, "ann")
    connection.refresh_from_db()
    assert asked["intent"] == "reauthorize"
    assert (connection.public_metadata["intent"], connection.grant_revision) == ("reauthorize", 2)


def test_coming_back_as_another_account_is_asked_about_and_changes_nothing(client, ann, booking):
    connection = connect(client, booking)
    page = come_back(client, leave_again(client, connection), "bob")
    connection.refresh_from_db()
    assert "You signed in as Bob; this connection is Ann" in told(page)
    assert "canary-token" not in told(page)
    assert (connection.external_account_id, connection.grant_revision) == ("ann", 1)
    assert open_credential(connection) == {"token": Secret("canary-token-ann")}


def test_the_owner_may_take_the_other_account_once(client, ann, booking):
    connection = connect(client, booking)
    come_back(client, leave_again(client, connection), "bob")
    attempt = AuthorizationSession.objects.first()
    take = reverse("console:authorization_take", args=[attempt.pk])
    client.post(take, follow=True)
    connection.refresh_from_db()
    assert (connection.external_account_id, connection.alias, connection.grant_revision) == ("bob", "work", 2)
    assert open_credential(connection) == {"token": Secret("canary-token-bob")}
    assert client.post(take).status_code == 409
    connection.refresh_from_db()
    assert connection.grant_revision == 2


def test_or_keep_the_one_there_was(client, ann, booking):
    connection = connect(client, booking)
    come_back(client, leave_again(client, connection), "bob")
    attempt = AuthorizationSession.objects.first()
    answer = client.post(reverse("console:authorization_cancel", args=[attempt.pk]))
    attempt.refresh_from_db()
    assert answer.url == reverse("console:connection", args=[connection.pk])
    assert (attempt.status, attempt.sealed) == ("cancelled", None)
    assert open_credential(connection) == {"token": Secret("canary-token-ann")}


def test_a_dead_account_under_the_same_alias_is_not_silently_replaced_by_another(client, ann, booking):
    connection = connect(client, booking)
    Connection.objects.update(state=Connection.State.REAUTHORIZATION_REQUIRED)
    page = come_back(client, leave(client, booking), "bob")
    assert "That is another account" in told(page)
    assert open_credential(connection) == {"token": Secret("canary-token-ann")}


def test_a_name_taken_meanwhile_is_told_and_nothing_is_replaced(client, ann, booking):
    first, second = leave(client, booking), leave(client, booking)
    come_back(client, first, "ann")
    page = come_back(client, second, "bob")
    assert "Another account of yours has the alias work" in told(page)
    assert Connection.objects.get().external_account_id == "ann"


def test_an_alias_needed_meanwhile_is_told_as_beside_its_field(client, ann, booking):
    without = leave(client, booking, alias="")
    connect(client, booking)
    page = come_back(client, without, "bob")
    assert "You have an account here already" in told(page)


def test_a_second_account_stands_beside_the_first(client, ann, booking):
    connect(client, booking)
    connect(client, booking, code="bob", alias="home")
    accounts = Connection.objects.order_by("alias").values_list("alias", "external_account_id")
    assert list(accounts) == [("home", "bob"), ("work", "ann")]


@pytest.mark.parametrize(
    ("url", "opened"),
    [
        ("https://www.booking.example.com/a?b=c", True),
        ("https://id.booking.example.com/", True),
        ("https://evil.example.net/", False),
        ("https://booking.example.com.evil.net/", False),
        ("https://user@id.booking.example.com/", False),
        ("http://169.254.169.254/", False),
    ],
)
def test_the_service_is_opened_only_at_the_expected_site(client, ann, booking, url, opened):
    connection = connect(client, booking, code=f"ann {url}")
    answer = client.get(reverse("console:connection_open", args=[connection.pk]))
    assert answer.url == (url if opened else reverse("console:connection", args=[connection.pk]))


@pytest.mark.parametrize(
    ("url", "known", "expected"),
    [
        ("https://a.example.com.cn/", {"b.example.com.cn"}, True),
        ("https://other.com.cn/", {"b.example.com.cn"}, False),
        ("https://example.co.uk/", {"other.co.uk"}, False),
        ("https://anything.example/", set(), True),
        ("http://anything.example/", set(), False),
        ("http://127.0.0.1/", {"10.0.0.1"}, False),
    ],
)
def test_neighbours_share_a_domain_of_their_own(url, known, expected):
    assert is_expected(url, frozenset(known)) == expected


def test_another_persons_service_is_not_opened(client, ann, booking):
    connection = connect(client, booking)
    client.force_login(make_user("bob"))
    assert client.get(reverse("console:connection_open", args=[connection.pk])).status_code == 404


def test_the_mixed_example_signs_in_by_program_and_calls_a_standard_server(client, ann, tmp_path):
    files = {str(path.relative_to(STUDIO)): path.read_bytes() for path in STUDIO.rglob("*.*") if path.is_file()}
    files = {name: content for name, content in files.items() if "__pycache__" not in name}
    archive = build_package(
        tmp_path / "design-studio.zip", manifest=json.loads(files.pop("manifest.json")), files=files
    )
    with serve() as (service, url), McpServer([tool("search_designs")], key=("Authorization", "Bearer good")) as server:
        raw = {"endpoint": server.url, "base_url": url, "client_id": "console", "client_secret": "s3cret"}
        asked = leave(client, install(archive, raw), alias="")
        service.challenge = asked["code_challenge"]
        come_back(client, asked, "any")
    connection = Connection.objects.get(person=ann)
    assert (connection.state, connection.external_account_id) == ("active", "42")
    assert server.hits["tools/list"] >= 1
    assert open_credential(connection)["access_token"] == Secret("good")
