"""Where a new account of a person goes at a connector: beside the others, or in a dead one's place."""

from connectors.access.models import User
from connectors.authorization.accounts import effective_state
from connectors.authorization.aliases import same_alias
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from connectors.catalogue.versions import manifest_of
from connectors.errors import Conflict, Fault, Invalid
from connectors.runtime.program_results import AuthorizedAccount

MOST_ACCOUNTS = 5


def find_place(existing: list[Connection], *, policy: str, alias: str) -> Connection | None:
    """Return the dead connection the account replaces, or None when it is a new one.

    `existing` holds the person's connections at the connector. A living account is never replaced.
    """
    if policy == "single_per_user":
        return _find_only_place(existing, alias)
    same = next((each for each in existing if same_alias(each.alias, alias)), None)
    if same is not None and is_dead(same):
        return same
    if existing and not alias:
        raise Invalid([Fault("alias_needed", "alias")])
    if same is not None:
        raise Conflict("alias_taken", alias=alias)
    if sum(not is_dead(each) for each in existing) >= MOST_ACCOUNTS:
        raise Conflict("too_many_accounts", limit=MOST_ACCOUNTS)
    return None


def is_dead(connection: Connection) -> bool:
    """Return whether only authorizing it again can bring the account back."""
    return effective_state(connection) == Connection.State.REAUTHORIZATION_REQUIRED


def _find_only_place(existing: list[Connection], alias: str) -> Connection | None:
    if any(not is_dead(each) for each in existing):
        raise Conflict("already_connected")
    return next((each for each in existing if same_alias(each.alias, alias)), existing[0] if existing else None)


def find_connection_place(person: User, connector: Connector, alias: str) -> Connection | None:
    """Return where this person's account goes at a connector, as `find_place` says."""
    existing = Connection.objects.filter(person=person, connector=connector).select_related("connector")
    policy = manifest_of(connector.version).connection_policy
    return find_place(list(existing), policy=policy, alias=alias)


def check_same_account(place: Connection, account: AuthorizedAccount | None) -> None:
    """Raise `Conflict("other_account")` when a connection would silently become another account's.

    Only a program that names its accounts can tell (§8); without a name the connection's own id stands for identity.
    """
    new = account.external_account_id if account else None
    if account and new and place.external_account_id and new != place.external_account_id:
        raise Conflict(
            "other_account",
            before=place.external_account_name or place.external_account_id,
            after=account.external_account_name or new,
        )
