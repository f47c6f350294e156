"""What each periodic task does, in words; Health lists them."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SWEEPS: Final[dict[str, str | Promise]] = {
    "access.sweep_sign_in_links": _("Remove sign-in links that have run out"),
    "audit.check_chain": _("Verify the chain of admin events"),
    "audit.remove_old_rows": _("Remove log rows that have been kept long enough"),
    "audit.roll_up": _("Count the use of connectors and tools"),
    "audit.set_down_head": _("Sign the head of the chain"),
    "audit.sweep_captured": _("Remove kept contents of calls that have run out"),
    "authorization.notify_owners": _("Tell people whose accounts need them"),
    "authorization.refresh_due": _("Renew credentials before they end"),
    "authorization.revoke_due": _("Revoke credentials that were given up"),
    "authorization.sweep_sessions": _("End authorizations that nobody finished"),
    "catalogue.sweep_orphans": _("Remove archives that no connector needs"),
    "gateway.close_idle_runs": _("End runs in which nothing happens any more"),
    "gateway.end_lost_calls": _("End calls whose process was stopped"),
    "ledger.deliver_digests": _("Send the daily digests"),
    "ledger.note_tool_changes": _("Notice changed tool lists"),
    "ledger.probe_due": _("Ask endpoints whether they answer"),
    "ledger.refresh_notices": _("Open and close notices"),
    "lifecycle.finish_drains": _("Carry out changes that wait until nothing uses a connector"),
    "lifecycle.finish_removals": _("Go on with removals"),
    "lifecycle.sweep_copies": _("Remove local copies of removed packages"),
    "packages.sweep_staged": _("Remove uploads that were never installed"),
}
