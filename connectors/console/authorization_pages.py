"""What the page of one sign-in shows: how it went, in words, and the next act."""

from dataclasses import dataclass
from enum import StrEnum

from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.authorization.models import AuthorizationSession
from connectors.authorization.sessions import failure_of
from connectors.console.messages import describe_error
from connectors.console.presentation import ConnectorText, describe_connector
from connectors.console.stages import Stage, stage_of
from connectors.errors import ConnectorError, Refused

Status = AuthorizationSession.Status


class Act(StrEnum):
    AGAIN = "again"
    OPEN = "open"
    DECIDE = "decide"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class AttemptPage:
    attempt: AuthorizationSession
    text: ConnectorText
    title: str | Promise
    what: str | Promise
    mend: str | Promise
    act: Act
    stage: Stage | None = None

    @property
    def again_url(self) -> str:
        """Where the same is tried once more: by a person, never by opening a page."""
        if self.attempt.intent == AuthorizationSession.Intent.REAUTHORIZE and self.attempt.connection_id:
            return reverse("console:reconnect", args=[self.attempt.connection_id])
        return reverse("console:connect", args=[self.attempt.connector.key])


_TOLD: dict[str, tuple[str | Promise, str | Promise, str | Promise, Act]] = {
    Status.PENDING: (
        _("You have not come back yet"),
        _("The service has not answered. Perhaps its page is still open in another tab."),
        _("Finish there, or begin again."),
        Act.WAIT,
    ),
    Status.EXCHANGING: (
        _("Your sign-in is being checked"),
        _("The service is being asked."),
        _("Reload this page in a moment. If it stays so, it was interrupted: begin again."),
        Act.WAIT,
    ),
    Status.DONE: (
        _("Connected already"),
        _("This sign-in was used, once, as it should be. Coming back to it changes nothing."),
        "",
        Act.OPEN,
    ),
    Status.CANCELLED: (_("Cancelled"), _("Nothing was changed."), "", Act.AGAIN),
}


def read_attempt(attempt: AuthorizationSession) -> AttemptPage:
    text = describe_connector(attempt.connector)
    if attempt.status == Status.ASKING:
        return _ask(attempt, text)
    if attempt.status == Status.FAILED:
        return _fail(attempt, text, failure_of(attempt))
    if attempt.status == Status.PENDING and attempt.expires_at <= timezone.now():
        return _fail(attempt, text, Refused("authorization_expired"))
    return AttemptPage(attempt, text, *_TOLD[attempt.status])


def _ask(attempt: AuthorizationSession, text: ConnectorText) -> AttemptPage:
    told = describe_error(Refused("other_account", **attempt.outcome_parameters))
    mend = _("Nothing was changed yet. Which account should this connection be?")
    return AttemptPage(attempt, text, _("That is another account"), told.what, mend, Act.DECIDE)


def _fail(attempt: AuthorizationSession, text: ConnectorText, error: ConnectorError) -> AttemptPage:
    stage = stage_of(error)
    scopes = error.parameters.get("scopes") if error.code == "insufficient_scope" else None
    if scopes:
        asked = set(scopes) <= {*attempt.endpoints.get("scopes", [])}
        error, stage = Refused("scope_refused" if asked else "scope_not_asked", scopes=", ".join(scopes)), None
    told = describe_error(error)
    return AttemptPage(attempt, text, _("Not connected"), told.what, told.mend, Act.AGAIN, stage)
