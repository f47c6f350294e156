"""Write down what only people know of a connector: purpose, owner, where it came from, and the checklist."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction

from connectors.access.models import User
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import Connector
from connectors.errors import Conflict, Fault, Invalid
from connectors.ledger.checklist import ITEMS, NO, YES
from connectors.ledger.models import LedgerEntry
from connectors.manifest.free_text import text_faults

LONGEST_TEXT: Final = 500
LONGEST_NOTE: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """What an entry shall say; empty texts stand for "nothing written"."""

    purpose: str
    owner: User | None
    source: str


def write_entry(*, connector: Connector, writing: Writing, expected_revision: int, actor: User) -> LedgerEntry:
    """Replace purpose, owner and source; Conflict("ledger_entry_changed") when somebody else wrote since the page."""
    faults = [
        *text_faults("purpose", writing.purpose, longest=LONGEST_TEXT),
        *text_faults("source", writing.source, longest=LONGEST_TEXT),
    ]
    if writing.owner is not None and not writing.owner.is_active:
        faults.append(Fault("owner_inactive", "owner"))
    if faults:
        raise Invalid(faults)
    values = {"purpose": writing.purpose.strip(), "owner": writing.owner, "source": writing.source.strip()}
    return _write(connector, values, "ledger_entry_written", expected_revision, actor)


def answer_checklist(
    *, connector: Connector, answers: Mapping[str, str], note: str, expected_revision: int, actor: User
) -> LedgerEntry:
    """Replace the checklist's answers ("yes", "no", or "" for one that nobody looked at) and the note to them."""
    faults = text_faults("note", note, longest=LONGEST_NOTE)
    faults += [Fault("checklist_unknown", item) for item in answers if item not in ITEMS]
    faults += [Fault("not_an_option", item) for item, answer in answers.items() if answer not in (YES, NO, "")]
    if faults:
        raise Invalid(faults)
    values = {
        "checklist": {item: answers[item] for item in ITEMS if answers.get(item)},
        "checklist_note": note.strip(),
    }
    return _write(connector, values, "checklist_answered", expected_revision, actor)


@transaction.atomic
def _write(
    connector: Connector, values: Mapping[str, Any], act: str, expected_revision: int, actor: User
) -> LedgerEntry:
    current = lock_connector(connector.pk)
    entry = LedgerEntry.objects.select_related("owner", "changed_by").filter(connector=current).first()
    entry = entry or LedgerEntry(connector=current)
    if entry.revision != expected_revision:
        name = entry.changed_by.name if entry.changed_by else ""
        raise Conflict("ledger_entry_changed", name=name, revision=entry.revision)
    before = _describe(entry, values)
    for name, value in values.items():
        setattr(entry, name, value)
    after = _describe(entry, values)
    if after == before:
        return entry
    entry.revision += 1
    entry.changed_by = actor
    entry.save()
    record_connector_event(act, current, actor, before=before, after=after)
    return entry


def _describe(entry: LedgerEntry, values: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: getattr(entry, name) for name in values}
    if "owner" in told:
        told["owner"] = entry.owner.username if entry.owner else ""
    return told
