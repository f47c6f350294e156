"""Writing the administrative log; `call_log` writes decisions and calls."""

from collections.abc import Mapping
from typing import Any, Protocol

from django.db import transaction
from django.utils import timezone

from connectors.audit.appending import append_event
from connectors.audit.chain_lock import lock_chain
from connectors.audit.links import keepable_side, keepable_text
from connectors.audit.models import AdminEvent
from connectors.audit.remote_address import current_address


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
    """Write one act into the caller's transaction, as the newest link of the chain.

    `before` and `after` hold what changed, secrets already masked. Without an actor it was the command line or the
    system itself. The chain is locked until the commit, so this comes last: an act that asked for another row
    afterwards could wait for one who waits for the chain.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("An administrative event belongs in the transaction of the act it records.")
    lock_chain()  # before the moment and the id are taken: they rise with the sequence
    event = AdminEvent(
        at=timezone.now(),
        actor_id=actor.pk if actor else None,
        actor_name=keepable_text(actor.name, 150) if actor else "system",
        act=act,
        target_kind=target_kind,
        target_id=keepable_text(str(target_id), 64),
        target_name=keepable_text(target_name, 255),
        before=keepable_side(before or {}),
        after=keepable_side(after or {}),
        remote_address=remote_address or current_address(),
    )
    append_event(event)
    return event
