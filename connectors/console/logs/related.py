"""What a decision or a call belongs to and led to: decision ↔ call ↔ approval ↔ run ↔ connection, each a link."""

import uuid
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from connectors.access.models import User
from connectors.audit.models import CallRecord, DecisionRecord
from connectors.authorization.models import Connection
from connectors.console.logs.kinds import ALL_CALLS, MY_CALLS
from connectors.console.logs.lines import Text
from connectors.console.permissions import MANAGE_CONNECTORS
from connectors.console.rendering.amounts import tell_duration
from connectors.console.templatetags.console import state_label


@dataclass(frozen=True, slots=True)
class Related:
    """`url` is empty where there is nothing to open; `note` says why, or what is known of it."""

    title: Text
    words: Text
    url: str
    note: Text = ""


def tell_call(call: CallRecord | None, decision: DecisionRecord) -> Related:
    if call is not None:
        note = f"{state_label(call.outcome)} · {tell_duration(call.elapsed_us)}"
        return Related(_("Led to"), _("A call"), reverse("console:call", args=[call.pk]), note)
    words = _("No call in the log") if decision.allowed else _("Nothing: no request was sent")
    return Related(_("Led to"), words, "")


def tell_decision(decision: DecisionRecord | None, title: Text) -> Related:
    if decision is None:
        return Related(_("Decision"), _("No longer in the log"), "")
    return Related(_("Decision"), title, reverse("console:decision", args=[decision.pk]))


def tell_surroundings(record: CallRecord | DecisionRecord, reader: User) -> list[Related]:
    """Return the run, connection, approval, trace and connector of a record, as far as it has them."""
    log = MY_CALLS if record.person_id == reader.pk else ALL_CALLS
    calls = reverse(f"console:{log.route}")
    found = []
    if record.run_id:
        words = state_label(record.origin) if record.origin else _("Open the run")
        found.append(
            Related(
                _("Run"), words, reverse("console:run", args=[record.run_id]), _("its decisions and calls in order")
            )
        )
    if record.connection_id:
        words = record.alias or _("The account")
        own = _own_connection(record.connection_id, reader)
        url = own or f"{calls}?connection={record.connection_id}"
        found.append(Related(_("Connection"), words, url, "" if own else _("all calls through it")))
    if record.approval_id:
        found.append(
            Related(_("Approval"), f"{str(record.approval_id)[:8]}…", f"{calls}?approval={record.approval_id}")
        )
    if record.trace_id:
        found.append(Related(_("Trace"), f"{record.trace_id[:16]}", f"{calls}?trace={record.trace_id}", _("its calls")))
    if record.connector_key:
        found.append(Related(_("Connector"), record.connector_key, _connector_page(record.connector_key, reader)))
    return found


def _own_connection(connection_id: uuid.UUID, reader: User) -> str:
    own = Connection.objects.filter(pk=connection_id, person=reader).exists()
    return reverse("console:connection", args=[connection_id]) if own else ""


def _connector_page(key: str, reader: User) -> str:
    route = "connector_overview" if reader.has_perm(MANAGE_CONNECTORS) else "catalogue_connector"
    return reverse(f"console:{route}", args=[key])
