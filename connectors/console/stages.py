"""The stages of reaching a connector's server, in words: what each is, and what to do when it stops there."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.errors import ConnectorError


@dataclass(frozen=True, slots=True)
class Stage:
    title: str | Promise
    sentence: str | Promise
    mend: str | Promise


STAGES: Final[dict[str, Stage]] = {
    "address": Stage(
        _("Address"),
        _("The address is one this console may not call."),
        _("Ask an administrator to check the connector's configuration."),
    ),
    "program": Stage(
        _("Program"),
        _("The package's program does not take this configuration, or could not say."),
        _("Change what it names. If it names nothing, tell whoever made the package."),
    ),
    "dns": Stage(
        _("DNS"),
        _("The server's name could not be found."),
        _("Ask an administrator to check the address in the connector's configuration."),
    ),
    "tcp": Stage(
        _("TCP"),
        _("The server did not take the connection."),
        _("It may be down. Try again later, or tell an administrator."),
    ),
    "tls": Stage(
        _("TLS"),
        _("No secure connection could be made; often a certificate is out of date or for another name."),
        _("Tell an administrator; nothing you type here can mend it."),
    ),
    "http": Stage(
        _("HTTP"),
        _("The server answered, but not with what an MCP server says."),
        _("Ask an administrator to check the address in the connector's configuration."),
    ),
    "authorization": Stage(
        _("Authorization"),
        _("The server was reached and refused the credential."),
        _("Check what you typed: a missing character, an expired key, or a key of another account."),
    ),
    "handshake": Stage(
        _("Handshake"),
        _("The server was reached, but the MCP handshake failed."),
        _("Try again. If it stays so, tell an administrator."),
    ),
    "list_tools": Stage(
        _("List tools"),
        _("The server accepted the credential, but did not list its tools."),
        _("Try again. If it stays so, the account may lack a permission at the service."),
    ),
}


def stage_of(error: ConnectorError) -> Stage | None:
    """Where an attempt to reach a server stopped, when the error says so."""
    return STAGES.get(str(error.parameters.get("stage", "")))
