"""What a connector's pages tell of a change that waits, of one that has just ended, and of a removal under way."""

import hashlib
from dataclasses import dataclass, replace
from datetime import timedelta

from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import ngettext

from connectors.audit.models import AdminEvent
from connectors.catalogue.models import Connector
from connectors.console.change_pages import ToldOccupant, tell_occupants
from connectors.console.lifecycle_words import DRAINS
from connectors.console.messages import Told, describe_error
from connectors.gateway.outcomes import WORDS
from connectors.lifecycle.models import Drain
from connectors.lifecycle.occupancy import find_occupants
from connectors.lifecycle.queries import failure_of, find_drain

TOLD_FOR = timedelta(days=1)  # how long a change that was made by itself is told of


@dataclass(frozen=True, slots=True)
class DrainState:
    """`mark` changes when there is something new to show; `again` is the address of the next act after a failure;
    `told_agents` and `told_stopped` are what an agent reads whose call is refused meanwhile, or whose run was ended."""

    drain: Drain
    headline: str
    occupants: tuple[ToldOccupant, ...]
    failure: Told | None
    again: str
    again_label: str | Promise
    mark: str
    before: str  # the version a done change came from
    runs: int = 0  # how many it waits for
    told_agents: str = WORDS["connector_draining"]
    told_stopped: str = WORDS["run_stopped"]

    @property
    def spoken(self) -> str:
        """What has just changed, for whoever does not see the page change."""
        return f"{self.headline} {self.failure or self._using}".strip()

    @property
    def _using(self) -> str:
        if self.drain.state != Drain.State.WAITING:
            return ""
        using = len(self.occupants)
        return ngettext("%(count)d thing uses it", "%(count)d things use it", using) % {"count": using}


def read_drain(connector: Connector, *, tell_end: bool) -> DrainState | None:
    """Return what is to be told of the connector's last drain; of a cancelled one nothing, of a done one if asked."""
    drain = find_drain(connector)
    if drain is None or not _worth_telling(drain, connector, tell_end=tell_end):
        return None
    waiting = drain.state == Drain.State.WAITING
    found = find_occupants(connector) if waiting else ()
    occupants = tuple(_offer_end(told, connector) for told in tell_occupants(found))
    words = DRAINS[drain.kind]
    headline = {Drain.State.WAITING: words.waiting, Drain.State.DONE: words.done}.get(drain.state, words.failed)  # type: ignore[call-overload] # the field's text is one of them
    return DrainState(
        drain=drain,
        headline=str(headline) % {"version": drain.target_version},
        occupants=occupants,
        failure=_tell_failure(drain),
        again=_again(drain, connector),
        again_label=words.again,
        mark=_mark(drain, occupants),
        before=_version_before(connector) if drain.state == Drain.State.DONE else "",
        runs=sum(occupant.kind == "run" for occupant in found),
    )


def _offer_end(told: ToldOccupant, connector: Connector) -> ToldOccupant:
    run_id = told.occupant.run_id
    if run_id is None:
        return told
    return replace(told, end_url=reverse("console:connector_drain_end_run", args=[connector.key, run_id]))


def _worth_telling(drain: Drain, connector: Connector, *, tell_end: bool) -> bool:
    if drain.state == Drain.State.DONE:
        recent = drain.ended_at is not None and drain.ended_at > timezone.now() - TOLD_FOR
        return tell_end and recent and drain.target_version == connector.version.version
    return drain.state in (Drain.State.WAITING, Drain.State.FAILED)


def _tell_failure(drain: Drain) -> Told | None:
    error = failure_of(drain)
    return describe_error(error) if error else None


def _again(drain: Drain, connector: Connector) -> str:
    match drain.kind:
        case Drain.Kind.ROLLBACK:
            return reverse("console:version_roll_back", args=[connector.key, drain.target_version])
        case Drain.Kind.REMOVAL:
            return reverse("console:connector_remove", args=[connector.key])
        case _:
            return reverse("console:connector_update", args=[connector.key])


def _version_before(connector: Connector) -> str:
    acts = ("connector_updated", "connector_rolled_back")
    change = AdminEvent.objects.filter(target_kind="connector", target_id=str(connector.pk), act__in=acts).first()
    return str(change.before.get("version", "")) if change else ""


def _mark(drain: Drain, occupants: tuple[ToldOccupant, ...]) -> str:
    using = [(each.kind, each.who, each.since, each.last_call) for each in (told.occupant for told in occupants)]
    shown = [drain.pk, drain.state, drain.failure, using]
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]
