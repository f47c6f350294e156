"""What people should look at: opened when the worker finds it, closed when it is mended, each seen by whom it concerns.

connector_dead       its administrators, its owner in the ledger, everybody who sees it and has an account there
certificate_ending   administrators, the connector's owner
refresh_failing      administrators, the connector's owner (people hear of their own accounts as such)
review_due           administrators
removal_stuck        administrators
sweep_overdue        administrators
chain_broken         auditors and administrators
narrowing_asked      people with a grant there that is wider than its use
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from connectors.access.models import User
from connectors.audit.checks import last_check
from connectors.audit.sweeps import overdue_sweeps
from connectors.authorization.models import RefreshLease
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import visible_connectors
from connectors.ledger.health_mark import is_dead
from connectors.ledger.models import Notice, NoticeReader, Probe
from connectors.ledger.narrowing import ASKED_FOR, asked_narrowing
from connectors.ledger.queries import connectors_due, open_review
from connectors.lifecycle.queries import stuck_removals

MANAGE: Final = "connectors.manage_connectors"
AUDIT: Final = "connectors.view_audit"
CERTIFICATE_ENDS_WITHIN: Final = timedelta(days=14)
REFRESH_FAILS_FOR: Final = timedelta(hours=1)
FORGOTTEN_AFTER: Final = timedelta(days=90)
KIND: Final = Notice.Kind
OWN_SWEEP: Final = "ledger.refresh_notices"
_OF_MANAGERS: Final = (
    *(KIND.CONNECTOR_DEAD, KIND.CERTIFICATE_ENDING, KIND.REFRESH_FAILING, KIND.REVIEW_DUE, KIND.REMOVAL_STUCK),
    *(KIND.SWEEP_OVERDUE, KIND.CHAIN_BROKEN),
)
_OF_OWNERS: Final = (KIND.CONNECTOR_DEAD, KIND.CERTIFICATE_ENDING, KIND.REFRESH_FAILING)


@dataclass(frozen=True, slots=True)
class Found:
    """Something that is wrong now."""

    kind: Notice.Kind
    subject: str = ""
    connector_id: UUID | None = None
    parameters: dict[str, Any] = field(default_factory=dict)


def refresh_notices() -> int:
    """Open what is newly wrong, close what is mended, forget what was closed long ago; return how many are open."""
    now = timezone.now()
    found = {(each.kind.value, each.subject): each for each in find_wrong(now)}
    standing = Notice.objects.filter(closed_at=None)
    known = {(notice.kind, notice.subject): notice for notice in standing.exclude(kind=KIND.NARROWING_ASKED)}
    mended = [notice.pk for key, notice in known.items() if key not in found]
    Notice.objects.filter(pk__in=mended).update(closed_at=now)
    standing.filter(kind=KIND.NARROWING_ASKED, opened_at__lte=now - ASKED_FOR).update(closed_at=now)
    for key, each in found.items():
        _open(each, known.get(key), now)
    Notice.objects.filter(closed_at__lt=now - FORGOTTEN_AFTER).delete()
    return standing.count()


def find_wrong(now: datetime) -> Iterator[Found]:
    """Look for everything a notice may be about."""
    yield from _find_endpoints(now)
    yield from _find_refreshes(now)
    due = 0 if open_review() else connectors_due().count()
    if due:
        yield Found(KIND.REVIEW_DUE, parameters={"count": due})
    check = last_check()
    if check is not None and not check.ok:
        yield Found(KIND.CHAIN_BROKEN, parameters={"code": check.fault, "sequence": check.fault_sequence})
    for job in stuck_removals():
        yield Found(KIND.REMOVAL_STUCK, job.connector_key, parameters={"failure": job.failure})
    for name in _find_overdue():
        yield Found(KIND.SWEEP_OVERDUE, name)


def open_notices(person: User) -> QuerySet[Notice]:
    """Return the open notices that concern a person, the latest first."""
    now = timezone.now()
    ids = asked_narrowing(person, now=now)
    asked = Q(kind=KIND.NARROWING_ASKED, connector__in=ids) if ids else Q(pk__in=[])
    notices = Notice.objects.filter(_concerning(person) | asked, closed_at=None)
    return notices.select_related("connector__version").order_by("-opened_at")


def count_new(person: User) -> int:
    """Return how many notices were opened since a person last looked."""
    seen = NoticeReader.objects.filter(person=person).values_list("seen_at", flat=True).first()
    notices = open_notices(person)
    return (notices.filter(opened_at__gt=seen) if seen else notices).count()


def mark_seen(person: User) -> None:
    """Remember that a person has looked at the notices."""
    NoticeReader.objects.update_or_create(person=person, defaults={"seen_at": timezone.now()})


def _concerning(person: User) -> Q:
    """Narrowing apart: whether that concerns somebody takes more than a query."""
    visible = visible_connectors(person).order_by().values("pk")
    mine = Q(kind=KIND.CONNECTOR_DEAD, connector__connections__person=person, connector__in=visible)
    owned = Q(kind__in=_OF_OWNERS, connector__ledger_entry__owner=person)
    concerning = Q(pk__in=Notice.objects.filter(mine | owned, closed_at=None).order_by().values("pk"))
    if person.has_perm(MANAGE):
        concerning |= Q(kind__in=_OF_MANAGERS)
    if person.has_perm(AUDIT):
        concerning |= Q(kind=KIND.CHAIN_BROKEN)
    return concerning


def _find_endpoints(now: datetime) -> Iterator[Found]:
    asked = Probe.objects.filter(enabled=True, connector__status=Connector.Status.PUBLISHED)
    for probe in asked.select_related("connector").defer("tools", "connector__configuration"):
        connector, ends = probe.connector, probe.certificate_expires_at
        if probe.outcome == Probe.Outcome.FAILED and is_dead(probe) and probe.failing_since:
            told = {"since": probe.failing_since.isoformat(), "code": probe.code, "stage": probe.stage}
            yield Found(KIND.CONNECTOR_DEAD, connector.key, connector.pk, told)
        if ends is not None and ends - now <= CERTIFICATE_ENDS_WITHIN:
            yield Found(KIND.CERTIFICATE_ENDING, connector.key, connector.pk, {"at": ends.isoformat()})


def _find_refreshes(now: datetime) -> Iterator[Found]:
    failing = RefreshLease.objects.filter(failing_since__lte=now - REFRESH_FAILS_FOR).order_by()
    rows = failing.values("connection__connector_id", "connection__connector__key").annotate(accounts=Count("pk"))
    for row in rows:
        key, pk = row["connection__connector__key"], row["connection__connector_id"]
        yield Found(KIND.REFRESH_FAILING, key, pk, {"count": row["accounts"]})


def _find_overdue() -> Iterable[str]:
    """While this very look is overdue the worker has only just come back: what it does by the clock is about to be
    done, so nothing new is told of; what stood before still stands."""
    names = {sweep.name[:64] for sweep in overdue_sweeps()}
    if OWN_SWEEP in names:
        standing = Notice.objects.filter(kind=KIND.SWEEP_OVERDUE, closed_at=None, subject__in=names - {OWN_SWEEP})
        return tuple(standing.values_list("subject", flat=True))
    return sorted(names)


def _open(found: Found, known: Notice | None, now: datetime) -> None:
    if known is not None:
        if known.parameters != found.parameters:
            Notice.objects.filter(pk=known.pk).update(parameters=found.parameters)
        return
    try:
        with transaction.atomic():
            Notice.objects.create(
                kind=found.kind,
                subject=found.subject,
                connector_id=found.connector_id,
                parameters=found.parameters,
                opened_at=now,
            )
    except IntegrityError:  # another worker has just opened it
        return
