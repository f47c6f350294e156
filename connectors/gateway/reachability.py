"""What calls and discoveries tell of a connection's service: whether it answers, and which scopes it wants.

Once may be chance: only failures in a row are noted, and the first call that goes well takes the note away.
"""

from collections import OrderedDict
from uuid import UUID

from connectors.audit.database_lanes import in_database
from connectors.authorization.reachability import note_reachable, note_scopes_needed, note_unreachable
from connectors.errors import ConnectorError, Unreachable, UpstreamFault
from connectors.gateway.binding import Binding

IN_A_ROW = 3
MAX_REMEMBERED = 10_000

_failed: OrderedDict[UUID, int] = OrderedDict()


async def learn_from_answer(connection_id: UUID, *, noted: bool) -> None:
    """The service answered; `noted` says that it is known as out of reach. Costs nothing where it is not."""
    _failed.pop(connection_id, None)
    if noted:
        await in_database(_note_reachable, connection_id)


async def learn_from_failure(binding: Binding | None, error: ConnectorError, *, noted: bool) -> None:
    """Count what could not be handed over; take a refusal for the answer it is, with the scopes it names."""
    if binding is None:
        return
    if could_not_be_reached(error):
        await count_failure(binding.connection_id, str(error.parameters.get("stage", "")))
    elif isinstance(error, UpstreamFault):
        await learn_from_answer(binding.connection_id, noted=noted)
        if error.code == "insufficient_scope" and (scopes := error.parameters.get("scopes")):
            await in_database(_note_scopes, binding.connection_id, binding.credential_version, tuple(scopes))


async def count_failure(connection_id: UUID, stage: str) -> None:
    """Remember that nothing could be handed to the service; when it was so often enough, note it."""
    _failed[connection_id] = _failed.pop(connection_id, 0) + 1
    if len(_failed) > MAX_REMEMBERED:
        _failed.popitem(last=False)
    if _failed[connection_id] == IN_A_ROW:
        await in_database(_note_unreachable, connection_id, stage)


def could_not_be_reached(error: ConnectorError) -> bool:
    """Return whether nothing was handed over, or a program says so of its service."""
    cause = error.__cause__
    return isinstance(error, Unreachable) or isinstance(cause, Unreachable) or error.code == Unreachable.code


def _note_reachable(connection_id: UUID) -> None:
    note_reachable(connection_id=connection_id)


def _note_unreachable(connection_id: UUID, stage: str) -> None:
    note_unreachable(connection_id=connection_id, stage=stage)


def _note_scopes(connection_id: UUID, credential_version: int, scopes: tuple[str, ...]) -> None:
    note_scopes_needed(connection_id=connection_id, credential_version=credential_version, scopes=scopes)
