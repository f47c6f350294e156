"""Narrow grants to what agents use of them: proposed from use, shown first, then done in one act by their owner.

A grant belongs to who owns its agent and its account; nobody else narrows it. An administrator can ask the owners. A
grant is judged only once it has stood as it is for 30 days; a tool counts as unused after 90 days without a call.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import orjson
from django.db import transaction
from django.utils import timezone

from connectors.access.epoch import bump_person
from connectors.access.models import User
from connectors.audit.usage import usage_by_grant
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.models import Connector
from connectors.catalogue.versions import manifest_of
from connectors.errors import Conflict
from connectors.ledger.connection_rows import UNUSED_AFTER, keys_in_use
from connectors.ledger.models import Notice
from connectors.policy.grants import remove_grant, set_grant
from connectors.policy.models import Grant

STOOD_FOR: Final = timedelta(days=30)
ASKED_FOR: Final = timedelta(days=30)  # how long an administrator's request stays on people's pages


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would become of one grant: `kept` tools of those it opens now, none of them: it is removed.

    `digest` names exactly this change, so that nothing is done but what was shown.
    """

    grant: Grant
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    access: str

    @property
    def removes(self) -> bool:
        return not self.kept

    @property
    def loses_writing(self) -> bool:
        return bool(self.kept) and self.access != self.grant.access

    @property
    def digest(self) -> str:
        told = [str(self.grant.pk), self.grant.granted_at.isoformat(), self.kept, self.dropped, self.access]
        return hashlib.sha256(orjson.dumps(told)).hexdigest()


def propose_narrowing(person: User, *, connector: Connector | None = None) -> tuple[Proposal, ...]:
    """Return what could be taken from a person's grants, by connector and agent; four queries."""
    now = timezone.now()
    grants = Grant.objects.filter(
        agent__owner=person, connection__person=person, agent__retired_at=None, granted_at__lte=now - STOOD_FOR
    ).exclude(breadth=Grant.Breadth.NONE)
    if connector is not None:
        grants = grants.filter(connection__connector=connector)
    related = grants.select_related("agent", "connection__connector__version", "connection__connector__category")
    found = list(related.order_by("connection__connector__key", "connection__alias", "agent__name"))
    uses = usage_by_grant({grant.connection_id for grant in found})
    since = now - UNUSED_AFTER
    used = {pair: keys_in_use(tools, since=since) for pair, tools in uses.items()}
    proposals = (_propose(grant, used.get((grant.agent_id, grant.connection_id), set())) for grant in found)
    return tuple(proposal for proposal in proposals if proposal is not None)


@transaction.atomic
def narrow_grants(*, digests: Collection[str], actor: User) -> tuple[Proposal, ...]:
    """Do the proposals with these digests, all of them or none; Conflict("narrowing_changed") when one is no longer
    what was shown: its grant was changed, or a tool has been used since."""
    mine = Grant.objects.filter(agent__owner=actor).order_by("pk")
    list(mine.select_for_update(of=("self",)).values_list("pk", flat=True))  # before the first event is recorded,
    bump_person(actor.pk)  # and so is the person's own row: the chain of events is held until the end
    by_digest = {proposal.digest: proposal for proposal in propose_narrowing(actor)}
    if not set(digests) <= by_digest.keys():
        raise Conflict("narrowing_changed")
    chosen = tuple(by_digest[digest] for digest in dict.fromkeys(digests))
    for proposal in chosen:
        _narrow(proposal, actor)
    return chosen


@transaction.atomic
def ask_to_narrow(*, connector: Connector, actor: User) -> Notice:
    """Ask the owners of grants at a connector to narrow what is unused; asking again begins the 30 days anew."""
    now = timezone.now()
    Notice.objects.filter(kind=Notice.Kind.NARROWING_ASKED, subject=connector.key, closed_at=None).update(closed_at=now)
    notice = Notice.objects.create(
        kind=Notice.Kind.NARROWING_ASKED,
        subject=connector.key,
        connector=connector,
        parameters={"name": actor.name},
        opened_at=now,
    )
    record_connector_event("narrowing_asked", connector, actor)
    return notice


def owners_of_grants(connector: Connector) -> int:
    """Return how many people own grants at a connector: whom a request goes to."""
    grants = Grant.objects.filter(connection__connector=connector, agent__retired_at=None)
    return grants.exclude(breadth=Grant.Breadth.NONE).order_by().values("agent__owner").distinct().count()


def _propose(grant: Grant, used: set[str]) -> Proposal | None:
    rules = manifest_of(grant.connection.connector.version).tool_policy.rules
    writes = grant.access == Grant.Access.READ_WRITE
    opened = [rule for rule in rules if writes or rule.effect == "read"]
    if grant.breadth == Grant.Breadth.SOME:
        opened = [rule for rule in opened if rule.key in grant.tools]
    kept = [rule for rule in opened if rule.key in used]
    still_writes = any(rule.effect != "read" for rule in kept)
    access = grant.access if still_writes or not kept else Grant.Access.READ_ONLY
    dropped = tuple(rule.key for rule in opened if rule.key not in used)
    if not dropped:
        return None
    return Proposal(grant, tuple(rule.key for rule in kept), dropped, access)


def _narrow(proposal: Proposal, actor: User) -> None:
    grant = proposal.grant
    if proposal.removes:
        remove_grant(grant=grant, actor=actor)
        return
    set_grant(
        agent=grant.agent,
        connection=grant.connection,
        breadth=Grant.Breadth.SOME,
        access=proposal.access,
        tools=proposal.kept,
        actor=actor,
    )


def asked_narrowing(person: User, *, now: datetime) -> set[UUID]:
    """Return the connectors at which a person was asked to narrow, and still can."""
    asked = Notice.objects.filter(kind=Notice.Kind.NARROWING_ASKED, closed_at=None, opened_at__gt=now - ASKED_FOR)
    ids = set(asked.filter(connector__connections__person=person).values_list("connector", flat=True))
    if not ids:
        return set()
    return ids & {proposal.grant.connection.connector_id for proposal in propose_narrowing(person)}
