"""The two ways a credential is refreshed: at a token endpoint, or by the package's program."""

from dataclasses import dataclass

from connectors.authorization.credentials import is_renewable, open_values
from connectors.authorization.models import Connection, Credential
from connectors.authorization.oauth_grant import OAuthGrant, client_secret_of, open_grant
from connectors.authorization.programs import configuration_of
from connectors.catalogue.models import PackageVersion
from connectors.catalogue.versions import manifest_of
from connectors.runtime.program_context import CredentialRefresh, StoredCredential
from connectors.vault.secret import Secret


@dataclass(frozen=True, slots=True)
class OAuthWay:
    """RFC 6749 §6: a refresh token, shown by the client it was issued to."""

    version: PackageVersion
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
    grant, values = open_grant(credential), open_values(credential)
    if not is_renewable(manifest, values, has_grant=grant is not None):
        return None
    if grant is not None:
        return OAuthWay(
            connection.connector.version, grant, client_secret_of(grant, connection.connector), values["refresh_token"]
        )
    context = CredentialRefresh(
        configuration=configuration_of(connection.connector),
        options=manifest.auth.options.model_dump(mode="json"),
        credential=stored_credential(credential),
    )
    return ProgramWay(connection.connector.version, context)


def stored_credential(credential: Credential) -> StoredCredential:
    """Return a program's credential as it issued it."""
    return StoredCredential(
        values=open_values(credential),
        expires_at=credential.expires_at,
        refresh_expires_at=credential.refresh_expires_at,
    )
