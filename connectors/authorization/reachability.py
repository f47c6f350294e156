"""Whether a connection's service answers, and which permissions it turned out to want: noted as calls find it.

None of it takes a connection out of use: the next call is tried, and one that goes well takes the note away.
"""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from connectors.access.epoch import bump_person
from connectors.authorization.accounts import STANDING
from connectors.authorization.models import Connection
from connectors.authorization.scopes import standing_state
from connectors.catalogue.versions import manifest_of
from connectors.manifest.auth import asked_scopes

MOST_NAMED = 20
NOTED = ("state", "unreachable_since", "unreachable_stage")


@transaction.atomic
def note_unreachable(*, connection_id: UUID, stage: str) -> bool:
    """Note that nothing could be handed to the service, and how far it got; return whether that was news.

    The owner's epoch rises with it, so that a call that goes well in any process knows that there is a note.
    """
    connection = _lock(connection_id)
    if connection is None or connection.state == Connection.State.UNREACHABLE:
        return False
    connection.state = Connection.State.UNREACHABLE
    connection.unreachable_since, connection.unreachable_stage = timezone.now(), stage[:16]
    connection.save(update_fields=NOTED)
    bump_person(connection.person_id)
    return True


@transaction.atomic
def note_reachable(*, connection_id: UUID) -> bool:
    """Note that the service answered; return whether it had been out of reach."""
    if not Connection.objects.filter(pk=connection_id, state=Connection.State.UNREACHABLE).exists():
        return False
    connection = _lock(connection_id)
    if connection is None or connection.state != Connection.State.UNREACHABLE:
        return False
    _clear(connection)
    connection.save(update_fields=NOTED)
    bump_person(connection.person_id)
    return True


@transaction.atomic
def note_scopes_needed(*, connection_id: UUID, credential_version: int, scopes: Sequence[str]) -> bool:
    """Note the scopes a service named when it refused one call (RFC 6750 §3.1); return whether that was news.

    Signing in again helps where it asks for them; what this package never asks for is kept apart.
    Nothing happens when the credential has been replaced meanwhile: the refusal was the old one's.
    """
    connection = _lock(connection_id)
    credential = getattr(connection, "credential", None)
    if connection is None or (credential.version if credential else 0) != credential_version:
        return False
    new = [scope[:255] for scope in scopes if scope not in (*connection.missing_scopes, *connection.needed_scopes)]
    if not new:
        return False
    asked = asked_scopes(manifest_of(connection.connector.version).auth)
    for scope in new[:MOST_NAMED]:
        (connection.missing_scopes if scope in asked else connection.needed_scopes).append(scope)
    connection.needed_scopes = connection.needed_scopes[-MOST_NAMED:]
    _clear(connection)
    connection.save(update_fields=[*NOTED, "missing_scopes", "needed_scopes"])
    return True


@transaction.atomic
def forget_scopes_needed(*, connection_id: UUID) -> None:
    """Forget what refused calls named: its owner has seen to it, and a call that is refused again says so again."""
    connection = _lock(connection_id)
    if connection is not None and connection.needed_scopes:
        connection.needed_scopes = []
        connection.state = standing_state(connection)
        connection.save(update_fields=["state", "needed_scopes"])


def _clear(connection: Connection) -> None:
    connection.unreachable_since, connection.unreachable_stage = None, ""
    connection.state = standing_state(connection)


def _lock(connection_id: UUID) -> Connection | None:
    rows = Connection.objects.select_for_update(of=("self",)).select_related("credential", "connector__version")
    return rows.defer("credential__sealed", "credential__grant").filter(pk=connection_id, state__in=STANDING).first()
