"""No page that a person opens in Chinese falls back to an English text of ours."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from bs4 import BeautifulSoup, Tag
from django.conf import settings
from django.db import transaction
from django.test import Client, override_settings
from django.urls import URLPattern, reverse
from django.utils import timezone

from connectors.access.models import User
from connectors.audit.models import AdminEvent, CallRecord
from connectors.audit.recording import record_admin_event
from connectors.authorization.models import AuthorizationSession, Connection
from connectors.console.acts import ACTS, FIELDS
from connectors.console.denials import RULES
from connectors.console.urls import urlpatterns
from connectors.gateway.models import Run
from connectors.lifecycle.models import Drain, RemovalJob
from connectors.management.messages import read_catalog
from tests.builders.connectors import (
    make_agent,
    make_connection,
    make_connector,
    make_grant,
    make_manifest,
    make_version,
)
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_administrator, make_team, make_user
from tests.builders.runs import make_run

pytestmark = pytest.mark.django_db

# A phrase this long is no coincidence; single words and shorter texts count when they stand alone.
PHRASE = re.compile(r"(?=.{13}).*\w \w", re.DOTALL)
PLACEHOLDER = re.compile(r"%%\w+%%|%\(\w+\)[sd]|\{\w+\}|<[^>]+>")
# A new tool, for the page of a change of version.
RISKIER = [{"tool": "purge", "effect": "destructive", "retry": "never", "confirmation": "user_required"}]
SPOKEN = {"title", "alt", "placeholder", "label", "aria-label", "aria-description", "aria-valuetext"}
CODE = ["code", "pre", "kbd", "script", "style", "svg"]


class English:
    """Whole texts, and pieces of texts between their placeholders, that Chinese says otherwise."""

    def __init__(self, catalog: Catalog) -> None:
        self._whole: set[str] = set()
        self._pieces: set[str] = set()
        self._known: dict[str, bool] = {}  # every page says the navigation again
        for message in catalog:
            ids = message.id if isinstance(message.id, tuple | list) else (message.id,)
            texts = message.string if isinstance(message.string, tuple | list) else (message.string,)
            for text in {*map(str, ids)} - {*map(str, texts)}:
                self._whole.add(text)
                self._pieces |= {piece.strip() for piece in PLACEHOLDER.split(text) if PHRASE.match(piece.strip())}

    def is_in(self, text: str) -> bool:
        if text not in self._known:
            self._known[text] = text in self._whole or any(piece in text for piece in self._pieces)
        return self._known[text]


@pytest.fixture(scope="module", autouse=True)
def english(tmp_path_factory: pytest.TempPathFactory) -> Iterator[English]:
    """Texts as the catalogue has them now, whether or not somebody has compiled it."""
    folder = tmp_path_factory.mktemp("locale")
    file = folder / "zh_Hans" / "LC_MESSAGES" / "django.mo"
    file.parent.mkdir(parents=True)
    catalog = read_catalog(settings.BASE_DIR)
    with file.open("wb") as target:
        write_mo(target, catalog)
    with override_settings(LOCALE_PATHS=[folder]):
        yield English(catalog)


def client_of(person: User, language: str = "zh-hans") -> Client:
    person.language = language
    person.save()
    client = Client()
    client.force_login(person)
    return client


def words_of(html: str) -> set[str]:
    """What a page says, aloud or in sight: its text without code, and the attributes that hold words."""
    page = BeautifulSoup(html, "html.parser")
    for code in page.find_all(CODE):
        code.decompose()
    said = {" ".join(text.split()) for text in page.find_all(string=True)}
    for tag in page.find_all(True):
        assert isinstance(tag, Tag)
        said |= {str(value) for name, value in tag.attrs.items() if name in SPOKEN or name.startswith("data-")}
    return said - {""}


def leftovers(html: str, english: English) -> set[str]:
    return {text for text in words_of(html) if english.is_in(text)}


def make_keyed(person: User) -> list[Connection]:
    """A connector of which the person has an account in each state."""
    other = make_user("mei", is_active=False)
    keyed = make_connector("keyed", static=True, policy="multiple_per_user", teams=[make_team("team", other)])
    return [
        make_connection(person, keyed, alias=f"a {state}", values={"token": "t"}, state=state, granted_scopes=["a"])
        for state in ("active", "reauthorization_required", "insufficient_scope", "unreachable", "disconnecting")
    ]


def populate(person: User) -> dict[str, Any]:
    """Something of everything, in each of its states; what the console's addresses need, by the names they use."""
    connections = make_keyed(person)
    other = User.objects.get(username="mei")
    open_one = make_connector("open", published=False, secrets={"endpoint": "s"})
    agent, _token = make_agent(person, "robot")
    idle, _token = make_agent(person, "idle")
    make_connection(person, open_one)
    make_grant(agent, connections[0], breadth="some", tools=["search_notes"], access="read_only")
    make_grant(idle, connections[0])
    run = Run.objects.create(agent=agent, person=person, origin="scheduled", idle_ends_at="2030-01-01T00:00Z")
    subject = {"agent": agent, "connection": connections[0], "run_id": run.pk, "origin": "scheduled"}
    decisions = [
        make_decision(person, allowed=rule in {"granted", "unattended"}, rule=rule, **subject) for rule in RULES
    ]
    calls = [
        make_call(person, decision=decisions[0], outcome=outcome, effect=effect, error_code="timeout", **subject)
        for outcome, effect in zip(CallRecord.Outcome.values, ("read", "write", "destructive", "unknown"), strict=True)
    ]
    with transaction.atomic():
        for act in ACTS:
            target = {"target_kind": "connector", "target_id": "1", "target_name": "keyed"}
            record_admin_event(actor=person, act=act, before={}, after=dict.fromkeys(FIELDS, 1), **target)
    return {
        "key": "keyed",
        "version": make_version(make_manifest("keyed", version="2.0.0", static=True, rules=RISKIER)).version,
        "removal_id": RemovalJob.objects.create(connector_id=uuid4(), connector_key="gone", stage="cleaning").pk,
        "person_id": other.pk,
        "team_id": other.teams.get().pk,
        "token": "no-such-token",
        "agent_id": agent.pk,
        "token_id": agent.tokens.get().pk,
        "connection_id": connections[0].pk,
        "call_id": calls[-1].pk,
        "decision_id": decisions[-1].pk,
        "event_id": AdminEvent.objects.latest("at").pk,
        "run_id": Run.objects.filter(person=person).latest("started_at").pk,
    }


def stage_example(client: Client) -> str:
    """Upload the example package as its button does; return the upload's id."""
    answer = client.post(reverse("console:example_package"))
    found = re.search(r"/install/([0-9a-f-]{36})/", answer["Location"])
    assert found is not None
    return found.group(1)


def open_pages(client: Client, known: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every page of the console whose address needs no more than is known."""
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        needed = pattern.pattern.converters.keys()
        if needed <= known.keys():
            answer = client.get(reverse(f"console:{pattern.name}", kwargs={name: known[name] for name in needed}))
            if answer.status_code not in {302, 405} and answer["Content-Type"].startswith("text/html"):
                yield str(pattern.name), answer.content.decode()


def test_every_page_of_the_console_is_in_chinese(english: English) -> None:
    person = make_administrator(display_name="陈")
    client = client_of(person)
    known = populate(person) | {"staged_id": stage_example(client)}
    pages = dict(open_pages(client, known))
    assert {
        "home",
        "connector_overview",
        "install_preview",
        "grant",
        "call",
        "decision",
        "admin_events",
        "connector_calls",
        "event",
        "run",
        "verify",
        "connector_versions",
        "version_roll_back",
        "connector_remove",
        "removal",
    } <= pages.keys()
    assert {name: left for name, html in pages.items() if (left := leftovers(html, english))} == {}


def test_every_page_of_a_console_in_which_nothing_happened_yet_is_in_chinese(english: English) -> None:
    pages = dict(open_pages(client_of(make_user(display_name="陈")), {}))
    pages |= {f"{name} (administrator)": html for name, html in open_pages(client_of(make_administrator()), {})}
    assert {name: left for name, html in pages.items() if (left := leftovers(html, english))} == {}


@pytest.mark.parametrize(
    ("address", "typed"),
    [
        ("/agents/new/", {"name": ""}),
        ("/agents/new/", {"name": "\u0007", "lifetime": "12"}),
        ("/people/new/", {"username": "a b", "email": "nobody", "role": "king"}),
        ("/teams/new/", {"name": "", "more_people": "nobody"}),
        ("/preferences/", {"time_zone": "Mars/Olympus", "display_name": ""}),
        ("/install/", {}),
        ("/connectors/keyed/configuration/", {"endpoint": "no address", "revision": "0"}),
        ("/connectors/keyed/publish/", {"audience": "chosen"}),
        ("/connectors/keyed/test/", {"endpoint": "http://127.0.0.1:1/mcp"}),
        ("/catalogue/keyed/connect/", {"token": ""}),
        ("/catalogue/keyed/connect/", {"token": "t", "connection-alias": "a active"}),
        ("/accounts/password/change/", {"oldpassword": "x", "password1": "a", "password2": "b"}),
    ],
)
def test_faults_are_told_in_chinese(address: str, typed: dict[str, str], english: English) -> None:
    person = make_administrator(display_name="陈", password="a long enough sentence")
    make_keyed(person)
    page = client_of(person).post(address, typed).content.decode()
    assert re.search("[\u4e00-\u9fff]", page)
    assert leftovers(page, english) == set()


@pytest.mark.parametrize("kind", Drain.Kind.values)
@pytest.mark.parametrize("state", Drain.State.values)
def test_a_change_that_waits_is_told_in_chinese(kind: str, state: str, english: English) -> None:
    connector = make_connector("drained")
    failure = "version_not_higher" if state == "failed" else ""
    version = connector.version.version
    Drain.objects.create(
        connector=connector, kind=kind, state=state, target_version=version, failure=failure, ended_at=timezone.now()
    )
    make_run(make_agent(make_user(display_name="陈"))[0], connector)
    page = client_of(make_administrator(display_name="陈")).get("/connectors/drained/").content.decode()
    assert leftovers(page, english) == set()


@pytest.mark.parametrize("status", AuthorizationSession.Status.values)
def test_the_page_of_a_sign_in_at_a_service_is_in_chinese(status: str, english: English) -> None:
    person = make_user(display_name="陈")
    connector = make_connector()
    attempt = AuthorizationSession.objects.create(
        person=person,
        connector=connector,
        configuration_revision=1,
        authorization_fingerprint=connector.authorization_fingerprint,
        version_id=connector.version_id,
        status=status,
        outcome="token_refused" if status == "failed" else "",
        outcome_parameters={"error": "invalid_grant", "before": "mei", "after": "lei"},
        expires_at=timezone.now() + timedelta(minutes=10),
    )
    client = client_of(person)
    for address in (reverse("console:authorization", args=[attempt.pk]), reverse("console:authorization_lost")):
        page = client.get(address).content.decode()
        assert re.search("[\u4e00-\u9fff]", page)
        assert leftovers(page, english) == set()


@pytest.mark.parametrize("address", ["/accounts/login/", "/welcome/spent/", "/accounts/logout/"])
def test_the_entrance_is_in_chinese(address: str, english: English) -> None:
    client = client_of(make_user()) if "logout" in address else Client(headers={"accept-language": "zh-CN,zh;q=0.9"})
    page = client.get(address).content.decode()
    assert re.search("[\u4e00-\u9fff]", page)
    assert leftovers(page, english) == set()


def test_error_pages_are_in_chinese(english: English) -> None:
    client = client_of(make_user(display_name="陈"))
    for address in ("/nowhere/", "/connectors/", f"/calls/{uuid4()}/"):
        assert leftovers(client.get(address).content.decode(), english) == set()


def test_a_page_in_english_is_told_apart(english: English) -> None:
    page = client_of(make_user(), language="en").get("/").content.decode()
    assert {"Home", "My connections", "Nothing needs you right now."} <= leftovers(page, english)
