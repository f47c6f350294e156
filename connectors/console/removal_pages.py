"""How far a removal is, step by step."""

import hashlib
from dataclasses import dataclass
from typing import Literal

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from connectors.console.messages import Told, describe_error
from connectors.errors import ConnectorError
from connectors.lifecycle.models import RemovalJob
from connectors.lifecycle.queries import revocations_left

type StepState = Literal["done", "doing", "waiting"]
Stage = RemovalJob.Stage
_ORDER = (Stage.LETTING_GO, Stage.REVOKING, Stage.CLEANING)
_TITLES: dict[str, str | Promise] = {
    Stage.LETTING_GO: _("Connections and credentials leave this console"),
    Stage.REVOKING: _("Services are told that the credentials are no longer wanted"),
    Stage.CLEANING: _("Stored archives and caches are cleaned up"),
}


@dataclass(frozen=True, slots=True)
class Step:
    title: str | Promise
    state: StepState
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RemovalState:
    """`mark` changes when there is something new to show."""

    job: RemovalJob
    steps: tuple[Step, ...]
    failure: Told | None
    mark: str

    @property
    def spoken(self) -> str:
        """What has just changed, in one sentence, for whoever does not see the page change."""
        if self.job.stage == Stage.DONE:
            return gettext("Removed")
        if self.failure:
            return str(self.failure.what)
        return " ".join(f"{step.title}. {step.detail}" for step in self.steps if step.state == "doing").strip()


def read_removal(job: RemovalJob) -> RemovalState:
    """Return every step with how far it is, and what went wrong last while it still does."""
    at = _ORDER.index(Stage(job.stage)) if job.stage in _ORDER else len(_ORDER)
    steps = (
        Step(_("Out of use: nothing is called, signed in or refreshed through it"), "done"),
        *(Step(_TITLES[stage], _state(place, at), _detail(job, stage)) for place, stage in enumerate(_ORDER)),
    )
    failure = describe_error(ConnectorError(job.failure)) if job.failure else None
    shown = [job.stage, job.failure, job.attempts, [step.detail for step in steps]]
    return RemovalState(job, steps, failure, hashlib.sha256(repr(shown).encode()).hexdigest()[:16])


def _state(place: int, at: int) -> StepState:
    return "done" if place < at else "doing" if place == at else "waiting"


def _detail(job: RemovalJob, stage: str) -> str:
    if stage != job.stage:
        return ""
    if stage == Stage.REVOKING:
        left = revocations_left(job)
        return ngettext("%(count)d revocation left", "%(count)d revocations left", left) % {"count": left}
    if stage == Stage.CLEANING:
        left = len(job.archives)
        return ngettext("%(count)d archive left", "%(count)d archives left", left) % {"count": left}
    return ""
