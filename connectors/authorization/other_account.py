"""Authorizing again as another account is asked about, never done silently (issue "Connections").

Until its owner answers, the account that came back waits sealed in the attempt; the connection stays as it was.
"""

import json
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from connectors.access.models import User
from connectors.authorization import sessions
from connectors.authorization.models import AuthorizationSession, Connection
from connectors.authorization.oauth_grant import read_grant, write_grant
from connectors.authorization.saving import VerifiedAccount, save_again
from connectors.authorization.turned_away import turn_away
from connectors.errors import Conflict, ConnectorError
from connectors.runtime.program_context import Intent
from connectors.runtime.program_results import AuthorizedAccount, IssuedCredential
from connectors.vault.fields import place_of
from connectors.vault.sealing import open_sealed, seal
from connectors.vault.secret import Secret

Status = AuthorizationSession.Status


class OtherAccount(Conflict):
    """What was typed is another account's. Nothing was changed: `question` waits for its owner's answer."""

    code = "other_account"

    def __init__(self, question: AuthorizationSession) -> None:
        super().__init__("other_account", **question.outcome_parameters)
        self.question = question


def ask_about(
    *, person: User, place: Connection, verified: VerifiedAccount, conflict: Conflict, intent: Intent
) -> AuthorizationSession:
    """Return a question about an account that was signed in to without leaving, in the caller's transaction."""
    connector = verified.connector
    session = AuthorizationSession(
        state_digest=sessions.digest_of(sessions.new_state().reveal()),  # nobody comes back with it
        person=person,
        connector=connector,
        configuration_revision=connector.configuration_revision,
        authorization_fingerprint=connector.authorization_fingerprint,
        version_id=connector.version_id,
        intent=intent,
        alias=place.alias,
    )
    keep_for_question(session, place, verified, conflict)
    return session


def keep_for_question(
    session: AuthorizationSession, place: Connection, verified: VerifiedAccount, conflict: Conflict
) -> None:
    """Turn an attempt into a question, in the caller's transaction; it names both accounts and expires like any."""
    session.connection = place
    session.status = Status.ASKING
    session.outcome, session.outcome_parameters = conflict.code, conflict.parameters
    session.sealed = seal(Secret(_write(verified)), place=place_of(session))
    session.expires_at = timezone.now() + sessions.LIFETIME
    session.save()


def take_other_account(*, person: User, session_id: UUID) -> AuthorizationSession:
    """Return the ended attempt: the connection now is the other account's, its alias and grants stay.

    An attempt that failed on the way says so itself. Raises `Conflict("authorization_answered")` when the question was
    answered before or is too old.
    """
    session = sessions.find_own(person, session_id)
    with transaction.atomic():
        waiting = AuthorizationSession.objects.filter(pk=session.pk, status=Status.ASKING)
        if not waiting.filter(expires_at__gt=timezone.now()).update(status=Status.EXCHANGING, used_at=timezone.now()):
            raise Conflict("authorization_answered")
    verified: VerifiedAccount | None = None
    try:
        verified = open_question(session).with_avatar()
        _take(session, verified, person)
    except ConnectorError as error:
        with transaction.atomic():
            sessions.fail(session, error)
            if verified is not None:
                turn_away(verified, person=person, granted_under=session.authorization_fingerprint)
    return session


@transaction.atomic
def _take(session: AuthorizationSession, verified: VerifiedAccount, person: User) -> None:
    connector = verified.lock(person)
    if connector.configuration_revision != session.configuration_revision or session.connection is None:
        raise Conflict("connector_changed", key=connector.key)
    sessions.finish(session, save_again(verified, connection=session.connection, connector=connector))


def _write(verified: VerifiedAccount) -> str:
    account = verified.account
    assert account is not None
    plain: dict[str, Any] = account.model_dump(exclude={"credential"})
    plain["granted_scopes"] = list(account.granted_scopes)
    issued = account.credential
    credential = issued and {
        "values": {key: value.reveal() for key, value in issued.values.items()},
        "expires_at": _iso(issued.expires_at),
        "refresh_expires_at": _iso(issued.refresh_expires_at),
    }
    grant = write_grant(verified.grant) if verified.grant else None
    return json.dumps({"account": plain, "credential": credential, "grant": grant})


def open_question(session: AuthorizationSession) -> VerifiedAccount:
    """Return the account that waits; raise `vault.errors.CannotOpen` when it is damaged."""
    assert session.sealed is not None
    plain = json.loads(open_sealed(session.sealed, place=place_of(session)).reveal())
    credential = IssuedCredential.model_validate(plain["credential"]) if plain["credential"] else None
    account = AuthorizedAccount.model_validate({**plain["account"], "credential": credential})
    values = credential.values if credential else {}
    grant = read_grant(plain["grant"]) if plain["grant"] else None
    return VerifiedAccount(session.connector, values, account, grant)


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
