"""What Health tells beside the parts: endpoints that ail, background work, stuck removals, how long logs stay."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.functional import Promise

from connectors.audit.checks import last_check
from connectors.audit.models import ChainCheck
from connectors.audit.retention import list_kept
from connectors.audit.sweeps import Sweep, list_sweeps
from connectors.catalogue.models import Connector
from connectors.console.health_words import LOGS
from connectors.console.presentation import ConnectorText, describe_connectors
from connectors.console.stages import STAGES, Stage
from connectors.console.sweep_words import SWEEPS
from connectors.ledger.health_mark import HealthMark, mark_health
from connectors.ledger.models import Probe
from connectors.ledger.notices import CERTIFICATE_ENDS_WITHIN
from connectors.ledger.queries import NEVER_ASKED, Availability, count_affected, read_availability
from connectors.lifecycle.models import RemovalJob
from connectors.lifecycle.queries import removals_under_way, stuck_removals

AILING = (HealthMark.DEAD, HealthMark.FAILING)
ENDPOINTS_SHOWN = 100


@dataclass(frozen=True, slots=True)
class EndpointLine:
    """One published connector's endpoint that fails or whose certificate ends; `people` and `agents` notice it."""

    probe: Probe
    text: ConnectorText
    mark: HealthMark
    stage: Stage | None
    availability: Availability
    people: int
    agents: int


@dataclass(frozen=True, slots=True)
class SweepLine:
    sweep: Sweep
    overdue: bool

    @property
    def title(self) -> str | Promise:
        return SWEEPS[self.sweep.name]


@dataclass(frozen=True, slots=True)
class KeptLine:
    """One log: for how many days it is kept (None: for good), of when its oldest row is, whether it is behind."""

    title: str | Promise
    days: int | None
    oldest: datetime | None
    behind: bool


@dataclass(frozen=True, slots=True)
class Upkeep:
    endpoints: list[EndpointLine]
    answering: int
    asked: int
    sweeps: list[SweepLine]
    removals: list[tuple[RemovalJob, bool]]  # those under way, and whether each is stuck
    chain: ChainCheck | None
    kept: list[KeptLine]

    @property
    def late(self) -> list[SweepLine]:
        return [line for line in self.sweeps if line.overdue or line.sweep.failing]


def read_upkeep() -> Upkeep:
    """Return it all by a fixed number of queries; endpoints that ail first, the worst on top."""
    now = timezone.now()
    probes = Probe.objects.filter(connector__status=Connector.Status.PUBLISHED).defer("tools", "toolset_digests")
    marks = {probe: mark_health(probe) for probe in probes}
    ailing = {probe: mark for probe, mark in marks.items() if mark in AILING or _ends_soon(probe, now)}
    stuck = set(stuck_removals().values_list("pk", flat=True))
    return Upkeep(
        endpoints=_list_endpoints(ailing)[:ENDPOINTS_SHOWN],
        answering=sum(mark in (HealthMark.ANSWERS, HealthMark.ASKS) for mark in marks.values()),
        asked=sum(mark not in (HealthMark.OFF, HealthMark.PROGRAM) for mark in marks.values()),
        sweeps=[SweepLine(sweep, sweep.is_overdue(now)) for sweep in list_sweeps()],
        removals=[(job, job.pk in stuck) for job in removals_under_way()],
        chain=last_check(),
        kept=[KeptLine(LOGS[each.log], each.days, each.oldest, each.is_behind(now)) for each in list_kept()],
    )


def _list_endpoints(marks: dict[Probe, HealthMark]) -> list[EndpointLine]:
    ids = [probe.connector_id for probe in marks]
    connectors = Connector.objects.only("key", "version").in_bulk(ids)
    texts, available, affected = describe_connectors(connectors.values()), read_availability(ids), count_affected(ids)
    lines = []
    for probe, mark in marks.items():
        if connector := connectors.get(probe.connector_id):  # else it was removed just now
            probe.connector = connector
            people, agents = affected[connector.pk]
            stage, availability = STAGES.get(probe.stage), available.get(connector.pk, NEVER_ASKED)
            lines.append(EndpointLine(probe, texts[connector.pk], mark, stage, availability, people, agents))
    order = {mark: number for number, mark in enumerate(AILING)}
    return sorted(lines, key=lambda line: (order.get(line.mark, len(order)), -line.people, line.text.name.casefold()))


def _ends_soon(probe: Probe, now: datetime) -> bool:
    ends = probe.certificate_expires_at
    return probe.enabled and ends is not None and ends - now <= CERTIFICATE_ENDS_WITHIN
