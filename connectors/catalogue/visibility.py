"""Say who may see a connector: everyone, which is the default, or chosen teams and people (handbook §11)."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from django.db import transaction

from connectors.access.epoch import bump_catalogue
from connectors.access.models import Team, User
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import Connector
from connectors.errors import Conflict


def edition_of_visibility(connector: Connector) -> str:
    """Return a mark of who may see a connector as it is: who changes that says which they saw."""
    teams = sorted(str(team) for team in connector.teams.values_list("pk", flat=True))
    people = sorted(connector.people.values_list("pk", flat=True))
    return hashlib.sha256(json.dumps([connector.everyone, teams, people]).encode()).hexdigest()[:16]


@transaction.atomic
def set_visibility(
    *,
    connector: Connector,
    everyone: bool,
    teams: Iterable[Team],
    people: Iterable[User],
    actor: User | None,
    edition: str | None = None,
) -> Connector:
    """Replace who may see the connector; whom that leaves out is refused at their agents' next call.

    The chosen teams and people are kept while everyone may see it, for the day it is narrowed again. Raises
    `Conflict("visibility_changed")` when it is no longer what `edition` saw.
    """
    current = lock_connector(connector.pk)
    seen, before = edition_of_visibility(current), _describe(current)
    current.everyone = everyone
    current.save(update_fields=["everyone"])
    current.teams.set(teams)
    current.people.set(people)
    after = _describe(current)
    if after != before:  # the same sent twice is no conflict
        if edition not in (None, seen):
            raise Conflict("visibility_changed", key=current.key)
        bump_catalogue()
        record_connector_event("visibility_set", current, actor, before=before, after=after)
    return current


def _describe(connector: Connector) -> dict[str, Any]:
    return {
        "everyone": connector.everyone,
        "teams": list(connector.teams.order_by("name").values_list("name", flat=True)),
        "people": list(connector.people.order_by("username").values_list("username", flat=True)),
    }
