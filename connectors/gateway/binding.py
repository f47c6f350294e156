"""How calls reach a connection's servers: addresses and headers, opened from the vault once a snapshot."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from connectors.authorization.credentials import binding_headers, open_credential
from connectors.authorization.models import Connection
from connectors.catalogue.endpoints import resolve_servers
from connectors.catalogue.versions import manifest_of
from connectors.gateway.programs import ProgramBinding, open_program_binding
from connectors.manifest.auth import OAuthAuth
from connectors.manifest.runtime import ProgramRuntime
from connectors.runtime.program_context import secrets_within
from connectors.runtime.upstream import UpstreamServer
from connectors.vault.secret import Secret


@dataclass(frozen=True, slots=True)
class Binding:
    """What answers one connection's calls, under one version of everything it hangs on.

    Either servers by key ("" for a single endpoint), or the package's program.
    """

    connection_id: UUID
    person_id: int
    servers: dict[str, UpstreamServer]
    manifest_revision: str
    configuration_revision: int
    grant_revision: int
    credential_version: int
    credential_fingerprint: str
    expires_at: datetime | None = None  # the credential's
    program: ProgramBinding | None = None
    credential: tuple[Secret, ...] = ()

    def secrets(self) -> tuple[Secret, ...]:
        """Return every secret a call under this binding may carry: what content is masked of before it is kept."""
        return (*self.credential, *(secrets_within(self.program.context) if self.program else ()))

    def session_key(self, server: str) -> str:
        """Old-era sessions live as long as (connection, credential version, server)."""
        return f"{self.connection_id} {self.credential_version} {server}"


def open_binding(connection_id: UUID) -> Binding:
    """Open the connection's credential and resolve its connector's servers, or open its program.

    Raises Refused when the credential may not be used or the configuration is incomplete, `vault.errors.CannotOpen`
    when a sealed value is damaged, and `PackageDamaged` when a program's package is.
    """
    connection = Connection.objects.select_related("connector__version", "credential", "toolset").get(pk=connection_id)
    connector = connection.connector
    manifest = manifest_of(connector.version)
    values = open_credential(connection)
    if isinstance(manifest.auth, OAuthAuth):
        values.pop("refresh_token", None)  # ours alone: neither a server nor a program gets to see it
    headers = binding_headers(manifest, values)
    servers = resolve_servers(manifest, connector.configuration)
    is_program = isinstance(manifest.runtime, ProgramRuntime)
    credential = getattr(connection, "credential", None)
    return Binding(
        connection_id=connection.pk,
        person_id=connection.person_id,
        servers={server.key: UpstreamServer(server.url, server.transport, headers) for server in servers},
        manifest_revision=connector.version.manifest_revision,
        configuration_revision=connector.configuration_revision,
        grant_revision=connection.grant_revision,
        credential_version=credential.version if credential else 0,
        credential_fingerprint=credential.fingerprint if credential else "",
        expires_at=credential.expires_at if credential else None,
        program=open_program_binding(connection, values) if is_program else None,
        credential=tuple(values.values()),
    )
