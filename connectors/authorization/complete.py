"""Authorize an account at a connector: verified first, then saved (handbook §5). Nothing is saved on failure.

Strategies that send people elsewhere and back begin in `begin` and end in `callback`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from uuid import UUID

from django.db import transaction
from uuid_utils.compat import uuid7

from connectors.access.models import User
from connectors.authorization.aliases import parse_alias
from connectors.authorization.cancelling import bound_attempts
from connectors.authorization.credentials import parse_credentials
from connectors.authorization.models import AuthorizationSession, Connection
from connectors.authorization.other_account import OtherAccount, ask_about
from connectors.authorization.places import check_same_account, find_connection_place
from connectors.authorization.processing import processing
from connectors.authorization.programs import authorize_with_program
from connectors.authorization.saving import VerifiedAccount, save_again, save_new
from connectors.authorization.turned_away import turn_away
from connectors.authorization.verification import prove_credential
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import find_visible
from connectors.catalogue.versions import manifest_of
from connectors.errors import Conflict, ConnectorError, Refused
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
    connector_draining), OtherAccount when its owner has to be asked, `NotFound` when the person may not see the
    connector, and Unreachable or UpstreamFault with the failing stage.
    """
    offered = find_visible(person, connector.key)
    manifest = manifest_of(offered.version)
    alias = parse_alias(alias) if alias.strip() else ""
    find_connection_place(person, offered, alias)
    attempt = _Attempt(person, "connect", alias=alias)
    with processing(offered, person, "connect", alias=alias):
        return attempt.save(attempt.verify(offered, manifest, raw_credentials))


def reconnect_account(*, connection: Connection, raw_credentials: Mapping[str, str] = NOTHING) -> Connection:
    """Return the same connection, authorized anew; alias and grants stay, its grant revision rises.

    Raises what `connect_account` raises; the old credential stays in use until the new one is verified.
    """
    person = connection.person
    offered = find_visible(person, connection.connector.key)
    manifest = manifest_of(offered.version)
    attempt = _Attempt(person, "reauthorize", place=connection)
    with processing(offered, person, "reauthorize", alias=connection.alias, connection=connection):
        return attempt.save(attempt.verify(offered, manifest, raw_credentials))


@dataclass(frozen=True, slots=True)
class _Attempt:
    """Who authorizes what: a new account, or the connection they have."""

    person: User
    intent: Intent
    alias: str = ""
    place: Connection | None = None
    new_id: UUID = field(default_factory=uuid7)

    def verify(self, connector: Connector, manifest: Manifest, raw: Mapping[str, str]) -> VerifiedAccount:
        """Let a program sign in where the strategy is `program`; then let the runtime prove the credential (§5, §8)."""
        values: Mapping[str, Secret] = parse_credentials(manifest, raw)
        account: AuthorizedAccount | None = None
        if manifest.auth.strategy == "program":
            account = authorize_with_program(connector, values, intent=self.intent)
            values = account.credential.values if account.credential else {}
        elif manifest.auth.strategy not in STANDARD:
            raise Refused("strategy_not_available", strategy=manifest.auth.strategy, adapter=manifest.runtime.adapter)
        verified = VerifiedAccount(connector, values, account)
        id_ = self.place.pk if self.place else self.new_id
        with self._turning_away(verified):
            prove_credential(connector, values, connection_id=id_, signed_in=account is not None)
        return verified.with_avatar()

    def save(self, verified: VerifiedAccount) -> Connection:
        """Return the connection; raise OtherAccount, its question saved, when another account was signed in to."""
        with self._turning_away(verified), transaction.atomic():
            saved = self._save(verified)
        if isinstance(saved, AuthorizationSession):
            raise OtherAccount(saved)
        return saved

    def _save(self, verified: VerifiedAccount) -> Connection | AuthorizationSession:
        current = verified.lock(self.person)
        place = self.place or find_connection_place(self.person, current, self.alias)
        if place is None:
            return save_new(
                verified, connection_id=self.new_id, person=self.person, connector=current, alias=self.alias
            )
        try:
            check_same_account(place, verified.account)
        except Conflict as conflict:
            question = ask_about(
                person=self.person, place=place, verified=verified, conflict=conflict, intent=self.intent
            )
            bound_attempts(self.person)
            return question
        return save_again(verified, connection=place, connector=current)

    @contextmanager
    def _turning_away(self, verified: VerifiedAccount) -> Iterator[None]:
        """What a program was given and is not saved is nobody's."""
        try:
            yield
        except ConnectorError:
            with transaction.atomic():
                turn_away(verified, person=self.person)
            raise
