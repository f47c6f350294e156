"""Reads of people, teams, agents and tokens."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from connectors.access.models import Epoch, Team, User


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
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    with connection.cursor() as cursor:
        cursor.execute(_AUTHENTICATE, [Epoch.CATALOGUE, digest, now])
        row = cursor.fetchone()
    if row is None:
        return None
    token_id, agent_id, agent_name, owner_id, display, first, last, username, epoch, catalogue, expires_at = row
    return AuthenticatedAgent(
        token_id=_read_uuid(token_id),
        agent_id=_read_uuid(agent_id),
        agent_name=agent_name,
        owner_id=owner_id,
        owner_name=display or f"{first} {last}".strip() or username,
        owner_epoch=epoch,
        catalogue_epoch=catalogue or 0,
        expires_at=expires_at.replace(tzinfo=UTC) if expires_at and not expires_at.tzinfo else expires_at,
    )


# Every call of every agent runs this. Building and compiling the same query through the ORM takes about sixty times
# the CPU of running it, so it is written out; tests hold it against the models.
_AUTHENTICATE = """
    SELECT token.id, agent.id, agent.name, owner.id, owner.display_name, owner.first_name, owner.last_name,
           owner.username, owner.epoch, (SELECT value FROM connectors_epoch WHERE scope = %s), token.expires_at
      FROM connectors_agenttoken token
      JOIN connectors_agent agent ON agent.id = token.agent_id
      JOIN connectors_user owner ON owner.id = agent.owner_id
     WHERE token.digest = %s AND token.revoked_at IS NULL AND (token.expires_at IS NULL OR token.expires_at > %s)
       AND agent.retired_at IS NULL AND owner.is_active
"""


def _read_uuid(value: uuid.UUID | str) -> uuid.UUID:
    """PostgreSQL answers with UUIDs, SQLite with their text."""
    return value if isinstance(value, uuid.UUID) else uuid.UUID(value)


def people() -> QuerySet[User]:
    """Return everybody with their groups and teams, active people first."""
    return User.objects.order_by("-is_active", "username").prefetch_related("groups", "teams")


def teams() -> QuerySet[Team]:
    """Return every team with its members."""
    return Team.objects.prefetch_related("members")
