"""Public tool names: readable, at most 64 characters of [A-Za-z0-9_-], never ambiguous, the same after a restart.

`<connector key>__<tool>` while that is unique for the agent; several accounts of one connector add the alias; anything
else (Chinese, too long, a clash) gets a readable ASCII stem and a hash of (connector, server, tool, connection).
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

MAX_LENGTH = 64
_PUBLIC = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UNSPEAKABLE = re.compile(r"[^A-Za-z0-9_-]+")
_HASH_LENGTH = 10


@dataclass(frozen=True, slots=True)
class Address:
    """Where a tool lives: what its name stands for."""

    connector_key: str
    server: str  # empty for a single endpoint
    tool: str
    connection_id: UUID | None = None
    alias: str = ""


def plain_name(address: Address) -> str:
    return f"{address.connector_key}__{address.tool}"


def account_name(address: Address) -> str:
    """The name that tells one of several accounts; without an alias there is none, the hash tells it."""
    return f"{address.connector_key}__{address.alias}__{address.tool}" if address.alias else ""


def hashed_name(address: Address) -> str:
    """A readable stem and a hash: for names that cannot be said in the alphabet, and for clashes."""
    told = (address.connector_key, address.server, address.tool, str(address.connection_id or ""))
    digest = hashlib.sha256("\0".join(told).encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]
    stem = _UNSPEAKABLE.sub("_", account_name(address) or plain_name(address))
    return f"{stem[: MAX_LENGTH - _HASH_LENGTH - 1].rstrip('_-')}_{digest}"


def possible_names(address: Address) -> set[str]:
    """Return every name this tool might ever be called by."""
    return {plain_name(address), hashed_name(address), account_name(address)} - {""}


def name_tools(addresses: Collection[Address]) -> dict[str, Address]:
    """Return the public names of everything an agent sees, each leading back to one address."""
    accounts = _connectors_with_several_accounts(addresses)
    wanted = {
        address: account_name(address) if address.connector_key in accounts else plain_name(address)
        for address in addresses
    }
    hashed = {hashed_name(address) for address in addresses}
    uses = Counter(wanted.values())
    return {
        name if _PUBLIC.fullmatch(name) and uses[name] == 1 and name not in hashed else hashed_name(address): address
        for address, name in wanted.items()
    }


def find_ambiguous(names: dict[str, Address]) -> dict[str, list[str]]:
    """Return the plain names that could mean several accounts, with the names that tell them apart."""
    accounts = _connectors_with_several_accounts(names.values())
    meanings: dict[str, list[str]] = {}
    for name, address in sorted(names.items()):
        if address.connector_key in accounts and plain_name(address) not in names:
            meanings.setdefault(plain_name(address), []).append(name)
    return {plain: told for plain, told in meanings.items() if len(told) > 1}


def _connectors_with_several_accounts(addresses: Collection[Address]) -> set[str]:
    pairs = {(address.connector_key, address.connection_id) for address in addresses}
    return {key for key, count in Counter(key for key, _ in pairs).items() if count > 1}
