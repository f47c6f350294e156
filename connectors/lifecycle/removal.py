"""Remove a connector: out of use at once, then gone step by step (handbook §11). The steps are in `removal_steps`."""

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from connectors.access.epoch import bump_catalogue
from connectors.access.models import User
from connectors.authorization.cancelling import cancel_attempts
from connectors.authorization.models import Connection
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.locking import lock_connector
from connectors.catalogue.models import Connector, PackageVersion
from connectors.catalogue.versions import manifest_of
from connectors.errors import Fault, Invalid
from connectors.lifecycle.models import Drain, RemovalJob
from connectors.lifecycle.nudges import nudge_removals
from connectors.lifecycle.occupancy import Occupant, find_occupants, require_free
from connectors.lifecycle.removal_steps import let_go
from connectors.lifecycle.transition import check_transition, end_drain
from connectors.manifest.texts import text_for
from connectors.policy.models import Grant


@dataclass(frozen=True, slots=True)
class RemovalPreview:
    """What a removal touches: accounts, the people and agents that have them, open runs, package versions."""

    connector: Connector
    connections: int
    people: int
    agents: int
    runs: int
    versions: int
    occupants: tuple[Occupant, ...]


def preview_removal(*, connector: Connector) -> RemovalPreview:
    """Return what removing the connector would touch."""
    connections = Connection.objects.filter(connector=connector).order_by()
    granted = Grant.objects.filter(connection__connector=connector).order_by()
    occupants = find_occupants(connector)
    return RemovalPreview(
        connector=connector,
        connections=connections.count(),
        people=connections.values("person_id").distinct().count(),
        agents=granted.values("agent_id").distinct().count(),
        runs=sum(occupant.kind == "run" for occupant in occupants),
        versions=PackageVersion.objects.filter(key=connector.key).count(),
        occupants=occupants,
    )


def remove_connector(*, connector: Connector, typed_key: str, actor: User | None) -> RemovalJob:
    """Take the connector out of use at once and return the job that removes what is left of it.

    From the commit on nothing is called, signed in or refreshed through it. Raises `Invalid` (fault
    "key_does_not_match" at "typed_key"), `Occupied`, `Conflict("connector_draining" | "connector_removing")`.
    """
    check_typed_key(connector, typed_key)
    return begin_removal(connector, actor)


def check_typed_key(connector: Connector, typed_key: str) -> None:
    if typed_key.strip() != connector.key:
        raise Invalid([Fault("key_does_not_match", "typed_key", {"key": connector.key})])


@transaction.atomic
def begin_removal(connector: Connector, actor: User | None, *, drain: Drain | None = None) -> RemovalJob:
    """Disable the connector for good and let go of its first connections; `lifecycle.finish_removals` does the rest."""
    current = lock_connector(connector.pk)
    check_transition(current, drain)
    require_free(current)
    before = _describe(current)
    cancel_attempts(current)
    if drain is not None:
        end_drain(current, drain, Drain.State.DONE)
    current.status = Connector.Status.DISABLED
    current.transition = Connector.Transition.REMOVING
    current.save(update_fields=["status", "transition"])
    job = RemovalJob.objects.create(
        connector_id=current.pk,
        connector_key=current.key,
        connector_name=_name(current)[:255],
        removed_by_name=actor.name if actor else "",
        due_at=timezone.now(),
    )
    let_go(current)
    bump_catalogue()
    record_connector_event("connector_removed", current, actor, before=before)
    nudge_removals()
    return job


def _name(connector: Connector) -> str:
    manifest, texts = manifest_of(connector.version), connector.version.texts
    locale = manifest.default_locale
    return text_for(texts, manifest.presentation.name_key, language=locale, default_locale=locale)


def _describe(connector: Connector) -> dict[str, object]:
    connections = Connection.objects.filter(connector=connector).order_by()
    return {
        "version": connector.version.version,
        "status": connector.status,
        "configuration": connector.configuration,
        "secrets": dict.fromkeys(sorted(connector.secrets.values_list("field", flat=True)), "set"),
        "connections": connections.count(),
        "people": connections.values("person_id").distinct().count(),
    }
