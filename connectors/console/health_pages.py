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
    """One published connector's endpoint; `people` and `agents` notice when it fails."""

    probe: Probe
    text: ConnectorText
    mark: HealthMark
    stage: Stage | None
    availability: Availability
    people: int
    agents: int
    ending: bool  # its certificate, soon

    @property
    def ails(self) -> bool:
        return self.mark in AILING or self.ending


@dataclass(frozen=True, slots=True)
class SweepLine:
    sweep: Sweep
    overdue: bool


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
    lines = _list_endpoints(now)
    ailing = [line for line in lines if line.ails]
    stuck = set(stuck_removals().values_list("pk", flat=True))
    return Upkeep(
        endpoints=ailing[:ENDPOINTS_SHOWN],
        answering=sum(line.mark in (HealthMark.ANSWERS, HealthMark.ASKS) for line in lines),
        asked=sum(line.mark not in (HealthMark.OFF, HealthMark.PROGRAM) for line in lines),
        sweeps=[SweepLine(sweep, sweep.is_overdue(now)) for sweep in list_sweeps()],
        removals=[(job, job.pk in stuck) for job in removals_under_way()],
        chain=last_check(),
        kept=[KeptLine(LOGS[each.log], each.days, each.oldest, each.is_behind(now)) for each in list_kept()],
    )


def _list_endpoints(now: datetime) -> list[EndpointLine]:
    probes = Probe.objects.filter(connector__status=Connector.Status.PUBLISHED).select_related("connector")
    found = list(probes.defer("tools", "toolset_digests", "connector__configuration"))
    ids = [probe.connector_id for probe in found]
    texts, available = describe_connectors([probe.connector for probe in found]), read_availability(ids)
    affected = count_affected(ids)
    lines = [
        EndpointLine(
            probe=probe,
            text=texts[probe.connector_id],
            mark=mark_health(probe),
            stage=STAGES.get(probe.stage),
            availability=available.get(probe.connector_id, NEVER_ASKED),
            people=affected[probe.connector_id][0],
            agents=affected[probe.connector_id][1],
            ending=_ends_soon(probe, now),
        )
        for probe in found
    ]
    order = {mark: number for number, mark in enumerate(AILING)}
    return sorted(lines, key=lambda line: (order.get(line.mark, len(order)), -line.people, line.text.name.casefold()))


def _ends_soon(probe: Probe, now: datetime) -> bool:
    ends = probe.certificate_expires_at
    return probe.enabled and ends is not None and ends - now <= CERTIFICATE_ENDS_WITHIN
