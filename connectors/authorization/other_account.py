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
from connectors.errors import Conflict, ConnectorError
from connectors.runtime.program_results import AuthorizedAccount, IssuedCredential
from connectors.vault.fields import place_of
from connectors.vault.sealing import open_sealed, seal
from connectors.vault.secret import Secret

Status = AuthorizationSession.Status


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
    try:
        _take(session, person)
    except ConnectorError as error:
        if error.code == "authorization_answered":
            raise
        sessions.fail(session, error)
    return session


@transaction.atomic
def _take(session: AuthorizationSession, person: User) -> None:
    waiting = AuthorizationSession.objects.filter(pk=session.pk, status=Status.ASKING, expires_at__gt=timezone.now())
    if not waiting.update(status=Status.EXCHANGING):
        raise Conflict("authorization_answered")
    verified = _read(session)
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


def _read(session: AuthorizationSession) -> VerifiedAccount:
    assert session.sealed is not None
    plain = json.loads(open_sealed(session.sealed, place=place_of(session)).reveal())
    credential = IssuedCredential.model_validate(plain["credential"]) if plain["credential"] else None
    account = AuthorizedAccount.model_validate({**plain["account"], "credential": credential})
    values = credential.values if credential else {}
    grant = read_grant(plain["grant"]) if plain["grant"] else None
    return VerifiedAccount(session.connector, values, account, grant)


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
