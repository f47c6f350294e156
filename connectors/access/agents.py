"""Make an agent, give it tokens, take them away. A token's text exists once: in what these acts return."""

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from connectors.access.epoch import bump_person
from connectors.access.models import Agent, AgentToken, User
from connectors.access.names import parse_name
from connectors.access.tokens import digest_token, make_token
from connectors.audit.recording import record_admin_event
from connectors.errors import Conflict, Refused


def create_agent(
    *, owner: User, name: str, lifetime: timedelta | None = None, actor: User | None = None
) -> tuple[Agent, str]:
    """Return a new agent, which may use nothing yet, and the text of its first token, shown once.

    The owner acts unless an `actor` is named. A name counts once among an owner's living agents, regardless of case.
    """
    name = parse_name(name)
    if not owner.is_active:
        raise Refused("person_inactive", name=owner.name)
    try:
        with transaction.atomic():
            agent = Agent.objects.create(owner=owner, name=name)
            token, text = _issue_token(agent, lifetime)
            bump_person(owner.pk)
            _record("agent_created", agent, actor or owner, after={"owner": owner.username, "token": str(token)})
    except IntegrityError as error:
        raise Conflict("agent_name_taken", name=name) from error
    return agent, text


@transaction.atomic
def add_token(*, agent: Agent, lifetime: timedelta | None = None, actor: User | None = None) -> tuple[AgentToken, str]:
    """Return one more token of an agent and its text, shown once; the older tokens stay valid."""
    living = Agent.objects.select_for_update().filter(pk=agent.pk, retired_at=None).first()
    if living is None:
        raise Conflict("agent_retired", name=agent.name)
    token, text = _issue_token(agent, lifetime)
    bump_person(agent.owner_id)
    _record("token_added", agent, actor or agent.owner, after={"token": str(token)})
    return token, text


@transaction.atomic
def revoke_token(*, token: AgentToken, actor: User | None = None) -> AgentToken:
    """Make a token worthless from the next request on; revoking it again changes nothing."""
    now = timezone.now()
    if AgentToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
        bump_person(token.agent.owner_id)
        _record("token_revoked", token.agent, actor or token.agent.owner, before={"token": str(token)})
    token.refresh_from_db()
    return token


@transaction.atomic
def retire_agent(*, agent: Agent, actor: User | None = None) -> Agent:
    """End an agent and all its tokens; its name is free again and its history stays."""
    now = timezone.now()
    if Agent.objects.filter(pk=agent.pk, retired_at=None).update(retired_at=now):
        AgentToken.objects.filter(agent=agent, revoked_at=None).update(revoked_at=now)
        bump_person(agent.owner_id)
        _record("agent_retired", agent, actor or agent.owner)
    agent.refresh_from_db()
    return agent


def _issue_token(agent: Agent, lifetime: timedelta | None) -> tuple[AgentToken, str]:
    text = make_token()
    expires_at = timezone.now() + lifetime if lifetime else None
    token = AgentToken.objects.create(agent=agent, digest=digest_token(text), hint=text[-4:], expires_at=expires_at)
    return token, text


def _record(
    act: str, agent: Agent, actor: User, *, before: dict[str, Any] | None = None, after: dict[str, Any] | None = None
) -> None:
    record_admin_event(
        actor=actor,
        act=act,
        target_kind="agent",
        target_id=str(agent.pk),
        target_name=agent.name,
        before=before or {},
        after=after or {},
    )
