"""Reads of people, teams, agents and tokens."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from connectors.access.models import Agent, AgentToken, Epoch, Team, User


@dataclass(frozen=True, slots=True)
class AuthenticatedAgent:
    """Who holds a token, and the epochs under which a snapshot of what they may see stays true."""

    token_id: uuid.UUID
    agent_id: uuid.UUID
    agent_name: str
    owner_id: int
    owner_name: str
    owner_epoch: int
    catalogue_epoch: int
    expires_at: datetime | None

    @property
    def epoch(self) -> tuple[int, int]:
        """The key a snapshot is kept under, beside the agent."""
        return self.owner_epoch, self.catalogue_epoch


def authenticate_agent(digest: str) -> AuthenticatedAgent | None:
    """Return who holds the token with this SHA-256, by one query on the unique index of digests.

    None for an unknown, expired or revoked token, a retired agent, and an owner who was deactivated.
    """
    row = (
        AgentToken.objects.filter(
            Q(expires_at=None) | Q(expires_at__gt=timezone.now()),
            digest=digest,
            revoked_at=None,
            agent__retired_at=None,
            agent__owner__is_active=True,
        )
        .order_by()
        .values_list(
            "id",
            "agent_id",
            "agent__name",
            "agent__owner_id",
            "agent__owner__display_name",
            "agent__owner__first_name",
            "agent__owner__last_name",
            "agent__owner__username",
            "agent__owner__epoch",
            Coalesce(Subquery(Epoch.objects.filter(scope=Epoch.CATALOGUE).values("value")), 0),
            "expires_at",
        )
        .first()
    )
    if row is None:
        return None
    token_id, agent_id, agent_name, owner_id, display, first, last, username, epoch, catalogue, expires_at = row
    return AuthenticatedAgent(
        token_id=token_id,
        agent_id=agent_id,
        agent_name=agent_name,
        owner_id=owner_id,
        owner_name=display or f"{first} {last}".strip() or username,
        owner_epoch=epoch,
        catalogue_epoch=catalogue,
        expires_at=expires_at,
    )


def agents_of(person: User) -> QuerySet[Agent]:
    """Return a person's agents that were not retired, each with its tokens that were not revoked, newest first."""
    live = AgentToken.objects.filter(revoked_at=None)
    return person.agents.filter(retired_at=None).prefetch_related(Prefetch("tokens", live, to_attr="live_tokens"))


def people() -> QuerySet[User]:
    """Return everybody with their groups and teams, active people first."""
    return User.objects.order_by("-is_active", "username").prefetch_related("groups", "teams")


def teams() -> QuerySet[Team]:
    """Return every team with its members."""
    return Team.objects.prefetch_related("members")
