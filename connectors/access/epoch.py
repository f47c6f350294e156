"""Counters that say *something an agent may see has changed*; a gateway snapshot lives only as long as they stand.

A bump belongs in the transaction of the change it announces: both are seen, or neither.
"""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import F

from connectors.access.models import Epoch, User


def bump_catalogue() -> None:
    """Announce a change that may concern everybody: a connector's package, configuration, status or visibility."""
    _require_transaction()
    if not _raise_catalogue():
        Epoch.objects.bulk_create([Epoch(scope=Epoch.CATALOGUE)], ignore_conflicts=True)
        _raise_catalogue()


def bump_person(user_id: int) -> None:
    """Announce a change that concerns one person's agents only: connection, grant, agent, token, role."""
    bump_people([user_id])


def bump_people(user_ids: Iterable[int]) -> None:
    """Announce a change to several people at once: a team, say. Rows are locked in order, so two never deadlock."""
    _require_transaction()
    wanted = User.objects.filter(pk__in=set(user_ids))
    locked = list(wanted.order_by("pk").select_for_update().values_list("pk", flat=True))
    User.objects.filter(pk__in=locked).update(epoch=F("epoch") + 1)


def _raise_catalogue() -> int:
    return Epoch.objects.filter(scope=Epoch.CATALOGUE).update(value=F("value") + 1)


def _require_transaction() -> None:
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("An epoch rises in the transaction of the change it announces.")
