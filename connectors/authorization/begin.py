"""Begin signing in where the service itself does it: the address a person is sent to, and a row that waits for them.

PKCE S256 always (RFC 7636), `resource` where there is one (RFC 8707), for standard OAuth and for a package's program.
"""

import base64
import hashlib
import secrets
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from asgiref.sync import async_to_sync
from django.db import transaction

from connectors.access.models import User
from connectors.authorization.aliases import parse_alias
from connectors.authorization.authorization_server import find_server
from connectors.authorization.cancelling import bound_attempts
from connectors.authorization.client_registration import find_client, redirect_uri
from connectors.authorization.models import AuthorizationSession, Connection
from connectors.authorization.oauth_grant import OAuthGrant
from connectors.authorization.places import find_connection_place
from connectors.authorization.programs import begin_redirect
from connectors.authorization.scopes import OFFLINE
from connectors.authorization.server_metadata import S256, AuthorizationServer
from connectors.authorization.sessions import Attempt, Expected, Kept, new_state, open_attempt
from connectors.catalogue.configuration import open_configuration
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import find_visible
from connectors.catalogue.versions import manifest_of
from connectors.egress.policy import check_url
from connectors.errors import Refused
from connectors.manifest.auth import OAuthAuth, OAuthOptions
from connectors.runtime.deadline import Deadline
from connectors.vault.secret import Secret

DISCOVERY_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Departure:
    """Where the person goes now. The address carries the state: it is for this one answer and for no log."""

    session: AuthorizationSession
    authorize_url: Secret

    @property
    def host(self) -> str:
        return urlsplit(self.authorize_url.reveal()).netloc


def begin_connecting(*, person: User, connector: Connector, browser: str, alias: str = "") -> Departure:
    """Return where a person goes to connect a new account; `browser` names the browser they must come back with.

    Raises what `connect_account` raises before it asks, what discovery raises, and
    `Refused("client_id_missing" | "configuration_incomplete")`.
    """
    offered = find_visible(person, connector.key)
    alias = parse_alias(alias) if alias.strip() else ""
    find_connection_place(person, offered, alias)
    return _depart(Attempt(person, offered, browser, alias))


def begin_reconnecting(*, connection: Connection, browser: str) -> Departure:
    """Return where its owner goes to authorize a connection again; until they are back nothing changes."""
    offered = find_visible(connection.person, connection.connector.key)
    return _depart(Attempt(connection.person, offered, browser, connection.alias, connection))


def _depart(attempt: Attempt) -> Departure:
    auth = manifest_of(attempt.connector.version).auth
    if auth.interaction != "redirect":
        raise Refused("strategy_not_available", strategy=auth.strategy)
    state, verifier = new_state(), Secret(secrets.token_urlsafe(64))
    if isinstance(auth, OAuthAuth):
        url, kept, expected = _begin_oauth(attempt, auth.options, state, verifier)
    else:
        url, kept, expected = _begin_program(attempt, state, verifier)
    check_url(url.reveal())
    with transaction.atomic():
        session = open_attempt(attempt, state=state, kept=kept, expected=expected)
        bound_attempts(attempt.person)
    return Departure(session, url)


def _begin_oauth(
    attempt: Attempt, options: OAuthOptions, state: Secret, verifier: Secret
) -> tuple[Secret, Kept, Expected]:
    connector = attempt.connector
    deadline = Deadline.after(DISCOVERY_SECONDS)
    opened = open_configuration(connector)
    server = async_to_sync(find_server)(options, opened.public, deadline=deadline)
    client = find_client(connector, options, opened, server, deadline=deadline)
    grant = OAuthGrant(
        issuer=server.issuer,
        token_endpoint=server.token_endpoint,
        client_id=client.client_id,
        auth_method=client.method,
        resource=server.resource,
        revocation_endpoint=server.revocation_endpoint,
        client_secret=client.secret,
    )
    expected = Expected(server.issuer, server.names_itself, options.scopes)
    asked = _asked(server, client.client_id, options.scopes, state, challenge_of(verifier))
    if OFFLINE in options.scopes or (attempt.connection and attempt.connection.missing_scopes):
        asked["prompt"] = "consent"  # OpenID Connect Core §11; and whoever left out a scope is asked again
    url = _address(server.authorization_endpoint, asked)
    return url, Kept(verifier, grant=grant), expected


def _begin_program(attempt: Attempt, state: Secret, verifier: Secret) -> tuple[Secret, Kept, Expected]:
    begun = begin_redirect(
        attempt.connector,
        intent=attempt.intent,
        state=state,
        redirect_uri=redirect_uri(),
        code_challenge=challenge_of(verifier),
    )
    return Secret(begun.authorize_url), Kept(verifier, begun.private_context), Expected()


def challenge_of(verifier: Secret) -> str:
    """Return the S256 challenge of RFC 7636 §4.2."""
    digest = hashlib.sha256(verifier.reveal().encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _asked(
    server: AuthorizationServer, client_id: str, scopes: tuple[str, ...], state: Secret, challenge: str
) -> dict[str, str]:
    """Return the parameters of the authorization request (RFC 6749 §4.1.1)."""
    ours = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": redirect_uri(),
        "state": state.reveal(),
        "code_challenge": challenge,
        "code_challenge_method": S256,
    }
    if scopes:
        ours["scope"] = " ".join(scopes)
    if server.resource:
        ours["resource"] = server.resource
    return ours


def _address(endpoint: str, ours: dict[str, str]) -> Secret:
    """Return where a person is sent; the endpoint's own query stays, ours comes over it."""
    parts = urlsplit(endpoint)
    theirs = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] not in ours]
    return Secret(urlunsplit(parts._replace(query=urlencode([*theirs, *ours.items()]), fragment="")))
