"""Authorize an account at a connector: verified first, then saved (handbook §5). Nothing is saved on failure.

Strategies that send people elsewhere and back begin in `begin` and end in `callback`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from uuid import UUID

from django.db import transaction
from uuid_utils.compat import uuid7

from connectors.access.models import User
from connectors.authorization.aliases import parse_alias
from connectors.authorization.credentials import parse_credentials
from connectors.authorization.models import Connection
from connectors.authorization.places import check_same_account, find_connection_place
from connectors.authorization.programs import authorize_with_program
from connectors.authorization.saving import VerifiedAccount, save_again, save_new
from connectors.authorization.verification import prove_credential
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import find_visible
from connectors.catalogue.versions import manifest_of
from connectors.errors import Refused
from connectors.manifest.schema import Manifest
from connectors.runtime.program_context import Intent
from connectors.runtime.program_results import AuthorizedAccount
from connectors.vault.secret import Secret

NOTHING: Mapping[str, str] = MappingProxyType({})
STANDARD = frozenset({"none", "static_credentials"})


def connect_account(
    *, person: User, connector: Connector, alias: str = "", raw_credentials: Mapping[str, str] = NOTHING
) -> Connection:
    """Return a person's new, verified connection, or their dead one brought back under the same alias.

    Raises `Invalid` (fields, alias), `Conflict` (already_connected, alias_taken, too_many_accounts, connector_changed,
    other_account), `NotFound` when the person may not see the connector, and Unreachable or UpstreamFault with the
    failing stage.
    """
    offered = find_visible(person, connector.key)
    manifest = manifest_of(offered.version)
    alias = parse_alias(alias) if alias.strip() else ""
    find_connection_place(person, offered, alias)
    connection_id = uuid7()
    verified = _verify(offered, manifest, raw_credentials, connection_id=connection_id, intent="connect")
    with transaction.atomic():
        current = verified.lock(person)
        place = find_connection_place(person, current, alias)
        if place is not None:
            check_same_account(place, verified.account)
            return save_again(verified, connection=place, connector=current)
        return save_new(verified, connection_id=connection_id, person=person, connector=current, alias=alias)


def reconnect_account(*, connection: Connection, raw_credentials: Mapping[str, str] = NOTHING) -> Connection:
    """Return the same connection, authorized anew; alias and grants stay, its grant revision rises.

    Raises what `connect_account` raises; the old credential stays in use until the new one is verified.
    """
    person = connection.person
    offered = find_visible(person, connection.connector.key)
    manifest = manifest_of(offered.version)
    verified = _verify(offered, manifest, raw_credentials, connection_id=connection.pk, intent="reauthorize")
    with transaction.atomic():
        current = verified.lock(person)
        check_same_account(connection, verified.account)
        return save_again(verified, connection=connection, connector=current)


def _verify(
    connector: Connector, manifest: Manifest, raw: Mapping[str, str], *, connection_id: UUID, intent: Intent
) -> VerifiedAccount:
    """Let a program sign in where the strategy is `program`; then let the runtime prove the credential (§5, §8)."""
    values: Mapping[str, Secret] = parse_credentials(manifest, raw)
    account: AuthorizedAccount | None = None
    if manifest.auth.strategy == "program":
        account = authorize_with_program(connector, values, intent=intent)
        values = account.credential.values if account.credential else {}
    elif manifest.auth.strategy not in STANDARD:
        raise Refused("strategy_not_available", strategy=manifest.auth.strategy, adapter=manifest.runtime.adapter)
    prove_credential(connector, values, connection_id=connection_id, signed_in=account is not None)
    return VerifiedAccount(connector, values, account)
