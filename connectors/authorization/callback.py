"""Come back from a service: one answer, one exchange, whatever else arrives (safety §13 to §16).

An attempt belongs to its person and browser. It is claimed before anything is redeemed, and the issuer is compared
before that, in refusals as well (RFC 9207), so that no code meant for one server is carried to another.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from connectors.access.models import User
from connectors.authorization import sessions
from connectors.authorization.client_registration import redirect_uri
from connectors.authorization.exchange import describe_account, exchange_code, missing_scopes
from connectors.authorization.models import AuthorizationSession, Connection
from connectors.authorization.oauth_grant import OAuthGrant
from connectors.authorization.other_account import keep_for_question
from connectors.authorization.places import check_same_account, find_connection_place
from connectors.authorization.programs import complete_redirect
from connectors.authorization.saving import VerifiedAccount, save_again, save_new
from connectors.authorization.turned_away import turn_away
from connectors.authorization.verification import prove_credential
from connectors.catalogue.models import Connector
from connectors.errors import Conflict, ConnectorError, Fault, Invalid, NotFound, Refused, UpstreamFault
from connectors.runtime.program_context import OAuthCode
from connectors.vault.secret import Secret

_KNOWN_REFUSALS = frozenset({"access_denied", "consent_required", "interaction_required", "login_required"})
LONGEST_ERROR = 64


@dataclass(frozen=True, slots=True)
class CallbackAnswer:
    """What the service sent back with the person: a code or an error, and who it says it is."""

    state: str
    code: Secret | None = None
    error: str = ""
    issuer: str = ""


def parse_callback(pairs: Iterable[tuple[str, list[str]]]) -> CallbackAnswer:
    """Return the answer of a callback's query; raise `Invalid` when a parameter is repeated (RFC 6749 §3.1)."""
    found = {name: values for name, values in pairs if name in {"state", "code", "error", "iss"}}
    repeated = [Fault("parameter_repeated", name) for name, values in found.items() if len(values) != 1]
    if repeated:
        raise Invalid(repeated)
    only = {name: values[0] for name, values in found.items()}
    code = only.get("code", "")
    return CallbackAnswer(
        state=only.get("state", ""),
        code=Secret(code) if code else None,
        error=only.get("error", ""),
        issuer=only.get("iss", ""),
    )


def receive_callback(*, answer: CallbackAnswer, person: User, browser: str) -> AuthorizationSession:
    """Return the attempt as it stands after this answer: done, failed and why, or a question to its owner.

    The same answer again changes nothing. Raises `NotFound("authorization_unknown")` for an attempt that is not this
    person's in this browser.
    """
    session = sessions.find_by_state(state=answer.state, person=person, browser=browser)
    if not sessions.claim(session):
        return session
    try:
        _check_issuer(session, answer)
        _complete(session, _read_code(answer))
    except ConnectorError as error:
        sessions.fail(session, error)
    return session


def _check_issuer(session: AuthorizationSession, answer: CallbackAnswer) -> None:
    """Compare character by character; a program knows its service itself and is told nothing of `iss`."""
    expected = sessions.expected_of(session)
    if not expected.issuer or (not answer.issuer and not expected.names_itself):
        return
    if not answer.issuer:
        raise UpstreamFault("issuer_missing", expected=expected.issuer)
    if answer.issuer != expected.issuer:
        raise UpstreamFault("issuer_mismatch", found=answer.issuer[:255], expected=expected.issuer)


def _read_code(answer: CallbackAnswer) -> Secret:
    if answer.error in _KNOWN_REFUSALS:
        raise Refused("consent_refused", error=answer.error)
    if answer.error or answer.code is None:
        named = answer.error if answer.error.isascii() and answer.error.isprintable() else ""
        raise UpstreamFault("authorization_failed", error=named[:LONGEST_ERROR])
    return answer.code


def _complete(session: AuthorizationSession, code: Secret) -> None:
    """Redeem the code, let the runtime prove what came of it, and save it; what is not saved is turned away."""
    verified = _redeem(session, code)
    try:
        _prove(session, verified)
        _save(session, verified.with_avatar())
    except ConnectorError:
        with transaction.atomic():
            turn_away(verified, person=session.person)
        raise


def _save(session: AuthorizationSession, verified: VerifiedAccount) -> None:
    with transaction.atomic():
        connector = verified.lock(session.person)
        place = _find_place(session, connector)
        if place is None:
            connection = save_new(
                verified, connection_id=session.pk, person=session.person, connector=connector, alias=session.alias
            )
        else:
            try:
                check_same_account(place, verified.account)
            except Conflict as conflict:
                keep_for_question(session, place, verified, conflict)
                return
            connection = save_again(verified, connection=place, connector=connector)
        sessions.finish(session, connection)


def _find_place(session: AuthorizationSession, connector: Connector) -> Connection | None:
    if session.intent == AuthorizationSession.Intent.CONNECT:
        return find_connection_place(session.person, connector, session.alias)
    if session.connection is None:
        raise NotFound("connection_not_found")
    return session.connection


def _redeem(session: AuthorizationSession, code: Secret) -> VerifiedAccount:
    kept = sessions.open_kept(session)
    if kept.grant is not None:
        return _redeem_tokens(session, kept.grant, kept.verifier, code)
    account = complete_redirect(
        session.connector,
        intent="connect" if session.intent == AuthorizationSession.Intent.CONNECT else "reauthorize",
        private_context=kept.private_context,
        submission=OAuthCode(code=code, redirect_uri=redirect_uri(), code_verifier=kept.verifier),
    )
    return VerifiedAccount(session.connector, account.credential.values if account.credential else {}, account)


def _redeem_tokens(session: AuthorizationSession, grant: OAuthGrant, verifier: Secret, code: Secret) -> VerifiedAccount:
    asked = sessions.expected_of(session).scopes
    tokens = exchange_code(session.connector, grant, code=code, verifier=verifier)
    account, missing = describe_account(tokens, asked), missing_scopes(tokens, asked)
    values = account.credential.values if account.credential else {}
    return VerifiedAccount(session.connector, values, account, grant, missing)


def _prove(session: AuthorizationSession, verified: VerifiedAccount) -> None:
    """An account that lacks a scope may be refused for it: it is kept all the same, and says what it lacks.

    A new connection takes the id of its attempt, so that it is known before it is saved.
    """
    id_ = session.connection_id or session.pk
    try:
        prove_credential(session.connector, verified.values, connection_id=id_, signed_in=verified.grant is None)
    except UpstreamFault as error:
        if not (verified.missing_scopes and error.code == "insufficient_scope"):
            raise
