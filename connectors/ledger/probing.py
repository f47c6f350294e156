"""Ask published connectors' endpoints, gently, whether they still answer: handshake and list, with nobody's account.

The row is the queue (`Probe.due_at`): jittered, later and later after failures, off per connector. A server that asks
for a credential answers, and the row says that it asked.
"""

import asyncio
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from asgiref.sync import async_to_sync
from django.db import transaction
from django.utils import timezone

from connectors.access.models import User
from connectors.catalogue.endpoints import Server, resolve_servers
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import Connector
from connectors.catalogue.versions import manifest_of
from connectors.errors import ConnectorError
from connectors.ledger.models import Probe
from connectors.ledger.probe_record import Finding, record_finding
from connectors.ledger.probe_times import FIRST_WAIT, jittered, wait_after
from connectors.runtime.mcp_client import Deadline, ProbeReport, UpstreamServer, probe

AT_ONCE: Final = 8
RUN_SECONDS: Final = 120.0  # a sweep ends; what is left is due at the next
PROBE_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class _Target:
    """Where one connector's tools live, or why that is not known."""

    connector_id: UUID
    configuration_revision: int
    servers: tuple[Server, ...]
    refused: str = ""


def probe_due() -> int:
    """Ask every published connector whose time has come, a few at once, and return how many were asked."""
    _enlist()
    asked, ends = 0, time.monotonic() + RUN_SECONDS
    while time.monotonic() < ends and (targets := _claim_some()):
        findings = async_to_sync(_ask_all)(targets)
        for target, finding in zip(targets, findings, strict=True):
            record_finding(target.connector_id, target.configuration_revision, finding, next_due=next_due)
        asked += len(targets)
    return asked


def ask_soon(connector: Connector) -> None:
    """Let the next sweep ask one connector's endpoints, whatever its time is."""
    Probe.objects.update_or_create(connector=connector, defaults={"due_at": timezone.now()})


@transaction.atomic
def switch_probes(*, connector: Connector, enabled: bool, actor: User) -> None:
    """Let a connector's endpoints be asked, or be left alone."""
    current = lock_connector(connector.pk)
    probe, _ = Probe.objects.get_or_create(connector=current)
    if probe.enabled == enabled:
        return
    due_at = timezone.now() if enabled else probe.due_at
    Probe.objects.filter(pk=probe.pk).update(enabled=enabled, due_at=due_at)
    before, after = {"enabled": probe.enabled}, {"enabled": enabled}
    record_connector_event("probes_switched", current, actor, before=before, after=after)


def next_due(finding: Finding, failures: int, now: datetime) -> datetime:
    """Return when to ask again."""
    return now + jittered(wait_after(finding.outcome, failures))


def judge_reports(reports: list[ProbeReport]) -> Finding:
    """Return what one connector's servers came to: the one that got least far decides."""
    milliseconds = int(1000 * max(sum(stage.seconds for stage in report.stages) for report in reports))
    certificate = min((each.certificate_expires_at for each in reports if each.certificate_expires_at), default=None)
    failed = [report for report in reports if not report.ok]
    if not failed:
        return Finding(Probe.Outcome.LISTED, milliseconds=milliseconds, certificate_expires_at=certificate)
    worst = min(failed, key=lambda report: (_asks_authorization(report), len(report.stages)))
    last = worst.stages[-1]
    outcome = Probe.Outcome.ASKS_AUTHORIZATION if _asks_authorization(worst) else Probe.Outcome.FAILED
    return Finding(outcome, last.name, last.code, last.detail, milliseconds, certificate)


def _asks_authorization(report: ProbeReport) -> bool:
    return report.reached and not report.ok and report.stages[-1].name == "authorization"


def _enlist() -> None:
    """Every published connector has a row; a new one is due at once."""
    missing = Connector.objects.filter(status=Connector.Status.PUBLISHED, probe=None).order_by()
    now = timezone.now()
    rows = [Probe(connector_id=pk, due_at=now) for pk in missing.values_list("pk", flat=True)]
    Probe.objects.bulk_create(rows, ignore_conflicts=True)


def _claim_some() -> list[_Target]:
    """Move the due time on before anything is sent, so that no other worker asks too."""
    now = timezone.now()
    published = {"connector__status": Connector.Status.PUBLISHED, "connector__transition": Connector.Transition.NONE}
    due = Probe.objects.filter(**published, enabled=True, due_at__lte=now).order_by("due_at")
    claimed = [
        pk
        for pk, due_at in due.values_list("pk", "due_at")[:AT_ONCE]
        if Probe.objects.filter(pk=pk, due_at=due_at).update(due_at=now + FIRST_WAIT)
    ]
    return [_aim(connector) for connector in Connector.objects.filter(pk__in=claimed).select_related("version")]


def _aim(connector: Connector) -> _Target:
    revision = connector.configuration_revision
    try:
        servers = resolve_servers(manifest_of(connector.version), connector.configuration)
    except ConnectorError as error:
        return _Target(connector.pk, revision, (), error.code)
    return _Target(connector.pk, revision, servers)


async def _ask_all(targets: list[_Target]) -> list[Finding]:
    return await asyncio.gather(*(_ask(target) for target in targets))


async def _ask(target: _Target) -> Finding:
    if target.refused:
        return Finding(Probe.Outcome.FAILED, "configuration", target.refused)
    if not target.servers:
        return Finding(Probe.Outcome.NOTHING_TO_ASK)
    deadline = Deadline.after(PROBE_SECONDS)
    asked = (probe(UpstreamServer(server.url, server.transport), deadline=deadline) for server in target.servers)
    return judge_reports(list(await asyncio.gather(*asked)))
