"""What a person sees first: what needs them, then where they stand."""

from dataclasses import dataclass

from django.db.models import Count, Q

from connectors.access.models import User
from connectors.audit.queries import CallFilters, DecisionFilters, calls, decisions
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import visible_connectors
from connectors.console.agent_pages import AgentLine, list_agents
from connectors.console.connection_pages import ConnectionLine, list_connections
from connectors.console.logs.lines import CallLine, DecisionLine, word_calls, word_decisions
from connectors.console.permissions import MANAGE_CONNECTORS, VIEW_AUDIT
from connectors.console.presentation import ConnectorText, describe_connectors
from connectors.ledger.health_mark import HealthMark, mark_health
from connectors.ledger.queries import silent_probes

FEW = 5
AILING = (Connection.State.UNREACHABLE, Connection.State.REAUTHORIZATION_REQUIRED, Connection.State.INSUFFICIENT_SCOPE)


@dataclass(frozen=True, slots=True)
class FirstSteps:
    """The way from nothing to a first call; the next one is the first that is not done."""

    connected: bool
    has_agent: bool
    granted: bool
    called: bool

    @property
    def next(self) -> str:
        steps = {"connect": self.connected, "agent": self.has_agent, "grant": self.granted, "call": self.called}
        return next((step for step, done in steps.items() if not done), "")


@dataclass(frozen=True, slots=True)
class ConnectorLine:
    """A connector that needs its administrator: a draft, or one at which accounts do not work."""

    connector: Connector
    text: ConnectorText
    failing: int = 0
    connections: int = 0


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What administrators look after; `empty` is a console in which nothing is installed yet."""

    empty: bool
    ailing: list[ConnectorLine]
    silent: list[tuple[ConnectorLine, HealthMark]]  # whose endpoints do not answer, the longest silent few
    more_silent: bool
    drafts: list[ConnectorLine]

    @property
    def needs_someone(self) -> bool:
        return bool(self.ailing or self.silent or self.drafts)


@dataclass(frozen=True, slots=True)
class Home:
    steps: FirstSteps
    attention: list[ConnectionLine]
    upkeep: Upkeep | None
    agents: list[AgentLine]
    can_connect: bool
    calls: list[CallLine]
    denials: list[DecisionLine]
    everyone: bool  # whether calls and denials are other people's too

    @property
    def needs_someone(self) -> bool:
        return bool(
            self.attention or (self.upkeep and (self.upkeep.ailing or self.upkeep.silent or self.upkeep.drafts))
        )


def read_home(person: User) -> Home:
    """The auditor's and administrator's recent rows are everyone's, a person's are their own."""
    lines = list_connections(person)
    agents = list_agents(person)
    everyone = person.has_perm(VIEW_AUDIT)
    owner_id = None if everyone else person.pk
    recent = calls(CallFilters(owner_id=owner_id), size=FEW).rows
    denials = decisions(DecisionFilters(owner_id=owner_id, allowed=False), size=FEW).rows
    called = any(call.person_id == person.pk for call in recent) or _has_called(person)
    return Home(
        steps=FirstSteps(bool(lines), bool(agents), any(line.granted for line in agents), called),
        attention=[line for line in lines if line.badge.mend],
        upkeep=_read_upkeep() if person.has_perm(MANAGE_CONNECTORS) else None,
        agents=agents,
        can_connect=visible_connectors(person).exists(),
        calls=word_calls(recent, person),
        denials=word_decisions(denials, person),
        everyone=everyone,
    )


def _has_called(person: User) -> bool:
    return bool(calls(CallFilters(owner_id=person.pk), size=1).rows)


def _read_upkeep() -> Upkeep:
    failing = Count("connections", filter=Q(connections__state__in=AILING))
    published = Connector.objects.filter(status=Connector.Status.PUBLISHED)
    ailing = published.annotate(failing=failing, accounts=Count("connections")).filter(failing__gt=0)
    worst = list(ailing.order_by("-failing", "key")[:FEW])
    drafts = list(Connector.objects.filter(status=Connector.Status.DRAFT).order_by("-installed_at")[:FEW])
    silent = list(silent_probes()[: FEW + 1])
    texts = describe_connectors([*worst, *drafts, *(probe.connector for probe in silent)])
    return Upkeep(
        empty=not Connector.objects.exists(),
        ailing=[ConnectorLine(found, texts[found.pk], found.failing, found.accounts) for found in worst],
        drafts=[ConnectorLine(found, texts[found.pk]) for found in drafts],
        silent=[
            (ConnectorLine(probe.connector, texts[probe.connector_id]), mark_health(probe)) for probe in silent[:FEW]
        ],
        more_silent=len(silent) > FEW,
    )
