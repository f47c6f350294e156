"""The two ways a credential is refreshed: at a token endpoint, or by the package's program."""

from dataclasses import dataclass

from connectors.authorization.credentials import open_values
from connectors.authorization.models import Connection, Credential
from connectors.authorization.oauth_grant import OAuthGrant, client_secret_of, open_grant
from connectors.authorization.programs import configuration_of
from connectors.catalogue.models import PackageVersion
from connectors.catalogue.versions import manifest_of
from connectors.manifest.auth import ProgramAuth
from connectors.runtime.program_context import CredentialRefresh, StoredCredential
from connectors.vault.secret import Secret


@dataclass(frozen=True, slots=True)
class OAuthWay:
    """RFC 6749 §6: a refresh token, shown by the client it was issued to."""

    grant: OAuthGrant
    client_secret: Secret | None
    refresh_token: Secret


@dataclass(frozen=True, slots=True)
class ProgramWay:
    """`credential_refresh` of the package that issued the credential (§8)."""

    version: PackageVersion
    context: CredentialRefresh


type RefreshWay = OAuthWay | ProgramWay


def find_way(connection: Connection, credential: Credential) -> RefreshWay | None:
    """Return how this credential is refreshed, its secrets opened; nothing for one that cannot be.

    Raises `vault.errors.CannotOpen` when a sealed value is damaged.
    """
    manifest = manifest_of(connection.connector.version)
    grant = open_grant(credential)
    if grant is not None:
        refresh_token = open_values(credential).get("refresh_token")
        if not refresh_token:
            return None
        return OAuthWay(grant, client_secret_of(grant, connection.connector), refresh_token)
    program = manifest.program
    if isinstance(manifest.auth, ProgramAuth) and program is not None and "credential_refresh" in program.capabilities:
        context = CredentialRefresh(
            configuration=configuration_of(connection.connector),
            options=manifest.auth.options.model_dump(mode="json"),
            credential=stored_credential(credential),
        )
        return ProgramWay(connection.connector.version, context)
    return None


def stored_credential(credential: Credential) -> StoredCredential:
    """Return a program's credential as it issued it."""
    return StoredCredential(
        values=open_values(credential),
        expires_at=credential.expires_at,
        refresh_expires_at=credential.refresh_expires_at,
    )
