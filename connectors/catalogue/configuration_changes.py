"""Who changed what in a connector's configuration since somebody opened its form: told to the second editor.

Acts that raise the configuration's revision write it into their event, with the fields they changed; of a secret the
event says only that it was set, replaced or cleared.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from connectors.audit.models import AdminEvent
from connectors.catalogue.models import Connector
from connectors.errors import Conflict

_READ_BACK = 200  # events of one connector; a form is not open over more


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field: what it was at the revision asked about, what it is now, and by whose act, the last of several.

    Of a secret `before` and `after` are words: set, replaced, cleared.
    """

    field: str
    secret: bool
    before: Any
    after: Any
    act: str
    by: str
    at: datetime


def changes_since(connector: Connector, revision: int) -> tuple[FieldChange, ...]:
    """Return each field that changed after a revision, by field; one that was changed back is not told."""
    changed: dict[str, FieldChange] = {}
    for change in _read_events(connector, revision):
        first = changed.get(change.field)
        changed[change.field] = replace(change, before=first.before) if first else change
    told = (change for change in changed.values() if change.secret or change.before != change.after)
    return tuple(sorted(told, key=lambda change: change.field))


def stale_configuration(connector: Connector) -> Conflict:
    """Return the conflict that tells who changed the configuration last, and which fields."""
    last = next(iter(_events(connector)), None)
    return Conflict(
        "configuration_changed",
        revision=connector.configuration_revision,
        by=last.actor_name if last else "",
        at=last.at.isoformat() if last else "",
        fields=sorted({*last.after.get("configuration", {}), *last.after.get("secrets", {})}) if last else [],
    )


def _read_events(connector: Connector, revision: int) -> Iterator[FieldChange]:
    """Yield each field of each event after a revision, the oldest first."""
    for event in reversed(_events(connector)):
        if event.after["revision"] <= revision:
            continue
        for part, secret in (("configuration", False), ("secrets", True)):
            before, after = event.before.get(part, {}), event.after.get(part, {})
            for field in {**before, **after}:
                yield FieldChange(
                    field, secret, before.get(field), after.get(field), event.act, event.actor_name, event.at
                )


def _events(connector: Connector) -> list[AdminEvent]:
    """Return the latest events that raised the configuration's revision, the newest first."""
    events = AdminEvent.objects.filter(target_kind="connector", target_id=str(connector.pk)).order_by("-pk")
    return [event for event in events[:_READ_BACK] if isinstance(event.after.get("revision"), int)]
