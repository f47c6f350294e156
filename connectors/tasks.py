"""The list of Celery tasks, for Celery only: each room's own module holds them.

A task is a nudge; what is due stands in the database, so one that is lost delays work and loses nothing.
"""

from connectors.access.tasks import sweep_sign_in_links
from connectors.audit.tasks import check_chain, remove_old_rows, roll_up, set_down_head, sweep_captured
from connectors.authorization.tasks import notify_owners, refresh_due, revoke_due, sweep_sessions
from connectors.catalogue.tasks import sweep_orphans
from connectors.gateway.tasks import close_idle_runs, end_lost_calls
from connectors.ledger.tasks import deliver_digests, note_tool_changes, probe_due, refresh_notices
from connectors.lifecycle.tasks import finish_drains, finish_removals, sweep_copies
from connectors.packages.tasks import sweep_staged_packages

__all__ = [
    "check_chain",
    "close_idle_runs",
    "deliver_digests",
    "end_lost_calls",
    "finish_drains",
    "finish_removals",
    "note_tool_changes",
    "notify_owners",
    "probe_due",
    "refresh_due",
    "refresh_notices",
    "remove_old_rows",
    "revoke_due",
    "roll_up",
    "set_down_head",
    "sweep_captured",
    "sweep_copies",
    "sweep_orphans",
    "sweep_sessions",
    "sweep_sign_in_links",
    "sweep_staged_packages",
]
