"""Why is there no such tool? The client only hears that there is none; the decision row says which link is missing.

Only calls that are refused come here, so it may look at everything: withdrawn connectors, connections without a grant,
tools the package does not name.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from uuid import UUID

from connectors.access.models import User
from connectors.authorization.accounts import effective_state
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import visible_connectors
from connectors.catalogue.versions import manifest_of
from connectors.gateway.compilation import grant_facts, rules_of, usable_toolset
from connectors.gateway.discovery import failure_of
from connectors.gateway.naming import Address, possible_names
from connectors.manifest.tool_keys import tool_key
from connectors.policy.decision import RULES, Decision, Facts, decide
from connectors.policy.models import Grant

_ORDER = {rule: position for position, rule in enumerate(RULES)}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A denial, and what the name turned out to mean."""

    decision: Decision
    address: Address
    package_version: str = ""
    manifest_revision: str = ""
    effect: str = ""


def explain_refusal(agent_id: UUID, owner_id: int, name: str) -> Refusal:
    """Return the denial that got furthest among everything the name could mean."""
    meanings = [
        meaning
        for connector in Connector.objects.select_related("version").order_by("key")
        if name.startswith(connector.key[:50])
        for meaning in _meanings(connector, agent_id, owner_id, name)
    ]
    if not meanings:
        return Refusal(Decision(allowed=False, rule="connector_unknown"), Address("", "", ""))
    return max(meanings, key=lambda meaning: (_ORDER[meaning.decision.rule], len(meaning.address.connector_key)))


def _meanings(connector: Connector, agent_id: UUID, owner_id: int, name: str) -> Iterator[Refusal]:
    visible = visible_connectors(User.objects.get(pk=owner_id)).filter(pk=connector.pk).exists()
    base = Facts(connector_status=connector.status, visible=visible)
    connections: list[Connection | None] = list(
        Connection.objects.filter(person_id=owner_id, connector=connector).select_related(
            "connector__version", "toolset", "credential"
        )
    )
    for connection in connections or [None]:
        facts = base if connection is None else _with_connection(base, connection, agent_id)
        for address, known in _tools_named(connector, connection, facts, name):
            yield Refusal(
                decision=_deny(known),
                address=address,
                package_version=connector.version.version,
                manifest_revision=connector.version.manifest_revision,
                effect=known.rule.effect if known.rule else "",
            )


def _with_connection(facts: Facts, connection: Connection, agent_id: UUID) -> Facts:
    grant = Grant.objects.filter(agent_id=agent_id, connection=connection).first()
    failure = failure_of(connection.pk)
    return replace(
        facts,
        connection_state=effective_state(connection),
        grant=grant_facts(grant) if grant else None,
        undiscovered_because=failure.code if failure else "",
    )


def _tools_named(
    connector: Connector, connection: Connection | None, facts: Facts, name: str
) -> Iterator[tuple[Address, Facts]]:
    """Every tool of the policy or the list that may go by this name, else the tool the name itself spells."""
    rules = rules_of(manifest_of(connector.version))
    listed = _listed(connection)
    parted = [key.rpartition("/") if "/" in key else ("", "", key) for key in rules]
    known = {(server, tool) for server, _, tool in parted} | listed
    found = False
    for server, tool in sorted(known):
        address = _address(connector, connection, server, tool)
        if name in possible_names(address):
            found = True
            key = tool_key(server or None, tool)
            discovered = (server, tool) in listed
            yield address, replace(facts, tool_key=key, rule=rules.get(key), discovered=discovered)
    if not found and name.startswith(f"{connector.key}__"):
        yield _address(connector, connection, "", name.removeprefix(f"{connector.key}__")), facts


def _listed(connection: Connection | None) -> set[tuple[str, str]]:
    toolset = usable_toolset(connection) if connection is not None else None
    if toolset is None:
        return set()
    return {(server, tool["name"]) for server, tools in toolset.tools.items() for tool in tools}


def _address(connector: Connector, connection: Connection | None, server: str, tool: str) -> Address:
    if connection is None:
        return Address(connector.key, server, tool)
    return Address(connector.key, server, tool, connection.pk, connection.alias)


def _deny(facts: Facts) -> Decision:
    """The snapshot had no such name; if it would have one now, the view changed while the call was on its way."""
    decision = decide(facts)
    if decision.allowed or decision.rule == "confirmation_required":
        return Decision(allowed=False, rule="tool_not_discovered", reason="snapshot_stale")
    return decision
