"""Where a new account of a person goes at a connector: beside the others, or in a dead one's place."""

from connectors.authorization.accounts import effective_state
from connectors.authorization.aliases import same_alias
from connectors.authorization.models import Connection
from connectors.errors import Conflict, Fault, Invalid

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
