"""Every expected error as a sentence and what to do about it: the one place where codes become words."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from connectors.errors import ConnectorError, Invalid
from connectors.manifest.fault_messages import describe_fault


@dataclass(frozen=True, slots=True)
class Told:
    """What happened, and what to do now; both in the reader's language."""

    code: str
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.what} {self.mend}".strip()


_UNEXPECTED = (
    _("The act was refused (%(code)s)."),
    _("Nothing was changed. Ask an administrator and tell them this code."),
)

_LATER = _("Try again later. If it stays so, tell an administrator.")

# code -> (what happened, what to do). Sentences may use the error's parameters as %(name)s.
SENTENCES: dict[str, tuple[str | Promise, str | Promise]] = {
    "not_found": (_("There is nothing here, or you may not see it."), _("Check the address, or go back to the list.")),
    "action_forbidden": (_("You may see this, but not change it."), _("Ask an administrator for the right to do it.")),
    "conflict": (
        _("Somebody changed this while you were looking at it."),
        _("Nothing was overwritten. Reload the page, look at the change, and try again."),
    ),
    # agents, connections and grants
    "agent_name_taken": (_("You have an agent called %(name)s already."), _("Choose another name.")),
    "agent_retired": (_("This agent is retired."), _("Make a new one.")),
    "person_inactive": (_("%(name)s may not sign in."), _("Ask an administrator.")),
    "already_connected": (
        _("You are connected here already, and one account per person is all this connector takes."),
        _("Open My connections to see it."),
    ),
    "alias_taken": (_("Another account of yours has the alias %(alias)s."), _("Choose another one.")),
    "too_many_accounts": (
        _("You have %(limit)s accounts here, which is as many as one person may connect."),
        _("Disconnect one first."),
    ),
    "connector_changed": (
        _("The connector was changed while your account was being checked, so nothing was saved."),
        _("Try again."),
    ),
    "connector_not_found": (_("This connector is not there, or not shared with you."), _("Ask an administrator.")),
    "connection_not_found": (_("This connection is not there any more."), _("Go back to My connections.")),
    "strategy_not_available": (
        _("This connector signs people in in a way that cannot be used here."),
        _("Ask an administrator."),
    ),
    "unavailable": (
        _("The service could not be reached."),
        _("Try again later. If it stays so, tell an administrator."),
    ),
    "external_error": (
        _("The service answered with an error."),
        _("Try again later. If it stays so, tell an administrator."),
    ),
    "authorization_required": (_("The service no longer accepts the saved credential."), _("Reconnect the account.")),
    "response_too_large": (_("The service answered with more than can be taken."), _("Tell an administrator.")),
}


def describe_error(error: ConnectorError) -> Told:
    """Return the sentences of an error; an unknown code says so and names itself, bad input names its faults."""
    if isinstance(error, Invalid) and error.faults:
        texts = [describe_fault(fault, get_language() or "en") for fault in error.faults]
        return Told(error.code, " ".join(text.message for text in texts), " ".join(text.hint for text in texts))
    what, mend = SENTENCES.get(error.code, _UNEXPECTED)
    parameters = _Lenient(error.parameters | {"code": error.code})
    return Told(error.code, str(what) % parameters, str(mend) % parameters)


class _Lenient(dict[str, object]):
    """Parameters of a sentence; one that the error did not carry reads as an ellipsis, never as a crash."""

    def __missing__(self, key: str) -> str:
        return "…"
