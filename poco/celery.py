"""The Celery application; the worker is a nudge away from states that live in the database."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_init
from django.conf import settings

from poco.folder_broker import use_folder_broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poco.settings")

use_folder_broker()
app = Celery("poco")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Each sweep looks for whatever is due in the database, so one that is missed or runs twice does no harm.
app.conf.beat_schedule = {
    "close idle runs": {"task": "gateway.close_idle_runs", "schedule": 60.0},
    "end lost calls": {"task": "gateway.end_lost_calls", "schedule": 60.0},
    "refresh credentials that are due": {"task": "authorization.refresh_due", "schedule": 30.0},
    "revoke credentials that were let go": {"task": "authorization.revoke_due", "schedule": 30.0},
    "tell people whose accounts need them": {"task": "authorization.notify_owners", "schedule": 3600.0},
    "sweep authorization sessions": {"task": "authorization.sweep_sessions", "schedule": 60.0},
    "sweep staged packages": {"task": "packages.sweep_staged", "schedule": 600.0},
    "sweep sign-in links": {"task": "access.sweep_sign_in_links", "schedule": 3600.0},
    "ask connectors' endpoints that are due": {"task": "ledger.probe_due", "schedule": 60.0},
    "open and close notices": {"task": "ledger.refresh_notices", "schedule": 300.0},
    "deliver digests that are due": {"task": "ledger.deliver_digests", "schedule": 60.0},
    "note changes in connectors' tools": {"task": "ledger.note_tool_changes", "schedule": 300.0},
    "make changes that waited for a connector": {"task": "lifecycle.finish_drains", "schedule": 15.0},
    "go on with removals": {"task": "lifecycle.finish_removals", "schedule": 30.0},
    "sweep copies of drained archives": {"task": "lifecycle.sweep_copies", "schedule": 21600.0},
    "set down where the administrative log ends": {"task": "audit.set_down_head", "schedule": 3600.0},
    "verify the administrative log when it is due": {"task": "audit.check_chain", "schedule": 30.0},
    "count calls": {"task": "audit.roll_up", "schedule": 30.0},
    "remove rows that were kept long enough": {"task": "audit.remove_old_rows", "schedule": 600.0},
    "sweep calls' contents that have expired": {"task": "audit.sweep_captured", "schedule": 3600.0},
    "sweep archives without rows": {"task": "catalogue.sweep_orphans", "schedule": 21600.0},
}

if settings.CELERY_BROKER_URL.startswith("filesystem:"):
    for folder in ("messages", "control"):
        (settings.BROKER_DIR / folder).mkdir(parents=True, exist_ok=True)
# Beat keeps its schedule in a file whatever the broker is. A process that may not write there needs none.
with suppress(OSError):
    Path(settings.CELERY_BEAT_SCHEDULE_FILENAME).parent.mkdir(parents=True, exist_ok=True)


@worker_init.connect
@beat_init.connect
def check_keys(**_kwargs: Any) -> None:
    """Neither worker nor beat starts without the keys values were sealed with."""
    from connectors.vault.startup import exit_without_keys  # noqa: PLC0415 - Django is set up by now, not before

    exit_without_keys()
