"""Every expected error as a sentence and what to do about it: the one place where codes become words."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from connectors.console.authorization_words import AUTHORIZATION_SENTENCES
from connectors.console.catalogue_words import CATALOGUE_SENTENCES
from connectors.console.ledger_words import LEDGER_SENTENCES
from connectors.console.lifecycle_words import LIFECYCLE_SENTENCES
from connectors.console.rendering.sentences import join_sentences
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
    "view_name_taken": (
        _("Another of your views is called %(name)s."),
        _("Choose another name."),
    ),
    "too_many_views": (
        _("You have %(limit)s saved views, which is as many as one person may keep."),
        _("Delete one you no longer use, then save this one."),
    ),
    # packages and installed connectors
    "version_has_other_content": (
        _("Version %(version)s of %(key)s is installed already, with other content."),
        _("A version never changes. Raise package_version in the manifest, pack it again and upload that."),
    ),
    "update_needed": (
        _("%(key)s is installed already, as version %(installed)s; this package is version %(version)s."),
        _("Look at what it would change, then update."),
    ),
    "package_changed": (
        _("The archive is not the one you were shown."),
        _("Nothing was installed. Upload it again and look at its preview."),
    ),
    "staged_package_not_found": (_("This upload is gone."), _("Uploads are kept for an hour. Upload the file again.")),
    "configuration_incomplete": (_("The field %(field)s has no value yet."), _("Fill it in and try again.")),
    "nothing_to_test": (
        _("This connector runs a program of its own, so there is no server to reach."),
        _("Its program is tried when somebody connects."),
    ),
    "connector_not_published": (_("%(key)s is a draft; there is nothing to withdraw."), _("Publish it first.")),
    "package_integrity": (
        _("The stored archive is not the one that was installed."),
        _("Nothing of it was run. Tell whoever runs this console."),
    ),
    "store_unavailable": (_("The object store does not answer."), _LATER),
    "object_missing": (_("The stored archive is missing."), _("Tell whoever runs this console.")),
    # people and teams
    "username_taken": (_("The user name %(username)s is taken."), _("Choose another one.")),
    "team_name_taken": (_("There is a team called %(name)s already."), _("Choose another name.")),
    "team_not_found": (_("This team is not there any more."), _("Go back to the list of teams.")),
    "last_administrator": (
        _("%(name)s is the last administrator."),
        _("Make somebody else an administrator first, so that the console stays in someone's hands."),
    ),
    "sign_in_link_invalid": (_("This link is no longer good."), _("Ask an administrator for a new one.")),
    # reaching servers
    "address_refused": (
        _("The address %(host)s is one this console may not call."),
        _("Private addresses are refused unless whoever runs the console lists them in POCO_PRIVATE_HOSTS."),
    ),
    "request_refused": (_("The request cannot be sent as it is."), _("Check the address and the typed values.")),
    "redirect_refused": (_("The server sent the request elsewhere."), _("Enter the address it finally answers at.")),
    "malformed_answer": (_("The server's answer is not HTTP."), _("Check the address and its port.")),
    # sealed values
    "vault_key_missing": (
        _("A stored secret was sealed with a key this console no longer has."),
        _("Put the key back, or replace the secret."),
    ),
    "vault_key_wrong": (
        _("A stored secret was sealed with another key of the same name."),
        _("Put the right key back, or replace the secret."),
    ),
    "sealed_value_damaged": (_("A stored secret is damaged and does not open."), _("Replace the secret.")),
    "sealed_value_misplaced": (
        _("A stored secret lies where it does not belong, so it was not opened."),
        _("Replace the secret, and tell whoever runs this console."),
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
    # Packages' programs
    "program_timeout": (_("The connector's program took too long and was ended."), _LATER),
    "program_protocol": (
        _("The connector's program gave no valid answer."),
        _("Tell an administrator: the package has to be mended."),
    ),
    "connector_unavailable": (_("The connector's program could not be run."), _LATER),
    "refresh_failed": (
        _("The credential has run out, and the service did not renew it just now (%(failure)s)."),
        _("Nothing was lost. It is tried again by itself; check again in a minute."),
    ),
    "budget_exceeded": (_("Too many programs were running, and the time went by waiting."), _LATER),
    "rate_limited": (_("The service asks to slow down."), _("Try again in a few minutes.")),
    "insufficient_scope": (
        _("The account does not have the permission this needs."),
        _("Connect it again and allow what is asked."),
    ),
}

# The same code for another reason: (code, the error's `reason`) -> as above.
_FOR_A_REASON: dict[tuple[str, str], tuple[str | Promise, str | Promise]] = {
    ("connector_unavailable", "never_read_its_request"): SENTENCES["program_timeout"],
    ("connector_unavailable", "ended_before_reading"): (
        _("The connector's program ended before it read what it was asked (exit code %(exit_code)s)."),
        SENTENCES["program_protocol"][1],
    ),
}

SENTENCES |= AUTHORIZATION_SENTENCES | CATALOGUE_SENTENCES | LIFECYCLE_SENTENCES | LEDGER_SENTENCES


def describe_error(error: ConnectorError) -> Told:
    """Return the sentences of an error; an unknown code says so and names itself, bad input names its faults."""
    if isinstance(error, Invalid) and error.faults:
        texts = [describe_fault(fault, get_language() or "en") for fault in error.faults]
        messages, hints = (text.message for text in texts), (text.hint for text in texts)
        return Told(error.code, join_sentences(*messages), join_sentences(*hints))
    reason = str(error.parameters.get("reason", ""))
    what, mend = _FOR_A_REASON.get((error.code, reason)) or SENTENCES.get(error.code, _UNEXPECTED)
    parameters = _Lenient(error.parameters | {"code": error.code})
    return Told(error.code, str(what) % parameters, str(mend) % parameters)


class _Lenient(dict[str, object]):
    """Parameters of a sentence; one that the error did not carry reads as an ellipsis, never as a crash."""

    def __missing__(self, key: str) -> str:
        return "…"
