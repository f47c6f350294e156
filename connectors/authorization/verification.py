"""Prove that an account works before it is saved: a handshake and a tool list at every server (handbook §5)."""

import asyncio
from collections.abc import Mapping
from uuid import UUID

from asgiref.sync import async_to_sync

from connectors.authorization.programs import verify_with_program
from connectors.catalogue.binding import binding_headers
from connectors.catalogue.endpoints import Server, resolve_servers
from connectors.catalogue.models import Connector
from connectors.catalogue.versions import manifest_of
from connectors.errors import ConnectorError, OutcomeUnknown, Unreachable
from connectors.manifest.schema import Manifest
from connectors.runtime.mcp_client import Deadline, UpstreamServer, list_tools
from connectors.vault.secret import Secret

VERIFY_SECONDS = 30.0


def prove_credential(
    connector: Connector, values: Mapping[str, Secret], *, connection_id: UUID, signed_in: bool
) -> None:
    """Let the runtime prove a credential; a program that has just signed in itself need not list its tools again."""
    manifest = manifest_of(connector.version)
    if manifest.runtime.adapter == "remote_mcp":
        verify_account(manifest, connector.configuration, values)
    elif not signed_in:
        verify_with_program(connector, values, connection_id=connection_id)


def verify_account(manifest: Manifest, configuration: Mapping[str, object], values: Mapping[str, Secret]) -> None:
    """Ask every server in parallel; any failure fails the account.

    Raises Unreachable or UpstreamFault; `stage` says how far it got and, of several, `server` which one failed.
    """
    servers = resolve_servers(manifest, configuration)
    async_to_sync(_list_all)(servers, binding_headers(manifest, values))


async def _list_all(servers: tuple[Server, ...], headers: Mapping[str, Secret]) -> None:
    deadline = Deadline.after(VERIFY_SECONDS)
    listing = (list_tools(UpstreamServer(each.url, each.transport, headers), deadline=deadline) for each in servers)
    answers = await asyncio.gather(*listing, return_exceptions=True)
    for server, answer in zip(servers, answers, strict=True):
        if isinstance(answer, BaseException):
            raise _name(answer, server)


def _name(error: BaseException, server: Server) -> BaseException:
    """Return the error naming its server; a list that broke off may be asked for again, so it is no *unknown*."""
    if isinstance(error, OutcomeUnknown):
        reason = error.parameters.get("reason", "")
        error = Unreachable("unavailable", stage=error.parameters.get("stage", "list_tools"), reason=reason)
    if isinstance(error, ConnectorError) and server.key:
        error.parameters["server"] = server.key
    return error
