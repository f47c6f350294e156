"""Every address × everybody: nobody, a user, an auditor, an administrator. An address that is not listed fails."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from connectors.audit.models import AdminEvent, SavedView
from connectors.audit.recording import record_admin_event
from connectors.authorization.models import AuthorizationSession
from connectors.gateway.models import Run
from connectors.ledger.models import Review
from connectors.ledger.review import start_review
from connectors.lifecycle.models import RemovalJob
from connectors.packages.models import StagedPackage
from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_administrator, make_auditor, make_team, make_user

pytestmark = pytest.mark.django_db

USER, AUDITOR, ADMINISTRATOR = "user", "auditor", "administrator"
ROLES = {USER: make_user, AUDITOR: make_auditor, ADMINISTRATOR: make_administrator}


def words(text: str) -> list[str]:
    return text.split()


# Without a session; they hold nothing of anybody's.
OPEN = words("""
livez readyz manifest_schema oauth_client oauth_callback console:preferences console:welcome account_login
account_logout account_inactive
""")
# The sign-in library has them, we do not: nothing here goes by mail, and nobody signs up.
NOT_OFFERED = words("""
not_offered account_signup account_email_verification_sent account_confirm_email account_reset_password
account_reset_password_done account_reset_password_from_key account_reset_password_from_key_done
account_confirm_login_code account_request_reauthentication_code account_confirm_reauthentication_code account_email
""")
# Everybody who is signed in, each their own.
PERSON = words("""
console:welcome_password console:icon console:home console:catalogue console:catalogue_connector
console:connect console:connections console:connections_csv console:authorization_lost console:agents console:agent_create console:my_calls
console:my_decisions console:unused console:notices console:notices_mail account_reauthenticate
account_change_password account_set_password
""")
# Things of a person; another's do not exist, whoever asks.
OWN = words("""
console:connection console:reconnect console:connection_check console:connection_open console:disconnect
console:connection_avatar
console:authorization console:authorization_take console:authorization_cancel console:agent console:agent_retire
console:token_create console:token_revoke console:grant console:view_rename console:view_delete
""")
RECORDS = ["console:call", "console:decision", "console:run"]
RECORD_ACTS = ["console:call_content"]
AUDIT = words("""
console:audit_calls console:audit_decisions console:admin_events console:event console:log_export console:view_save
console:verify console:verify_run console:verify_head
""")
MANAGE = words("""
console:ledger console:ledger_csv console:connector_ledger console:connector_entry console:connector_checklist
console:connector_disposition console:connector_probe console:connector_ask_narrowing console:reviews console:review
console:review_line console:review_finish console:review_report console:review_csv console:digest_webhook
console:digest_webhook_remove console:digest_webhook_test
console:health console:connector_list console:install console:example_package console:connector_overview
console:connector_configuration console:connector_tools console:connector_visibility console:connector_publish
console:connector_disable console:connector_test console:people console:person_create console:person
console:person_active console:person_link console:teams console:team_create console:team console:team_delete
console:connector_versions console:connector_update console:connector_drain console:connector_drain_cancel
console:connector_drain_end_run console:connector_drain_end_runs
console:connector_remove console:removal console:version_roll_back console:version_roll_back_test
""")
MANAGE += words("""
console:connector_calls console:connector_capture
console:categories console:category console:category_merge console:category_separate console:category_order
console:connector_category console:connector_bulk console:connector_order console:view_as console:view_as_catalogue
console:view_as_connector console:connector_connections console:connector_skills
""")
# What is in a package version comes from its archive, which these rows have none of.
ARCHIVES = ["console:connector_version", "console:version_archive"]
STAGED = words("""
console:install_preview console:install_configure console:install_commit console:install_test
console:connector_update_decide console:connector_update_test
""")
LISTED = [*OPEN, *NOT_OFFERED, *PERSON, *OWN, *RECORDS, *RECORD_ACTS, *AUDIT, *MANAGE, *ARCHIVES, *STAGED]


def all_routes(patterns: list[Any] | None = None, namespace: str = "") -> Iterator[tuple[str, URLPattern]]:
    for entry in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from all_routes(entry.url_patterns, inner)
        else:
            yield f"{namespace}{entry.name}", entry


ROUTES = dict(all_routes())


@dataclass
class Stranger:
    """Somebody else, who has one of everything; `arguments` fills an address with it."""

    arguments: dict[str, Any]

    def address(self, route: str) -> str:
        if route == "not_offered":
            return "/accounts/password/reset/anything/"
        names = ROUTES[route].pattern.regex.groupindex
        return reverse(route, kwargs={name: self.arguments[name] for name in names})


@pytest.fixture
def stranger() -> Stranger:
    person = make_user("stranger")
    connector = make_connector("ledger")
    connection = make_connection(person, connector)
    agent, _text = make_agent(person)
    make_grant(agent, connection)
    run = Run.objects.create(agent=agent, person=person, idle_ends_at=timezone.now())
    staged = StagedPackage.objects.create(
        owner=make_administrator(), file_name="a.zip", size=1, archive_sha256="a" * 64, object_key="nowhere"
    )
    return Stranger(
        {
            "key": "ledger",
            "version": "1.0.0",
            "removal_id": RemovalJob.objects.create(connector_id=uuid.uuid4(), connector_key="gone").pk,
            "category_key": "productivity",
            "token": "not-a-token",
            "digest": "0" * 64,
            "staged_id": staged.pk,
            "person_id": person.pk,
            "team_id": make_team("Others", person).pk,
            "connection_id": connection.pk,
            "agent_id": agent.pk,
            "token_id": agent.tokens.get().pk,
            "session_id": make_session(person, connector).pk,
            "call_id": make_call(person, agent=agent, connection=connection).pk,
            "decision_id": make_decision(person, agent=agent, connection=connection).pk,
            "uidb36": "1",
            "log": "calls",
            "view_id": SavedView.objects.create(owner=person, log="my_calls", name="Mine").pk,
            "event_id": record_something().pk,
            "run_id": run.pk,
            "review_id": make_review(connector).pk,
            "position": 1,
        }
    )


def record_something() -> AdminEvent:
    with transaction.atomic():
        return record_admin_event(actor=None, act="grant_set", target_kind="grant", target_id="1", target_name="Robot")


def make_review(connector: Any) -> Review:
    names = {connector.pk: "Ledger"}
    return start_review(connectors=[connector], names=names, actor=make_administrator())


def make_session(person: Any, connector: Any) -> AuthorizationSession:
    return AuthorizationSession.objects.create(
        state_digest=uuid.uuid4().hex * 2,
        browser_digest="b" * 64,
        person=person,
        connector=connector,
        configuration_revision=connector.configuration_revision,
        version_id=connector.version_id,
        expires_at=timezone.now() + timedelta(minutes=5),
    )


class Visit:
    """One visitor's answers to GET and POST at every address of a list."""

    def __init__(self, stranger: Stranger, role: str = "", **options: Any) -> None:
        self.client = Client(raise_request_exception=False, **options)
        self.stranger = stranger
        if role:
            self.client.force_login(ROLES[role](password="a long enough sentence"))

    def statuses(self, routes: list[str], *methods: str) -> dict[str, set[str]]:
        """What each address answered: a status, or `sign-in`."""
        return {
            route: {
                self._tell(getattr(self.client, method)(self.stranger.address(route)))
                for method in methods or ("get", "post")
            }
            for route in routes
        }

    @staticmethod
    def _tell(answer: Any) -> str:
        asks = answer.status_code == 302 and answer.url.startswith(f"{reverse('account_login')}?")
        return "sign-in" if asks else str(answer.status_code)


def outside(statuses: dict[str, set[str]], within: set[str], needed: str = "") -> dict[str, set[str]]:
    """The addresses that answered otherwise than they may."""
    return {
        route: found for route, found in statuses.items() if not found <= within or (needed and needed not in found)
    }


def test_every_address_is_listed_once():
    assert sorted(ROUTES) == sorted(LISTED)


def test_nobody_is_asked_to_sign_in_and_learns_nothing_else(stranger):
    routes = [route for route in LISTED if route not in {*OPEN, *NOT_OFFERED}]
    assert not outside(Visit(stranger).statuses(routes), {"sign-in"})


def test_what_is_open_answers_nobody_without_a_crash(stranger):
    assert not outside(Visit(stranger).statuses(OPEN), {"200", "302", "403", "404", "405", "sign-in"})


@pytest.mark.parametrize("role", ["", *ROLES])
def test_what_is_not_offered_is_not_there(stranger, role):
    assert not outside(Visit(stranger, role).statuses(NOT_OFFERED), {"404"})


@pytest.mark.parametrize("role", ROLES)
def test_whoever_is_signed_in_gets_their_own_pages(stranger, role):
    found = Visit(stranger, role).statuses(PERSON)
    assert not outside(found, {"200", "302", "404", "405", "409", "422", "429"})


@pytest.mark.parametrize("role", ROLES)
def test_what_is_anothers_does_not_exist_for_anybody(stranger, role):
    assert not outside(Visit(stranger, role).statuses(OWN), {"404", "405"}, "404")


@pytest.mark.parametrize("role", ROLES)
def test_anothers_row_of_the_log_is_for_who_may_audit(stranger, role):
    expected = "404" if role == USER else "200"
    visit = Visit(stranger, role)
    assert not outside(visit.statuses(RECORDS, "get"), {expected})
    assert not outside(visit.statuses(RECORD_ACTS, "post"), {expected})


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("routes", "allowed"), [(AUDIT, {AUDITOR, ADMINISTRATOR}), (MANAGE, {ADMINISTRATOR})])
def test_a_screen_for_some_is_refused_to_others(stranger, routes, allowed, role):
    found = Visit(stranger, role).statuses(routes)
    if role in allowed:
        assert not outside(found, {"200", "302", "405", "409", "422"})
    else:
        assert not outside(found, {"403", "405"}, "403")


@pytest.mark.parametrize("role", ROLES)
def test_an_archive_is_for_administrators_and_told_when_it_is_missing(stranger, role):
    expected = "502" if role == ADMINISTRATOR else "403"
    assert not outside(Visit(stranger, role).statuses(ARCHIVES), {expected, "405"}, expected)


@pytest.mark.parametrize("role", ROLES)
def test_anothers_upload_does_not_exist_even_for_an_administrator(stranger, role):
    expected = "404" if role == ADMINISTRATOR else "403"
    assert not outside(Visit(stranger, role).statuses(STAGED), {expected, "405"}, expected)


def test_a_form_from_another_site_does_nothing_anywhere(stranger):
    found = Visit(stranger, ADMINISTRATOR, enforce_csrf_checks=True).statuses(LISTED, "post")
    assert not outside(found, {"403", "405"})
