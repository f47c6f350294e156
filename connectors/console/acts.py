"""The acts of the administrative log, and what each changed, as people read them."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.audit.models import AdminEvent
from connectors.console.rendering.moments import tell_absolute

ACTS: Final[dict[str, str | Promise]] = {
    "connector_installed": _("Connector installed"),
    "connector_updated": _("Connector updated"),
    "connector_rolled_back": _("Connector rolled back"),
    "connector_removed": _("Connector taken out of use and removed"),
    "connector_removal_finished": _("Removal of a connector finished"),
    "revocations_abandoned": _("Revocations no longer waited for"),
    "drain_started": _("Draining begun"),
    "drain_cancelled": _("Draining cancelled"),
    "drain_failed": _("Drained change failed"),
    "run_ended": _("Run ended for a change"),
    "configuration_saved": _("Configuration saved"),
    "connector_published": _("Connector published"),
    "connector_disabled": _("Connector disabled"),
    "visibility_set": _("Visibility set"),
    "category_set": _("Category set"),
    "category_renamed": _("Category renamed"),
    "categories_merged": _("Categories merged"),
    "category_separated": _("Category separated"),
    "categories_ordered": _("Categories ordered"),
    "connectors_ordered": _("Connectors ordered"),
    "viewed_as": _("Catalogue viewed as a person"),
    "ledger_entry_written": _("Ledger entry written"),
    "checklist_answered": _("Checklist answered"),
    "disposition_decided": _("Disposition decided"),
    "review_started": _("Review started"),
    "review_finished": _("Review finished"),
    "probes_switched": _("Probes switched on or off"),
    "narrowing_asked": _("Owners asked to narrow grants"),
    "digest_webhook_set": _("Digest webhook set"),
    "digest_webhook_removed": _("Digest webhook removed"),
    "digest_webhook_secret_renewed": _("Digest webhook's secret renewed"),
    "digest_webhook_tried": _("Digest webhook tried"),
    "account_connected": _("Account connected"),
    "account_reconnected": _("Account reconnected"),
    "account_renamed": _("Account renamed"),
    "account_disconnected": _("Account disconnected"),
    "agent_created": _("Agent made"),
    "agent_retired": _("Agent retired"),
    "token_added": _("Token made"),
    "token_revoked": _("Token revoked"),
    "grant_set": _("Grant set"),
    "grant_removed": _("Grant removed"),
    "person_created": _("Person made"),
    "person_activated": _("Person activated"),
    "person_deactivated": _("Person deactivated"),
    "role_set": _("Role set"),
    "sign_in_link_made": _("Sign-in link made"),
    "team_created": _("Team made"),
    "team_renamed": _("Team renamed"),
    "team_members_set": _("Team members set"),
    "team_deleted": _("Team deleted"),
    "view_shared": _("View shared"),
    "view_unshared": _("View no longer shared"),
    "view_renamed": _("View renamed"),
    "capture_set": _("Content capture set"),
    "content_viewed": _("Content of a call read"),
    "log_exported": _("Log exported"),
    "chain_check_requested": _("Verification asked for"),
    "vault_keys_rotated": _("Vault keys rotated"),
    "vault_key_retired": _("Vault key retired"),
}
# What an act's fields are called; the values stay as they were written down.
FIELDS: Final[dict[str, str | Promise]] = {
    "access": _("Access"),
    "agent": _("Agent"),
    "accepted": _("Raised risks that were ticked"),
    "alias": _("Alias"),
    "cancelled_authorizations": _("Authorizations cancelled"),
    "archive_sha256": _("Archive SHA-256"),
    "breadth": _("Breadth"),
    "category": _("Category"),
    "capture_days": _("Days content is kept"),
    "columns": _("Columns"),
    "configuration": _("Configuration"),
    "connectors": _("Connectors"),
    "display_name": _("Name"),
    "answered": _("Answered"),
    "checklist": _("Checklist"),
    "checklist_note": _("Note"),
    "disposition": _("Disposition"),
    "enabled": _("Switched on"),
    "everyone": _("Everyone"),
    "expires_at": _("Expires at"),
    "filters": _("Filters"),
    "format": _("Format"),
    "grant_revision": _("Grant revision"),
    "icon": _("Icon"),
    "lost": _("Lost"),
    "members": _("Members"),
    "merged_into": _("Merged into"),
    "name": _("Name"),
    "names": _("Names"),
    "order": _("Order"),
    "overridden": _("Chosen by an administrator"),
    "owner": _("Owner"),
    "page": _("Page"),
    "people": _("People"),
    "person": _("Person"),
    "limit": _("Rows at most"),
    "log": _("Log"),
    "problems": _("Problems"),
    "query": _("Filters"),
    "purpose": _("Purpose"),
    "reason": _("Reason"),
    "resealed": _("Sealed anew"),
    "revision": _("Revision"),
    "reauthorize": _("People who must authorize again"),
    "role": _("Role"),
    "run": _("Run"),
    "runs_end_at": _("Open runs are ended at"),
    "secrets": _("Secrets"),
    "source": _("Source"),
    "started_at": _("Started"),
    "state": _("State"),
    "status": _("Status"),
    "teams": _("Teams"),
    "token": _("Token"),
    "tools": _("Tools"),
    "url": _("Address"),
    "version": _("Version"),
    "zone": _("Time zone"),
}
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)")


@dataclass(frozen=True, slots=True)
class Change:
    field: str | Promise
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class EventLine:
    event: AdminEvent
    act: str | Promise
    changes: tuple[Change, ...]

    @property
    def record(self) -> AdminEvent:
        return self.event


def describe_event(event: AdminEvent) -> EventLine:
    """The act in words, and every field whose value differs before and after."""
    before, after = _flatten(event.before), _flatten(event.after)
    fields = dict.fromkeys([*before, *after])
    changes = tuple(
        Change(_name(field), _show(before.get(field)), _show(after.get(field)))
        for field in fields
        if before.get(field) != after.get(field)
    )
    return EventLine(event, name_act(event.act), changes)


def name_act(act: str) -> str | Promise:
    return ACTS.get(act) or act.replace("_", " ").capitalize()


def _flatten(values: Mapping[str, Any]) -> dict[tuple[str, ...], Any]:
    """What stands inside a field is told by its own name: a configuration's fields one by one."""
    flat: dict[tuple[str, ...], Any] = {}
    for name, value in values.items():
        if isinstance(value, dict) and value:
            flat |= {(name, str(inner)): deeper for inner, deeper in value.items()}
        else:
            flat[name,] = value
    return flat


def _name(path: tuple[str, ...]) -> str | Promise:
    first = FIELDS.get(path[0]) or path[0].replace("_", " ")
    return " · ".join((str(first), *path[1:])) if len(path) > 1 else first


def _show(value: Any) -> str:
    if value in (None, {}, []):
        return ""
    if isinstance(value, str):
        return tell_absolute(datetime.fromisoformat(value)) if _MOMENT.fullmatch(value) else value
    if isinstance(value, list):
        return ", ".join(map(_show, value))
    return json.dumps(value, ensure_ascii=False)
