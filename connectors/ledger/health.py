"""Whether the parts this console stands on answer: each asked for real, each on its own."""

import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from celery import current_app
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.utils import timezone
from kombu.exceptions import KombuError

from connectors.audit.checks import last_check
from connectors.audit.sweeps import overdue_sweeps
from connectors.authorization.models import RevocationJob
from connectors.authorization.queries import unrevoked
from connectors.authorization.refresh_sweep import list_due
from connectors.errors import ConnectorError
from connectors.lifecycle.queries import stuck_removals
from connectors.packages.storage import get_object_store
from connectors.vault.startup import ensure_canaries

logger = logging.getLogger("connectors.ledger.health")
WORKER_SECONDS = 1.0
OVERDUE = timedelta(minutes=5)
_EXPECTED = (ConnectorError, DatabaseError, KombuError, OSError, ImproperlyConfigured)


@dataclass(frozen=True, slots=True)
class PartHealth:
    """One part of the house. `code` names what is wrong and is safe to show; the log has the rest."""

    name: str
    ok: bool
    seconds: float
    code: str = ""


def check_health() -> tuple[PartHealth, ...]:
    """Ask each part, in the order of `QUESTIONS`; one whose ground is gone is not asked."""
    parts: dict[str, PartHealth] = {}
    for name, question in QUESTIONS.items():
        waits_for = NEEDS.get(name)
        if waits_for and not parts[waits_for].ok:
            parts[name] = PartHealth(name, ok=False, seconds=0.0, code=f"{waits_for}_does_not_answer")
        else:
            parts[name] = _ask(name, question)
    return tuple(parts.values())


def _ask(name: str, question: Callable[[], str]) -> PartHealth:
    started = time.perf_counter()
    try:
        code = question()
    except _EXPECTED as error:
        logger.warning("%s is not healthy: %r", name, error)
        code = error.code if isinstance(error, ConnectorError) else type(error).__name__
    return PartHealth(name, not code, time.perf_counter() - started, code)


def _ask_database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return "" if cursor.fetchone() == (1,) else "wrong_answer"


def _ask_broker() -> str:
    with current_app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=1)
    return ""


def _ask_worker() -> str:
    return "" if current_app.control.ping(timeout=WORKER_SECONDS, limit=1) else "no_worker_answered"


def _ask_vault() -> str:
    ensure_canaries()
    return ""


def _ask_object_store() -> str:
    """List under a prefix nothing has: a store that can say "nothing" can be reached and read."""
    return "wrong_answer" if next(iter(get_object_store().list_keys(f"health/{uuid.uuid4()}/")), None) else ""


def _ask_refresh() -> str:
    """Two missed sweeps and a little: nobody is refreshing what is due."""
    late = timezone.now() - OVERDUE
    return "overdue" if list_due(late) else ""


def _ask_revocation() -> str:
    late = timezone.now() - OVERDUE
    if RevocationJob.objects.filter(due_at__lte=late).exists():
        return "overdue"
    return "gave_up" if unrevoked().exists() else ""


def _ask_sweeps() -> str:
    """Two missed periods of any periodic task (safety.md, "Fail closed")."""
    return "overdue" if overdue_sweeps() else ""


def _ask_chain() -> str:
    """The last verification of the administrative events' chain; none was made yet is no fault."""
    check = last_check()
    return "" if check is None or check.ok else check.fault or "altered"


def _ask_removals() -> str:
    return "stuck" if stuck_removals().exists() else ""


NEEDS = dict.fromkeys(("vault", "refresh", "revocation", "sweeps", "chain", "removals"), "database") | {
    "worker": "broker"
}
QUESTIONS: dict[str, Callable[[], str]] = {
    "database": _ask_database,
    "broker": _ask_broker,
    "worker": _ask_worker,
    "vault": _ask_vault,
    "object_store": _ask_object_store,
    "refresh": _ask_refresh,
    "revocation": _ask_revocation,
    "removals": _ask_removals,
    "sweeps": _ask_sweeps,
    "chain": _ask_chain,
}
