"""The rows behind going away and coming back: begun, claimed once, ended (safety §16).

    pending ──claim──> exchanging ──> done | failed | asking ──> done | cancelled
       └──> cancelled, or failed as authorization_expired

The state a service hands back is 256 random bits, kept as a digest only. What the callback needs is sealed, and wiped
when the attempt ends.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from connectors.access.models import User
from connectors.authorization.models import AuthorizationSession, Connection
from connectors.authorization.oauth_grant import OAuthGrant, read_grant, write_grant
from connectors.catalogue.locking import require_open, share_connector
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import is_visible
from connectors.errors import Conflict, ConnectorError, Fault, Invalid, NotFound, Refused
from connectors.runtime.program_context import Intent
from connectors.vault.fields import place_of
from connectors.vault.sealing import open_sealed, seal
from connectors.vault.secret import Secret

LIFETIME = timedelta(minutes=10)
Status = AuthorizationSession.Status


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a person is about to try: sign in for a new account, or for one they have."""

    person: User
    connector: Connector
    browser: str
    alias: str = ""
    connection: Connection | None = None

    @property
    def intent(self) -> Intent:
        return "reauthorize" if self.connection else "connect"


@dataclass(frozen=True, slots=True)
class Expected:
    """Who must answer: the issuer, whether it always says so (RFC 9207), and the scopes it is asked for."""

    issuer: str = ""
    names_itself: bool = False
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """What only the callback may know."""

    verifier: Secret
    private_context: Mapping[str, Secret] = field(default_factory=dict)
    grant: OAuthGrant | None = None


def new_state() -> Secret:
    """Return 256 random bits that name one attempt."""
    return Secret(secrets.token_urlsafe(32))


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def open_attempt(attempt: Attempt, *, state: Secret, kept: Kept, expected: Expected) -> AuthorizationSession:
    """Return the new row; raise when the connector was changed, withdrawn or drained while the service was asked."""
    with transaction.atomic():
        current = share_connector(attempt.connector.pk)
        require_open(current)  # a drain's end cancels what nobody has submitted
        _check_unchanged(
            current, attempt.person, attempt.connector.version_id, attempt.connector.configuration_revision
        )
        session = AuthorizationSession(
            state_digest=digest_of(state.reveal()),
            browser_digest=digest_of(attempt.browser),
            person=attempt.person,
            connector=current,
            configuration_revision=current.configuration_revision,
            authorization_fingerprint=current.authorization_fingerprint,
            version_id=current.version_id,
            intent=attempt.intent,
            alias=attempt.alias,
            connection=attempt.connection,
            endpoints={"issuer": expected.issuer, "names_itself": expected.names_itself, "scopes": expected.scopes},
            expires_at=timezone.now() + LIFETIME,
        )
        session.sealed = seal(Secret(_write(kept)), place=place_of(session))
        session.save()
    return session


def find_by_state(*, state: str, person: User, browser: str) -> AuthorizationSession:
    """Return the attempt a callback belongs to; another person's, or another browser's, does not exist."""
    session = _rows().filter(state_digest=digest_of(state)).first() if state else None
    if session is None or session.person_id != person.pk or session.browser_digest != digest_of(browser):
        raise NotFound("authorization_unknown")
    return session


def find_own(person: User, session_id: UUID) -> AuthorizationSession:
    """Return a person's own attempt; another's does not exist."""
    session = _rows().filter(pk=session_id, person=person).first()
    if session is None:
        raise NotFound("authorization_unknown")
    return session


def expected_of(session: AuthorizationSession) -> Expected:
    told = session.endpoints
    return Expected(told["issuer"], bool(told["names_itself"]), tuple(told["scopes"]))


def claim(session: AuthorizationSession) -> bool:
    """Take an attempt for its one exchange; False when it was taken or ended before.

    The connector is locked and looked at again first (contract.md, "Update and removal"). One that has moved on, or
    an attempt that is too old, ends the attempt: then `session` says how, and False is returned as well.
    """
    with transaction.atomic():
        try:
            connector = share_connector(session.connector_id)
        except Conflict:  # it is being removed, which has cancelled the attempt
            session.refresh_from_db(fields=["status", "used_at"])
            return False
        taken = AuthorizationSession.objects.filter(pk=session.pk, status=Status.PENDING).update(
            status=Status.EXCHANGING, used_at=timezone.now()
        )
        session.refresh_from_db(fields=["status", "used_at", "outcome", "outcome_parameters", "connection"])
        if not taken:
            return False
        try:
            _check_unchanged(connector, session.person, session.version_id, session.configuration_revision)
            if session.expires_at <= timezone.now():
                raise Refused("authorization_expired")
        except ConnectorError as error:
            fail(session, error)
            return False
    return True


def open_kept(session: AuthorizationSession) -> Kept:
    """Return what was kept for the callback; raise `vault.errors.CannotOpen` when it is damaged."""
    assert session.sealed is not None
    plain = json.loads(open_sealed(session.sealed, place=place_of(session)).reveal())
    return Kept(
        verifier=Secret(plain["verifier"]),
        private_context={key: Secret(value) for key, value in plain["private_context"].items()},
        grant=read_grant(plain["grant"]) if plain["grant"] else None,
    )


def finish(session: AuthorizationSession, connection: Connection) -> None:
    """End an attempt well, in the transaction that saved its connection."""
    session.connection = connection
    _end(session, Status.DONE)


def fail(session: AuthorizationSession, error: ConnectorError) -> None:
    """End an attempt with what went wrong: a code and parameters that are safe to show."""
    told = dict(error.parameters)
    if isinstance(error, Invalid):
        told["faults"] = [[fault.code, fault.where, fault.parameters] for fault in error.faults]
    session.outcome = error.code[:64]
    session.outcome_parameters = json.loads(json.dumps(told, default=str))
    _end(session, Status.FAILED)


def failure_of(session: AuthorizationSession) -> ConnectorError:
    """Return the error a failed attempt ended with, as far as it was kept."""
    told = dict(session.outcome_parameters)
    faults = told.pop("faults", None)
    if faults:
        return Invalid([Fault(code, where, parameters) for code, where, parameters in faults])
    return ConnectorError(session.outcome, **told)


def _end(session: AuthorizationSession, status: AuthorizationSession.Status) -> None:
    session.status = status
    session.sealed = None
    session.save(update_fields=["status", "sealed", "connection", "outcome", "outcome_parameters"])


def _check_unchanged(connector: Connector, person: User, version_id: UUID, revision: int) -> None:
    if not is_visible(connector, person):
        raise NotFound("connector_not_found", key=connector.key)
    if (connector.version_id, connector.configuration_revision) != (version_id, revision):
        raise Conflict("connector_changed", key=connector.key)


def _rows() -> QuerySet[AuthorizationSession]:
    return AuthorizationSession.objects.select_related("person", "connector__version", "connection__connector")


def _write(kept: Kept) -> str:
    plain = {
        "verifier": kept.verifier.reveal(),
        "private_context": {key: value.reveal() for key, value in kept.private_context.items()},
        "grant": write_grant(kept.grant) if kept.grant else None,
    }
    return json.dumps(plain, sort_keys=True)
