"""Reads of the ledger: what was written, decided, reviewed and found at endpoints."""

from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from connectors.access.models import Agent, User
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from connectors.errors import NotFound
from connectors.ledger.access import count_agents, may_see, usable_grants
from connectors.ledger.models import Disposition, LedgerEntry, Probe, ProbeDay, Review, ReviewLine, ToolChange

AVAILABILITY_DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class Availability:
    """Of the last 30 days: how often the endpoints were asked and answered, and what share of the known time they
    were up. `share` is None while no stretch of time lies between two answers."""

    asked: int
    answered: int
    up_seconds: int
    down_seconds: int

    @property
    def share(self) -> float | None:
        known = self.up_seconds + self.down_seconds
        return self.up_seconds / known if known else None


NEVER_ASKED: Final = Availability(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Affected:
    """Who notices when a connector does not answer."""

    people: tuple[User, ...]
    agents: tuple[Agent, ...]


def find_entry(connector: Connector) -> LedgerEntry | None:
    """Return what people wrote about a connector, if anything."""
    return LedgerEntry.objects.select_related("owner", "changed_by").filter(connector=connector).first()


def silent_probes() -> QuerySet[Probe]:
    """Return the published connectors whose endpoints do not answer, the longest silent first."""
    asked = Probe.objects.filter(enabled=True, connector__status=Connector.Status.PUBLISHED)
    silent = asked.filter(outcome=Probe.Outcome.FAILED, failing_since__isnull=False)
    return silent.select_related("connector").defer("tools", "connector__configuration").order_by("failing_since")


def dispositions_of(connector: Connector) -> QuerySet[Disposition]:
    """Return what was decided about a connector, the latest first."""
    return Disposition.objects.filter(connector=connector).order_by("-decided_at")


def tool_changes_of(connector: Connector) -> QuerySet[ToolChange]:
    """Return the changes that were noticed in a connector's tools, the latest first."""
    return ToolChange.objects.filter(connector=connector).order_by("-noticed_at")


def read_availability(connector_ids: QuerySet[Connector] | list[UUID]) -> dict[UUID, Availability]:
    """Return how available each connector was within 30 days, those that were asked; one query."""
    first = timezone.now().astimezone(UTC).date() - timedelta(days=AVAILABILITY_DAYS - 1)
    days = ProbeDay.objects.filter(connector__in=connector_ids, day__gte=first).order_by().values("connector_id")
    rows = days.annotate(a=Sum("asked"), b=Sum("answered"), up=Sum("up_seconds"), down=Sum("down_seconds"))
    return {row["connector_id"]: Availability(row["a"], row["b"], row["up"], row["down"]) for row in rows}


def find_affected(connector: Connector) -> Affected:
    """Return the people with an account at a connector that they see, and the agents that have access to one."""
    accounts = Connection.objects.filter(may_see(connector="connector", person="person"), connector=connector)
    people = User.objects.filter(pk__in=accounts.order_by().values("person")).order_by("username")
    agents = Agent.objects.filter(pk__in=usable_grants([connector.pk]).order_by().values("agent"))
    return Affected(tuple(people), tuple(agents.select_related("owner").order_by("owner__username", "name")))


def count_affected(connector_ids: list[UUID]) -> dict[UUID, tuple[int, int]]:
    """Return (people, agents) by connector id; two queries."""
    accounts = Connection.objects.filter(may_see(connector="connector", person="person"), connector__in=connector_ids)
    people = dict(accounts.order_by().values_list("connector_id").annotate(n=Count("person", distinct=True)))
    agents = count_agents(connector_ids)
    return {pk: (people.get(pk, 0), agents.get(pk, 0)) for pk in connector_ids}


def open_review() -> Review | None:
    """Return the review under way, if there is one."""
    return Review.objects.filter(state=Review.State.OPEN).first()


def list_reviews() -> QuerySet[Review]:
    """Return every review, the latest first, with how many lines it has and how many are answered."""
    counts = {"total": Count("lines"), "answered": Count("lines", filter=~Q(lines__answer=""))}
    return Review.objects.annotate(**counts).order_by("-started_at")


def find_review(review_id: UUID) -> Review:
    """Return a review, or raise NotFound."""
    review = list_reviews().filter(pk=review_id).first()
    if review is None:
        raise NotFound("review_not_found")
    return review


def lines_of(review: Review) -> QuerySet[ReviewLine]:
    """Return a review's lines in their order."""
    return ReviewLine.objects.filter(review=review).order_by("position")


def connectors_due() -> QuerySet[Connector]:
    """Return the connectors whose review date has come, and those installed a quarter ago that never had any."""
    today = timezone.localdate()
    held = Disposition.objects.filter(superseded_at=None).order_by()
    waiting = Q(pk__in=held.filter(next_review_on__lte=today).values("connector"))
    never = ~Q(pk__in=held.values("connector")) & Q(installed_at__lte=timezone.now() - timedelta(days=90))
    return Connector.objects.filter(waiting | never)
