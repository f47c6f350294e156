"""Writing the administrative log; `call_log` writes decisions and calls."""

from collections.abc import Mapping
from typing import Any, Protocol

from django.db import transaction
from django.utils import timezone

from connectors.audit.models import AdminEvent


class Actor(Protocol):
    """Who did it: a person (`access.models.User`); this room sits below theirs and copies what it needs."""

    @property
    def pk(self) -> Any: ...

    @property
    def name(self) -> str: ...


def record_admin_event(
    *,
    actor: Actor | None,
    act: str,
    target_kind: str,
    target_id: object,
    target_name: str,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    remote_address: str = "",
) -> AdminEvent:
    """Write one act into the caller's transaction; `before` and `after` hold what changed, secrets already masked.

    Without an actor it was the command line or the system itself.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("An administrative event belongs in the transaction of the act it records.")
    return AdminEvent.objects.create(
        at=timezone.now(),
        actor_id=actor.pk if actor else None,
        actor_name=actor.name if actor else "system",
        act=act,
        target_kind=target_kind,
        target_id=str(target_id),
        target_name=target_name[:255],
        before=dict(before or {}),
        after=dict(after or {}),
        remote_address=remote_address,
    )
