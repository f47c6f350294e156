"""Every rule a decision can name, as people read it: what it says, and how to get allowed."""

from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.audit.models import DecisionRecord

Text = str | Promise


@dataclass(frozen=True, slots=True)
class Rule:
    """`place` names the page where it can be mended: grant, connection, connector, calls, or nothing."""

    title: Text
    sentence: Text
    mend: Text = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    title: Text
    sentence: Text
    mend: Text
    url: str
    act: Text


ASK_ADMINISTRATOR = _("Ask an administrator.")
RULES: Final[dict[str, Rule]] = {
    "granted": Rule(_("Granted"), _("The package allows the tool and the agent's owner granted it.")),
    "unattended": Rule(
        _("Granted, unattended"),
        _("The tool asks for confirmation, and a scheduled or API run goes ahead under the owner's grant."),
    ),
    "run_stopped": Rule(
        _("Run ended"),
        _("A connector the run used is to be changed, and whoever changes it ended the run. Nothing was sent."),
        _("The agent's next call began a new run. If something was left undone, ask it to go on there."),
    ),
    "connector_unknown": Rule(
        _("No such tool"),
        _("No connector has a tool of this name. The agent may have made the name up, or remembers one that is gone."),
        _("Let the agent list its tools again. If a connector is missing, ask an administrator to install it."),
        "catalogue",
    ),
    "connector_unpublished": Rule(
        _("Connector withdrawn"),
        _("The connector is not published at the moment, so nobody can use it."),
        _("Ask an administrator to publish it again."),
    ),
    "connector_not_visible": Rule(
        _("Connector not shared"),
        _("The connector is not shared with the agent's owner."),
        _("Ask an administrator to share it with you or with a team of yours."),
    ),
    "connector_draining": Rule(
        _("Connector about to change"),
        _("A change waits until this connector is not in use, so conversations that began since go on without it."),
        _("Wait until the change is made; conversations that were open before may use the connector until they end."),
    ),
    "connection_missing": Rule(
        _("Not connected"),
        _("The agent's owner has no account connected at this connector."),
        _("Connect an account, then grant it to the agent."),
        "connector",
    ),
    "connection_ambiguous": Rule(
        _("Which account?"),
        _("Several accounts of this connector could be meant, and the call named none."),
        _("Name the account in the call, or grant the agent only one of them."),
        "agent",
    ),
    "connection_state": Rule(
        _("Connection not working"),
        _("The connected account cannot be used in its present state."),
        _("Open the connection: its badge says what mends it."),
        "connection",
    ),
    "tool_not_in_policy": Rule(
        _("Not in the package"),
        _("The connector's package does not allow this tool. Whatever a package does not name is denied."),
        _("Ask an administrator for a package version that allows it."),
    ),
    "grant_missing": Rule(
        _("No grant"),
        _("The agent was granted nothing of this connection."),
        _("Grant the agent this connection."),
        "grant",
    ),
    "grant_excludes_tool": Rule(
        _("Tool not granted"),
        _("The agent may use some tools of this connection, and this is not one of them."),
        _("Add the tool to the agent's grant."),
        "grant",
    ),
    "grant_read_only": Rule(
        _("Read only"),
        _("The agent may only read through this connection, and the tool does more than read."),
        _("Change the grant to read and write."),
        "grant",
    ),
    "tool_not_discovered": Rule(
        _("Not offered by the server"),
        _("The package allows the tool, but the account's server does not list it."),
        _("Check the connection again. If it stays away, the account may lack a permission at the service."),
        "connection",
    ),
    "batch_refused": Rule(
        _("Refused with its batch"),
        _("Another call of the same batch was refused, and the first refusal refuses all of it."),
        _("Mend the refusal before it in the log, or let the agent send its calls one by one."),
    ),
    "run_origin": Rule(
        _("Nobody there to confirm"),
        _("The tool asks for confirmation, and in a scheduled or API run nobody can give it."),
        _("Run it in a conversation, or ask an administrator to allow unattended runs."),
    ),
    "confirmation_required": Rule(
        _("Confirmation needed"),
        _("A person has to confirm each call of this tool, so nothing was done."),
        _("Do it yourself at the service, or let the agent use a tool that needs no confirmation."),
    ),
}
ACTS: Final[dict[str, Text]] = {
    "grant": _("Open the grant"),
    "connection": _("Open the connection"),
    "connector": _("Connect an account"),
    "agent": _("Open the agent"),
    "catalogue": _("Browse the catalogue"),
}
UNKNOWN = Rule(_("Denied"), _("The call was not allowed."), ASK_ADMINISTRATOR)


def explain(decision: DecisionRecord, *, mine: bool) -> Explanation:
    """The rule in words; the link that mends it is offered to the agent's owner only, nobody else could use it."""
    rule = RULES.get(decision.rule, UNKNOWN)
    url = _page(rule.place, decision) if mine else ""
    return Explanation(rule.title, rule.sentence, rule.mend, url, ACTS.get(rule.place, "") if url else "")


def _page(place: str, decision: DecisionRecord) -> str:
    match place:
        case "grant" if decision.agent_id and decision.connection_id:
            return reverse("console:grant", args=[decision.agent_id, decision.connection_id])
        case "grant" | "agent" if decision.agent_id:
            return reverse("console:agent", args=[decision.agent_id])
        case "connection" if decision.connection_id:
            return reverse("console:connection", args=[decision.connection_id])
        case "connector" if decision.connector_key:
            return reverse("console:catalogue_connector", args=[decision.connector_key])
        case "catalogue":
            return reverse("console:catalogue")
        case _:
            return ""
