"""Lock a connector's row and look at it again before acting on it (contract.md, "Update and removal").

    lock    for what changes the connector; one at a time
    share   for what only needs that nobody changes it meanwhile: a run, a sign-in, a refresh; any number at once

On PostgreSQL a shared lock is FOR KEY SHARE: it keeps `lock` out and lets the log note when a connector was last used.
SQLite's immediate transactions do both.
"""

from collections.abc import Collection
from uuid import UUID

from django.db import connection, transaction

from connectors.catalogue.models import Connector
from connectors.errors import Conflict, NotFound

Transition = Connector.Transition


def lock_connector(connector_id: UUID, *, removing: bool = False) -> Connector:
    """Return the connector as it is now, locked until the transaction ends; a removed one is not found.

    One that is being removed is a Conflict, unless the caller is the removal.
    """
    # Two queries: one that waited would look for the new version in the snapshot it had taken before, and find nothing.
    Connector.objects.select_for_update().filter(pk=connector_id).values_list("pk").first()
    found = Connector.objects.select_related("version").filter(pk=connector_id).first()
    return _present(found, removing=removing)


def share_connector(connector_id: UUID) -> Connector:
    """Return the connector as it is now; until the transaction ends nobody changes it. A removing one is a Conflict."""
    return _present(share_connectors([connector_id]).get(connector_id))


def share_connectors(connector_ids: Collection[UUID]) -> dict[UUID, Connector]:
    """Return those of the connectors that are there, as they are now and for as long as the transaction lasts."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("A lock is held by a transaction.")
    if connection.vendor == "postgresql" and connector_ids:
        table = connection.ops.quote_name(Connector._meta.db_table)  # noqa: SLF001 - Django's documented Meta API
        with (
            connection.cursor() as cursor
        ):  # the ORM has no shared lock; in one order, so that two never wait in a ring
            query = f"SELECT 1 FROM {table} WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE"  # noqa: S608 - our own table
            cursor.execute(query, [list(connector_ids)])
    rows = Connector.objects.select_related("version").filter(pk__in=connector_ids)
    return {found.pk: found for found in rows}


def require_open(connector: Connector) -> None:
    """Raise the Conflict that keeps new things out of a connector that is draining or being removed."""
    if connector.transition:
        raise Conflict(f"connector_{connector.transition}", key=connector.key)


def _present(connector: Connector | None, *, removing: bool = False) -> Connector:
    if connector is None:
        raise NotFound("connector_not_found")
    if connector.transition == Transition.REMOVING and not removing:
        raise Conflict("connector_removing", key=connector.key)
    return connector
