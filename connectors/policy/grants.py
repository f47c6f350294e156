"""What an owner lets an agent use of a connection."""

from collections.abc import Collection

from django.db import transaction

from connectors.access.epoch import bump_person
from connectors.access.models import Agent, User
from connectors.audit.recording import record_admin_event
from connectors.authorization.models import Connection
from connectors.errors import Fault, Forbidden, Invalid, NotFound
from connectors.policy.models import Grant

MAX_TOOLS = 500
MAX_KEY_LENGTH = 255


def set_grant(
    *,
    agent: Agent,
    connection: Connection,
    breadth: str,
    access: str,
    tools: Collection[str] = (),
    actor: User,
) -> Grant:
    """Grant all, some or no tools of the connection, to read only or to read and write; replaces what was granted.

    Only the owner of both grants; a retired agent is granted nothing.
    """
    faults = _faults(breadth, access, tools)
    if faults:
        raise Invalid(faults)
    _require_owner(agent, connection, actor)
    kept = sorted(set(tools)) if breadth == Grant.Breadth.SOME else []
    with transaction.atomic():
        before = Grant.objects.select_for_update().filter(agent=agent, connection=connection).first()
        grant, _ = Grant.objects.update_or_create(
            agent=agent, connection=connection, defaults={"breadth": breadth, "access": access, "tools": kept}
        )
        bump_person(agent.owner_id)
        record_admin_event(
            actor=actor,
            act="grant_set",
            target_kind="grant",
            target_id=grant.id,
            target_name=f"{agent.name} · {connection.connector.key}",
            before=_describe(before),
            after=_describe(grant),
        )
    return grant


def remove_grant(*, grant: Grant, actor: User) -> None:
    """Take everything of a connection back; the very next call is refused."""
    _require_owner(grant.agent, grant.connection, actor)
    with transaction.atomic():
        Grant.objects.filter(pk=grant.pk).delete()
        bump_person(grant.agent.owner_id)
        record_admin_event(
            actor=actor,
            act="grant_removed",
            target_kind="grant",
            target_id=grant.id,
            target_name=f"{grant.agent.name} · {grant.connection.connector.key}",
            before=_describe(grant),
        )


def _faults(breadth: str, access: str, tools: Collection[str]) -> list[Fault]:
    faults = []
    if breadth not in Grant.Breadth.values:
        faults.append(Fault("not_an_option", "breadth"))
    if access not in Grant.Access.values:
        faults.append(Fault("not_an_option", "access"))
    if len(tools) > MAX_TOOLS:
        faults.append(Fault("too_many_items", "tools", {"limit": MAX_TOOLS}))
    if any(len(key) > MAX_KEY_LENGTH for key in tools):
        faults.append(Fault("too_long", "tools", {"limit": MAX_KEY_LENGTH}))
    if not all(tools):
        faults.append(Fault("not_an_option", "tools"))
    return faults


def _require_owner(agent: Agent, connection: Connection, actor: User) -> None:
    if agent.owner_id != actor.pk or connection.person_id != actor.pk:
        raise NotFound
    if agent.retired_at is not None:
        raise Forbidden("agent_retired")


def _describe(grant: Grant | None) -> dict[str, object]:
    if grant is None:
        return {}
    return {"breadth": grant.breadth, "access": grant.access, "tools": grant.tools}
